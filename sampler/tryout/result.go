package tryout

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// Result is how a grader graded answers that no model gave: the reference, an empty answer and a
// wrong one of each item.
type Result struct {
	Items    int       `json:"items"`             // drawn
	Of       int       `json:"of"`                // number of items in the data
	Tried    int       `json:"tried"`             // answers submitted to the grader, with or without a grade
	Planned  int       `json:"planned"`           // number of answers
	Skipped  string    `json:"skipped,omitempty"` // why nothing was graded
	Findings []Finding `json:"findings,omitempty"`

	References bool `json:"-"` // the answers include right ones
}

// Run submits the answers to the grader, as Try does. The caller sets Items and Of.
func (t Trial) Run(ctx context.Context, answers []sampler.Task) (r Result, err error) {
	r.Planned = len(answers)
	r.References = slices.ContainsFunc(answers, func(a sampler.Task) bool {
		return a.Record.Probe != nil &&
			isReference(a.Record)
	})
	r.Tried, r.Findings, err = t.Try(ctx, answers)
	if err == nil && r.Tried == 0 && len(r.Findings) == 0 && r.Planned > 0 {
		r.Skipped = fmt.Sprintf("it gave no grade within %v", Limit)
		if t.Group && len(grouped(answers)) == 0 {
			r.Skipped = "it compares the outputs of an item, and there is one answer to each"
		}
	}
	return r, err
}

// Blocking returns why the grader cannot be used; nil if it can.
func (r Result) Blocking() *Finding {
	for i := range r.Findings {
		if r.Findings[i].Blocking {
			return &r.Findings[i]
		}
	}
	return nil
}

// ByLine returns a Trial.Place for items that were read from files: FILE:LINE, or the id of an item
// that is not among them.
func ByLine(items []rollout.Item) func(*rollout.Record) string {
	return func(r *rollout.Record) string {
		for i := range items {
			if it := &items[i]; it.ID == r.Item && it.Split == r.Split && it.File != "" {
				return fmt.Sprintf("%s:%d", it.File, it.Line)
			}
		}
		return r.Item
	}
}

// errFound ends a reading that has found what it looks for.
var errFound = errors.New("found")

// AlreadyGraded reports whether the run in a directory has a rollout with a grade, so that its
// grader needs no trial. It stops reading at the first. A run that cannot be read has none.
func AlreadyGraded(ctx context.Context, dir string) bool {
	run, err := rollout.OpenManifest(dir)
	if err != nil {
		return false
	}
	_, err = run.Records(ctx, rollout.ReadOptions{Lean: true}, func(r *rollout.Record) error {
		if r.Reward != nil {
			return errFound
		}
		return nil
	})
	return errors.Is(err, errFound)
}
