package stage

import (
	"context"
	"errors"
	"iter"

	"gonogo/analysis/compare"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

// mostGradedAgain bounds a sample of outputs that are graded again: one an item.
const mostGradedAgain = 60

// GradeSample has the project's grader grade some outputs of a run again, the first of
// each item of a split, and returns both grades. Nothing is written. A grader that works
// in the rollout's session has nothing left to grade: none.
func GradeSample(ctx context.Context, p *project.Project, c *project.Call, run *rollout.Run, split rollout.Split) ([]compare.Regraded, error) {
	if p.Bounds.Grader == nil || len(grader.SessionReads(p.Bounds.Grader)) > 0 {
		return nil, nil
	}
	sample := make(map[rollout.Key]*rollout.Record)
	var order []rollout.Key
	_, err := run.Records(ctx, rollout.ReadOptions{}, func(r *rollout.Record) error {
		of := rollout.Key{Split: r.Split, Item: r.Item}
		had, known := sample[of], sample[of] != nil
		switch {
		case r.Split != split || r.Outcome != rollout.Graded || r.Reward == nil || r.Answer == "":
		case known && (r.Sample > had.Sample || r.Sample == had.Sample && r.Attempt < had.Attempt), !known && len(order) == mostGradedAgain:
		default:
			if !known {
				order = append(order, of)
			}
			sample[of] = r
		}
		return nil
	})
	if err != nil || len(order) == 0 {
		return nil, err
	}
	again := gradedAgain{}
	_, err = gradeRecorded(ctx, p, c, run, len(order), true, func(context.Context) iter.Seq2[*rollout.Record, error] {
		return func(yield func(*rollout.Record, error) bool) {
			for _, of := range order {
				rec := *sample[of]
				rec.Grades = nil
				if !yield(&rec, nil) {
					return
				}
			}
		}
	}, 1, again)
	var out []compare.Regraded
	for _, of := range order {
		if now, ok := again[of]; ok {
			out = append(out, compare.Regraded{Item: of.Item, Before: *sample[of].Reward, After: now})
		}
	}
	return out, errors.Join(err, ctx.Err())
}

// gradedAgain keeps the grades of a sample.
type gradedAgain map[rollout.Key]float64

func (g gradedAgain) Append(r *rollout.Record) error {
	if r.Outcome == rollout.Graded && r.Reward != nil {
		g[rollout.Key{Split: r.Split, Item: r.Item}] = *r.Reward
	}
	return nil
}
