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
// the kind KindUngraded remains. With a size, the grader compares groups of size samples: a
// group that lacks a grade, or was graded when it had other members, is graded again whole. A run without
// rollouts has none.
func (r *Run) Ungraded(ctx context.Context, cutOff bool, size int) (*Ungraded, error) {
	u := &Ungraded{run: r, lines: make(map[Key]int)}
	others, members, gradedWith := make(map[Key]int), make(map[Key]int), make(map[Key]int)
	_, err := r.Records(ctx, ReadOptions{Lean: true, SkipPrompts: true}, func(rec *Record) error {
		delete(u.lines, rec.Key())
		delete(others, rec.Key())
		switch {
		case rec.Outcome == GraderFailed && rec.gradable() && (!cutOff || rec.Kind == KindUngraded):
			u.lines[rec.Key()] = rec.Line
		case size > 0 && rec.gradable():
			others[rec.Key()], gradedWith[rec.Key()] = rec.Line, rec.GroupSize
		}
		return nil
	})
	if size > 0 {
		for _, some := range []map[Key]int{u.lines, others} {
			for key := range some {
				members[key.group(size)]++
			}
		}
		for key, line := range others {
			if gradedWith[key] != members[key.group(size)] {
				u.lines[key] = line
				delete(others, key)
			}
		}
		addGroups(u.lines, others, size)
	}
	if errors.Is(err, ErrNoRecords) {
		err = nil
	}
	return u, err
}

// addGroups adds to some rollouts the others of their groups.
func addGroups[T any](some, others map[Key]T, size int) {
	if len(others) == 0 {
		return
	}
	groups := make(map[Key]bool)
	for key := range some {
		groups[key.group(size)] = true
	}
	for key, t := range others {
		if groups[key.group(size)] {
			some[key] = t
		}
	}
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
			c.Reward, c.Grades = nil, nil // of another group
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
