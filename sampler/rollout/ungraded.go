package rollout

import (
	"context"
	"errors"
	"iter"
)

// Ungraded holds the rollouts of a run whose output is recorded and of which only the grade is
// missing.
type Ungraded struct {
	run   *Run
	lines map[Key]int // line of the record that counts
}

// Ungraded finds the ungraded rollouts of a run. cutOff leaves out those whose grading failed: only
// the kind KindUngraded remains. A run without rollouts has none.
func (r *Run) Ungraded(ctx context.Context, cutOff bool) (*Ungraded, error) {
	u := &Ungraded{run: r, lines: make(map[Key]int)}
	_, err := r.Records(ctx, ReadOptions{Lean: true}, func(rec *Record) error {
		delete(u.lines, rec.Key())
		if rec.Outcome == GraderFailed && rec.gradable() && (!cutOff || rec.Kind == KindUngraded) {
			u.lines[rec.Key()] = rec.Line
		}
		return nil
	})
	if errors.Is(err, ErrNoRecords) {
		err = nil
	}
	return u, err
}

// Len returns the number of rollouts.
func (u *Ungraded) Len() int { return len(u.lines) }

// Records yields each rollout once, in the order of the file, as its next attempt. It ignores what
// is appended to the file meanwhile. An error ends the sequence.
func (u *Ungraded) Records(ctx context.Context) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		enough := errors.New("the caller has enough")
		_, err := u.run.Records(ctx, ReadOptions{}, func(rec *Record) error {
			if u.lines[rec.Key()] != rec.Line {
				return nil
			}
			c := *rec
			c.Attempt++
			if !yield(&c, nil) {
				return enough
			}
			return nil
		})
		if err != nil && err != enough {
			yield(nil, err)
		}
	}
}
