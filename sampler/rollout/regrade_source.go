package rollout

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gonogo/sampler/rollout/disk"
)

// RegradeManifest returns the manifest of a run that takes over this run's rollouts to grade them
// with another grader. It keeps this run's seed, model, data, plan and source, so that sampling can
// continue there with a matching binding; ID and times are new. Grading is set: the grading clears
// it at the end.
func (r *Run) RegradeManifest(g *GraderInfo, binding map[string]string) Manifest {
	m := Manifest{Source: Import}
	if r.Manifest != nil {
		m = *r.Manifest
	}
	m.GradedFrom = cmp.Or(m.ID, filepath.Base(r.file))
	m.ID, m.Grader, m.Binding = "", g, maps.Clone(binding)
	m.Started, m.Ended, m.Grading = time.Time{}, time.Time{}, true
	m.Notes = slices.Clone(m.Notes)
	return m
}

// RegradeSource is a run whose rollouts another run, its heir, takes over to grade them with
// another grader.
type RegradeSource struct {
	Copied     int // rollouts with nothing to grade, which the heir has unchanged
	Ungradable int // of these, rollouts that had a grade although no output is recorded: the heir lacks their grade
	Left       int // rollouts that are still to be graded

	run  *Run
	opt  ReadOptions
	by   string           // the grader that graded them
	todo map[Key]takeover // the rollouts that the heir lacks
	done map[Key]takeover // those that its grader has graded, if it compares groups
}

// takeover is one rollout that the heir lacks.
type takeover struct {
	line    int // line of the record that counts
	attempt int // attempt in the heir
	grade   bool
}

// CopyForRegrade makes w the heir of the run from; w writes the run in dir, which was created with
// from.RegradeManifest. It appends the rollouts that have nothing to grade, copies the labels if
// the heir has none, and lists the rest. It skips what the heir already has, unless its grader
// failed there. With a size, the grader compares groups of size samples, and grades again what is
// graded of a group that lacks a grade. The rollouts are read up to twice; memory grows with their
// number, not with their text.
func CopyForRegrade(ctx context.Context, from *Run, opt ReadOptions, dir string, w *Writer, size int,
) (*RegradeSource, error) {
	heir, err := Open(dir)
	if err != nil {
		return nil, err
	}
	f := &RegradeSource{run: from, opt: opt, by: "unknown", todo: make(map[Key]takeover)}
	if size > 0 {
		f.done = make(map[Key]takeover)
	}
	if from.Manifest != nil && from.Manifest.Grader != nil {
		f.by = from.Manifest.Grader.String()
	}
	if err := copyLabels(from, heir, w.opt.Redact); err != nil {
		return nil, err
	}
	state, _, err := heir.State(ctx)
	if err != nil {
		return nil, err
	}
	f.opt.Lean = false // messages may record an empty reply
	if _, err := from.Records(ctx, f.opt, func(rec *Record) error {
		f.plan(rec, state)
		return nil
	}); err != nil {
		return nil, err
	}
	if size > 0 {
		left := maps.Clone(f.todo)
		maps.DeleteFunc(left, func(_ Key, t takeover) bool { return !t.grade })
		addGroups(left, f.done, size)
		maps.Copy(f.todo, left)
	}
	return f, f.copyRest(ctx, w)
}

// plan decides what to do with a rollout. A later call for the same rollout replaces the earlier
// one.
func (f *RegradeSource) plan(rec *Record, state map[Key]RolloutState) {
	done, ok := state[rec.Key()]
	t := takeover{line: rec.Line, attempt: rec.Attempt, grade: rec.gradable()}
	switch {
	case ok && (!t.grade || done.Outcome != GraderFailed):
		delete(f.todo, rec.Key())
		if t.grade && f.done != nil {
			t.attempt = done.Attempt + 1
			f.done[rec.Key()] = t
		}
		return
	case ok:
		t.attempt = done.Attempt + 1
	}
	f.todo[rec.Key()] = t
}

// gradable reports whether there is an output to grade. An empty reply counts if it was submitted
// to a grader, and the finish or the messages record it; a lean read has no messages. Without a
// grade, an empty reply is the model's own failure.
func (r *Record) gradable() bool {
	if r.Outcome.Missing() && r.Outcome != GraderFailed {
		return false
	}
	asked := r.Outcome == Graded || r.Outcome == GraderFailed
	replied := r.Finish != ""
	if n := len(r.Messages); n > 0 {
		replied = replied || r.Messages[n-1].Role == "assistant" || r.Messages[n-1].Role == "tool"
	}
	return r.Answer != "" || len(r.Calls) > 0 && asked || replied && (asked || r.Reward != nil)
}

// copyRest appends the rollouts that have nothing to grade.
func (f *RegradeSource) copyRest(ctx context.Context, w *Writer) error {
	for _, t := range f.todo {
		if t.grade {
			f.Left++
		} else {
			f.Copied++
		}
	}
	if f.Copied == 0 {
		return nil
	}
	_, err := f.run.Records(ctx, f.opt, func(rec *Record) error {
		t, ok := f.todo[rec.Key()]
		if !ok || t.grade || t.line != rec.Line {
			return nil
		}
		if rec.Reward != nil {
			f.Ungradable++
			rec = f.renewed(rec, t.attempt)
			rec.Outcome, rec.Error = GraderFailed, "no output is recorded that could be graded again"
		}
		return w.Append(rec)
	})
	return err
}

// Records yields the rollouts to grade, in the order of the file, each once: copies without a
// grade, with the former grade in Earlier and the attempt for the heir. An error ends the sequence.
func (f *RegradeSource) Records(ctx context.Context) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		enough := errors.New("the caller has enough")
		_, err := f.run.Records(ctx, f.opt, func(rec *Record) error {
			t := f.todo[rec.Key()]
			if t.grade && t.line == rec.Line && !yield(f.renewed(rec, t.attempt), nil) {
				return enough
			}
			return nil
		})
		if err != nil && err != enough {
			yield(nil, err)
		}
	}
}

// renewed returns a copy of a record with its grade moved to Earlier.
func (f *RegradeSource) renewed(rec *Record, attempt int) *Record {
	c := *rec
	c.Attempt = attempt
	c.Earlier = append(slices.Clone(rec.Earlier), Earlier{
		Grader: f.by, Outcome: rec.Outcome, Error: rec.Error, Reward: rec.Reward, Grades: rec.Grades, Parts: rec.Parts,
	})
	c.Kind, c.Reward, c.Grades, c.Parts, c.Clipped, c.GroupSize = "", nil, nil, nil, false, 0
	c.Judge, c.JudgeCalls = Usage{}, 0
	return &c
}

// copyLabels copies people's labels: they are about the outputs, no matter which grader is used.
func copyLabels(from, heir *Run, redact *Redactor) error {
	path := filepath.Join(heir.Dir, LabelsFile)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	was, ok := from.neighbour(LabelsFile)
	if !ok {
		return nil
	}
	text, err := disk.ReadFile(was)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("copy labels: %w", err)
	}
	if looksLikeJSON(bytes.TrimPrefix(text, []byte(byteOrderMark))) {
		return disk.WriteFile(path, redact.JSON(text))
	}
	return disk.WriteFile(path, redact.bytes(text))
}
