package collect

import (
	"context"
	"fmt"
	"unicode/utf8"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Counted is a rollout with what it counts for.
type Counted struct {
	*rollout.Record

	// what it adds to the means: its reward, or the bottom of the range for a failure of its own; nil if it is missing
	Score    *float64
	Zeroed   bool // a detector took it to the bottom of the range
	At       int  // the line it is on, also where the record does not tell
	Targeted bool // beyond the samples of every item: it counts for the item's class alone
}

// WithoutTexts returns the rollout without what was said in it, as far as tables show it, and
// without the way to it.
func (n Counted) WithoutTexts() Counted {
	rec := *n.Record
	rec.TraceID, rec.Line = "", 0
	if rec.Error != "" {
		rec.Error = fmt.Sprintf("[%d characters]", utf8.RuneCountInString(rec.Error))
	}
	n.Record = &rec
	return n
}

// Rollouts reads the rollouts of a run and says what Analyze counts each for
// under the reward range rng. Like rollout.Run.Records it yields a rollout again
// where a later attempt replaces an earlier one. Messages and the outputs of
// calls are left out. Memory grows with the number of rollouts, not with text.
func Rollouts(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, rng stat.Range,
	yield func(Counted) error,
) (rollout.Input, error) {
	c := New(rng)
	if _, err := run.Probes(ctx, c.AddProbe); err != nil {
		return rollout.Input{}, err
	}
	most := run.Manifest.UntargetedSamples()
	read.Lean = true
	return run.Records(ctx, read, func(rec *rollout.Record) error {
		n := Counted{Record: rec, At: rec.Line}
		if given, ok := rec.Score(rng.Lo); ok {
			score, err := c.inRange(rec, given)
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
