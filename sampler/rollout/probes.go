package rollout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gonogo/sampler/rollout/disk"
)

// probeKey identifies a record of probes.jsonl.
type probeKey struct {
	probe string
	Key
}

// Probes reads the probes of the grader, in the order of the file, on the caller's goroutine. A
// later line of the same probe, split, item and sample replaces an earlier one, which is not
// yielded. A run without the file has no probes, which is not an error. The file is read twice;
// memory grows with the number of its lines, not with their text.
func (r *Run) Probes(ctx context.Context, yield func(*Record) error) (Input, error) {
	path, ok := r.neighbour(ProbesFile)
	if _, err := os.Stat(path); !ok || errors.Is(err, fs.ErrNotExist) {
		return Input{Bad: []BadLine{}}, nil
	}
	return readProbes(ctx, path, func() (io.ReadCloser, error) { return disk.Open(path) }, yield)
}

func readProbes(ctx context.Context, name string, open func() (io.ReadCloser, error),
	yield func(*Record) error,
) (Input, error) {
	l := probeLedger{input: Input{Bad: []BadLine{}}, last: make(map[probeKey]probeLine)}
	pass := func(opt ReadOptions, d delivery) error {
		f, err := open()
		if err != nil {
			return fmt.Errorf("read probes: %w", err)
		}
		defer f.Close()
		return newPipeline(f, opt, Probe).run(ctx, d.batch)
	}
	err := pass(ReadOptions{Lean: true, SkipPrompts: true}, delivery{name: name, input: &l.input, take: l.take})
	if err != nil {
		return l.input, err
	}
	var again Input // repeats the counts of the first pass
	return l.input, pass(ReadOptions{}, delivery{name: name, input: &again, take: l.counts, yield: yield})
}

// probeLedger remembers which line of each probe counts.
type probeLedger struct {
	input Input
	last  map[probeKey]probeLine
}

type probeLine struct {
	line int
	hash uint64
}

// take records a line. None counts yet: a later one may replace it.
func (l *probeLedger) take(res *result) (counts bool, err error) {
	k := probeKey{res.rec.Probe.Name, res.rec.Key()}
	old, ok := l.last[k]
	switch {
	case !ok:
		l.input.Records++
	case old.hash == res.hash:
		l.input.Duplicates++
		return false, nil
	default:
		l.input.Superseded++
	}
	if res.why != "" {
		l.input.Bad = append(l.input.Bad, BadLine{Line: res.line, Why: res.why})
	}
	l.last[k] = probeLine{res.line, res.hash}
	return false, nil
}

// counts reports whether a line is the last of its key that take recorded.
func (l *probeLedger) counts(res *result) (bool, error) {
	return l.last[probeKey{res.rec.Probe.Name, res.rec.Key()}].line == res.line, nil
}

// ProbeWriter appends to a run's probes.jsonl. It is for one goroutine.
type ProbeWriter struct {
	journal *journal
	release func() error // unlocks the run directory
	closed  bool
}

// OpenProbes opens the probes of the run in dir for writing and locks all other writers out of the
// run until Close. It keeps the existing records for which keep returns true, or all if keep is
// nil, and removes the others before it returns. The file is replaced as a whole: a kill leaves the
// old one or the new one.
func OpenProbes(dir string, keep func(*Record) bool, opt WriterOptions) (*ProbeWriter, error) {
	run, release, err := openLocked(dir)
	if err != nil {
		return nil, err
	}
	w := &ProbeWriter{release: release}
	if err := w.open(run, keep, opt); err != nil {
		return nil, errors.Join(err, release())
	}
	return w, nil
}

// openLocked opens a run directory and locks all writers out of it until release.
func openLocked(dir string) (run *Run, release func() error, err error) {
	if run, err = Open(dir); err != nil {
		return nil, nil, err
	}
	if _, ok := run.neighbour(""); !ok {
		return nil, nil, fmt.Errorf("%s: %w but a single file: import it into one first", dir, ErrNotARun)
	}
	if release, err = lockRun(run.Dir); err != nil {
		return nil, nil, err
	}
	return run, release, nil
}

func (w *ProbeWriter) open(run *Run, keep func(*Record) bool, opt WriterOptions) error {
	path := filepath.Join(run.Dir, ProbesFile)
	if err := disk.RemoveTemps(path); err != nil {
		return err
	}
	if _, err := os.Stat(path); err == nil {
		if err := rewriteProbes(run, path, keep, opt.Redact); err != nil {
			return err
		}
	}
	var err error
	if w.journal, err = openJournal(path, opt); err != nil {
		return err
	}
	if err := disk.SyncDir(run.Dir); err != nil {
		return errors.Join(err, w.journal.close())
	}
	return nil
}

func rewriteProbes(run *Run, path string, keep func(*Record) bool, redact *Redactor) error {
	return disk.ReplaceFile(path, func(write func([]byte) error) error {
		_, err := run.Probes(context.Background(), func(rec *Record) error {
			if keep != nil && !keep(rec) {
				return nil
			}
			line, err := rec.MarshalJSON()
			if err != nil {
				return err
			}
			return write(append(redact.JSON(line), '\n'))
		})
		return err
	})
}

// Append writes one record of a probe, as Writer.Append does.
func (w *ProbeWriter) Append(rec *Record) error {
	path := w.journal.file.Path
	if w.closed {
		return fmt.Errorf("append to %s: %w", path, os.ErrClosed)
	}
	if err := rec.check(Probe); err != nil {
		return fmt.Errorf("append item %q, sample %d to %s: %w", rec.Item, rec.Sample, path, err)
	}
	return w.journal.append(rec)
}

// Close syncs everything to disk and unlocks the run directory. A second Close does nothing.
func (w *ProbeWriter) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return errors.Join(w.journal.close(), w.release())
}
