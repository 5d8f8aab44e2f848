package viewer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// catchUp reads the lines added since the last time. A file that shrank or was replaced is read
// from the beginning.
func (x *Index) catchUp(ctx context.Context) error {
	changed, err := x.look()
	if err != nil || !changed {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	workers := runtime.GOMAXPROCS(0)
	work, order := make(chan *parsed, workers+1), make(chan *parsed, workers+1)
	x.mu.RLock()
	from := x.next
	x.mu.RUnlock()
	wg.Go(func() { x.cut(ctx, from, work, order) })
	for range workers {
		wg.Go(func() {
			var t triples
			for p := range work {
				p.parse(x.from(), &t)
				close(p.done)
			}
		})
	}
	for p := range order {
		select {
		case <-p.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if p.err != nil {
			return fmt.Errorf("read %s: %w", x.run.File(), p.err)
		}
		if err := x.take(p); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return x.caughtUp()
}

// sight is the state of a file when all of it had been read.
type sight struct {
	size, time int64
	ends       [32]byte // hash of the first and last bytes of what was read
}

// caughtUp records that everything was read that look saw.
func (x *Index) caughtUp() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Ready = true
	x.version++
	var err error
	x.seen.ends, err = ends(x.source, x.next)
	return err
}

// look opens the file and reports whether there is something to read.
func (x *Index) look() (changed bool, err error) {
	info, err := os.Stat(x.run.File())
	x.mu.Lock()
	defer x.mu.Unlock()
	if errors.Is(err, fs.ErrNotExist) && x.source == nil { // nothing has been sampled yet
		x.state.Ready = true
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for new rollouts: %w", err)
	}
	if x.source != nil {
		was, err := x.source.Stat()
		if err != nil || !os.SameFile(was, info) || info.Size() < x.next {
			x.source.Close()
			x.source = nil
			x.reset()
		}
	}
	if x.source == nil {
		if x.source, err = disk.Open(x.run.File()); err != nil {
			x.source = nil
			return false, fmt.Errorf("read rollouts: %w", err)
		}
	}
	now := sight{size: info.Size(), time: info.ModTime().UnixNano(), ends: x.seen.ends}
	if x.seen == now && x.state.Ready {
		return false, nil
	}
	if x.state.Ready {
		same, err := ends(x.source, x.next)
		if err != nil || same != x.seen.ends || now.size == x.seen.size { // it was rewritten in place
			x.reset()
		}
	}
	x.seen = now
	x.state.Total, x.state.Bytes = now.size, x.next
	return true, nil
}

// parsed is a chunk on its way from the reader through a worker.
type parsed struct {
	chunk
	err   error
	done  chan struct{}
	lines []line
	count int
}

// line is one line after decoding.
type line struct {
	rec      *rollout.Record
	numbered bool
	err      error
	offset   int64
	size, no int
	hashes   []uint32
}

// cut reads chunks until the file or ctx ends.
func (x *Index) cut(ctx context.Context, offset int64, work, order chan<- *parsed) {
	defer close(order)
	defer close(work)
	for {
		c, err := readChunk(x.source, offset)
		if errors.Is(err, io.EOF) {
			return
		}
		p := &parsed{chunk: c, err: err, done: make(chan struct{})}
		offset += c.size
		select {
		case order <- p:
		case <-ctx.Done():
			return
		}
		work <- p // workers drain the channel, even after ctx has ended
		if err != nil || c.tail {
			return
		}
	}
}

// parse decodes the lines of a chunk.
func (p *parsed) parse(source rollout.Source, t *triples) {
	if p.long {
		p.count = 1
		p.lines = []line{{err: fmt.Errorf("line is longer than %d MB", longest>>20)}}
		return
	}
	p.count = p.chunk.lines(func(text []byte, offset int64, no int) {
		l := line{offset: offset, size: len(text), no: no}
		if l.rec, l.numbered, l.err = rollout.ReadLine(bytes.TrimSpace(text), source, ""); l.err == nil {
			texts(l.rec, func(p part) bool {
				t.add(p.text)
				return true
			})
			l.hashes = t.take()
		}
		p.lines = append(p.lines, l)
	})
	p.text = nil
}

// take adds the lines of a parsed chunk to the index.
func (x *Index) take(p *parsed) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if p.offset != x.next {
		return errMoved // the index was reset in the meantime
	}
	x.version++
	if p.tail && (p.long || len(p.lines) > 0 && p.lines[0].err != nil) {
		x.state.Torn = true
		return nil // it is read again when the file has grown
	}
	x.state.Torn = false
	for _, l := range p.lines {
		no := x.state.line + int32(l.no) + 1
		if l.err != nil {
			if len(x.state.Bad) < mostBad {
				x.state.Bad = append(x.state.Bad, BadLine{int(no), l.err.Error()})
			}
			continue
		}
		e := x.names.enter(l.rec, l.numbered)
		e.Offset, e.Size, e.Line = l.offset, int32(l.size), no
		x.book(e)
		if x.open = append(x.open, l.hashes); len(x.open) == blockLines {
			x.store()
		}
	}
	if x.state.line += int32(p.count); p.tail {
		x.state.line-- // its newline, when it is written, is counted as a line of its own
	}
	x.next += p.size
	x.state.Bytes = x.next
	return nil
}
