package rollout

import (
	"context"
	"errors"
	"iter"
)

// Ungraded are the rollouts of a run whose output is recorded and whose grade alone
// is missing.
type Ungraded struct {
	run   *Run
	lines map[Key]int // of the records that count
}

// Ungraded finds those of a run. cutOff leaves out those whose grading failed:
// what is left is of the kind KindUngraded. A run without rollouts has none.
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

// Len is how many there are.
func (u *Ungraded) Len() int { return len(u.lines) }

// Records yields each once, in the order of the file, as the next attempt of its
// rollout. What is appended to the file meanwhile is not among them. An error ends
// the sequence.
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
