package collect

import (
	"context"
	"fmt"
	"unicode/utf8"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Counted is a rollout with its contribution to the estimates.
type Counted struct {
	*rollout.Record

	// its value in the means: its reward, or the bottom of the range for the model's own failure;
	// nil if it is missing
	Score    *float64
	Zeroed   bool // a detector lowered it to the bottom of the range
	At       int  // its line, even if the record does not hold it
	Targeted bool // beyond the samples of every item: it only counts for the item's class
}

// WithoutTexts returns the rollout without the texts that tables show, and without the trace id and
// line that lead to them.
func (n Counted) WithoutTexts() Counted {
	rec := *n.Record
	rec.TraceID, rec.Line = "", 0
	if rec.Error != "" {
		rec.Error = fmt.Sprintf("[%d characters]", utf8.RuneCountInString(rec.Error))
	}
	n.Record = &rec
	return n
}

// Rollouts reads the rollouts of a run with what Analyze counts them as under the reward range rng.
// Like rollout.Run.Records it yields a rollout again if a later attempt replaces an earlier one.
// Messages, their hashes and the outputs of calls are left out. Memory grows with the number of
// rollouts, not with text.
func Rollouts(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, rng stat.Range,
	yield func(Counted) error,
) (rollout.Input, error) {
	c := New(rng)
	if _, err := run.Probes(ctx, c.AddProbe); err != nil {
		return rollout.Input{}, err
	}
	most := run.Manifest.UntargetedSamples()
	read.Lean, read.SkipPrompts = true, true
	return run.Records(ctx, read, func(rec *rollout.Record) error {
		n := Counted{Record: rec, At: rec.Line}
		if reward, ok := rec.Score(rng.Lo); ok {
			score, err := c.inRange(rec, reward)
			if err != nil {
				return err
			}
			if n.Zeroed = c.Audit.zero[rec.Key()]; n.Zeroed {
				score = rng.Lo
			}
			n.Score = &score
		}
		samples, some := most[rec.Split]
		n.Targeted = some && rec.Sample >= samples
		return yield(n)
	})
}
