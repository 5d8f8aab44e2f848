package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"runtime"
	"sync"

	"gonogo/sampler/rollout/prompt"
)

// ReadOptions says how a file of rollouts is read. The zero value suits most readers.
type ReadOptions struct {
	OnConflict Conflict // what to do with differing lines for one rollout; "" is an error
	Workers    int      // number of decoding goroutines; 0 = GOMAXPROCS
	Split      Split    // of lines without a split; "" = train
	// Lean skips Messages and the Output of Calls (OutputBytes keeps its length): their text is
	// checked to be JSON, but not decoded.
	Lean bool
	// SkipPrompts leaves Asked and Said of a lean read empty, which takes a quarter less time.
	SkipPrompts bool
	// ToolError reports from its beginning whether the output of a successful call is an error:
	// such a call is read as CallError. nil checks nothing. Several goroutines call it.
	ToolError func(output string) bool
}

// Read reads rollouts from rd, one per line, and calls yield for each that counts, in the order of
// the file, on the caller's goroutine. Errors have name before the line number.
//
// A later call for the same Key replaces the earlier one: it is a higher attempt, or the later of
// two conflicting lines under OnConflict Last. yield may keep a record. The counts are complete
// only if the error is nil. A line that cannot be read is a *LineError, a file without any rollout
// is ErrNoRecords. An error of yield ends the reading and is returned unchanged.
//
// Decoding runs on Workers goroutines, all of which end before Read returns: an rd that blocks
// delays Read even if ctx has ended. Memory is bounded by the longest line and by some 40 bytes per
// rollout.
func Read(ctx context.Context, name string, rd io.Reader, opt ReadOptions, yield func(*Record) error) (Input, error) {
	return read(ctx, name, rd, opt, Import, yield)
}

func read(ctx context.Context, name string, rd io.Reader, opt ReadOptions, source Source,
	yield func(*Record) error,
) (Input, error) {
	l := newLedger(opt.OnConflict)
	if err := opt.OnConflict.check(); err != nil {
		return l.input, err
	}
	d := delivery{name: name, input: &l.input, take: l.takeResult, yield: yield}
	p := newPipeline(rd, opt, source)
	if err := p.run(ctx, d.batch); err != nil {
		return l.input, err
	}
	if l.input.Records == 0 && l.input.Torn > 0 {
		return l.input, fmt.Errorf("read %s: %w but a line without an end that is not JSON: is it a file of "+
			"rollouts, with \\n between the lines?", name, ErrNoRecords)
	}
	if l.input.Records == 0 {
		return l.input, fmt.Errorf("read %s: %w", name, ErrNoRecords)
	}
	return l.input, nil
}

// delivery passes decoded lines to the caller, in order.
type delivery struct {
	name  string
	input *Input
	take  func(*result) (counts bool, err error) // records a line
	yield func(*Record) error

	foreign func(*result) error // takes lines that are not records, instead of take and yield
}

func (d *delivery) batch(ctx context.Context, b *batch) error {
	for i := range b.out {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("read %s: %w", d.name, err)
		}
		if err := d.line(&b.out[i], b.atEnd()); err != nil {
			return err
		}
	}
	switch {
	case b.err == nil || b.atEnd():
		return nil
	case errors.Is(b.err, errLongLine):
		return &LineError{File: d.name, Line: b.line, Err: b.err}
	}
	return fmt.Errorf("read %s: %w", d.name, b.err)
}

func (d *delivery) line(res *result, atEnd bool) error {
	if res.unended && !atEnd {
		return nil // reading ended within this line
	}
	d.input.Lines++
	if res.err != nil {
		if _, broken := errors.AsType[brokenError](res.err); broken && res.unended {
			d.input.Torn++
			return nil
		}
		return &LineError{File: d.name, Line: res.line, Err: res.err}
	}
	if d.foreign != nil {
		return d.foreign(res)
	}
	counts, err := d.take(res)
	if err != nil {
		return &LineError{File: d.name, Line: res.line, Err: err}
	}
	if !counts {
		return nil
	}
	return d.yield(res.rec)
}

// result is one line after decoding.
type result struct {
	decoded
	foreign any // the decoded line, if it is not a record
	line    int
	unended bool // no newline after it
	why     string
	hash    uint64
	err     error
}

// pipeline decodes batches on several goroutines and passes them on in order.
type pipeline struct {
	cut     *cutter
	foreign func(text []byte) (any, error) // decodes lines that are not records; nil = records
	as      decoding
	source  Source // of lines without a source
	split   Split  // of lines without a split
	workers int
	seed    maphash.Seed

	work, order, free chan *batch
}

func newPipeline(rd io.Reader, opt ReadOptions, source Source) *pipeline {
	workers := opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ahead := 2*workers + 2
	return &pipeline{
		cut: newCutter(rd), as: decoding{opt.Lean, opt.SkipPrompts, opt.ToolError, prompt.NewCache()}, source: source,
		split: cmp.Or(opt.Split, Train), workers: workers, seed: maphash.MakeSeed(),
		work:  make(chan *batch, ahead),
		order: make(chan *batch, ahead),
		free:  make(chan *batch, ahead+2), // room for all batches: the reader and the caller hold two more
	}
}

// run calls deliver for each batch in order until it returns an error, ctx ends or the stream ends.
func (p *pipeline) run(ctx context.Context, deliver func(context.Context, *batch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { p.read(ctx) })
	for range p.workers {
		wg.Go(p.decode)
	}
	for b := range p.order {
		select {
		case <-b.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := deliver(ctx, b); err != nil {
			return err
		}
		p.free <- b
	}
	return ctx.Err()
}

// read cuts the stream into batches until it or ctx ends.
func (p *pipeline) read(ctx context.Context) {
	defer close(p.order)
	defer close(p.work)
	onTheWay := 0
	for {
		var b *batch
		for onTheWay > budget {
			select {
			case b = <-p.free:
				onTheWay -= b.size
			case <-ctx.Done():
				return
			}
		}
		if b == nil {
			select {
			case b = <-p.free:
				onTheWay -= b.size
			default:
			}
		}
		if b == nil || b.size > 4*batchBytes {
			b = &batch{text: make([]byte, 0, batchBytes)}
		}
		p.cut.next(ctx, b)
		onTheWay += b.size
		select {
		case p.order <- b:
		case <-ctx.Done():
			return
		}
		p.work <- b // workers take every batch, even after ctx has ended
		if b.err != nil {
			return
		}
	}
}

// decode is the loop of one worker.
func (p *pipeline) decode() {
	for b := range p.work {
		b.out = b.out[:0]
		b.lines(func(text []byte, line int, unended bool) bool {
			res := p.result(text)
			res.line, res.unended = line, unended
			if res.rec != nil {
				res.rec.Line = line
			}
			b.out = append(b.out, res)
			return res.err == nil
		})
		close(b.done)
	}
}

func (p *pipeline) result(text []byte) (res result) {
	if p.foreign != nil {
		res.foreign, res.err = p.foreign(text)
		res.hash = maphash.Bytes(p.seed, text)
		return res
	}
	if res.decoded, res.err = decodeRecord(text, p.as); res.err != nil {
		return res
	}
	res.why, res.err = res.settle(p.source, p.split)
	if res.rec.Kind == KindUngraded {
		// Older versions wrote two such lines for one answer, with different causes: the second
		// counts as a repeat of the first.
		res.hash = maphash.Comparable(p.seed, [2]string{res.rec.TraceID, res.rec.Answer})
		return res
	}
	res.hash = maphash.Bytes(p.seed, text)
	return res
}
