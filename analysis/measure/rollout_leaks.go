package measure

import (
	"context"
	"errors"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// leaksListed is the maximum number of examples of rollouts that show another's canary.
const leaksListed = 10

// leaks measures the leaks of all splits; nil if they were not looked for.
func (c *evidence) leaks(items []*collect.Item, conf float64) *analysis.Leaks {
	m := Split{c: c, Items: items}
	l := &analysis.Leaks{Items: []string{}, Examples: []analysis.LeakExample{}}
	l.Share = m.share(conf, func(r *collect.Row) (leaking, telling float64) {
		check := r.Rare().Leak
		if check == nil {
			return 0, 0
		}
		l.Rollouts++
		if len(check.Leaks) > 0 {
			l.Leaking++
			leaking = 1
		}
		return leaking, 1
	})
	if l.Rollouts == 0 {
		return nil
	}
	l.Share.N = l.Rollouts
	m.records(func(r *collect.Row) {
		check := r.Rare().Leak
		if check == nil || len(check.Leaks) == 0 {
			return
		}
		l.Items = oneMore(l.Items, r.Of.ID, analysis.MaxItemsListed)
		if len(l.Examples) < leaksListed { // one per rollout, so that they show many rollouts
			k := check.Leaks[0]
			l.Examples = append(l.Examples,
				analysis.LeakExample{
					RolloutName: analysis.RolloutName{
						Split: r.Of.Split, Item: r.Of.ID,
						Sample: r.Sample, Attempt: r.Attempt(),
					}, At: wording.ClipBytes(k.At, collect.CauseLength),
					Canary: wording.ClipBytes(k.Canary, collect.CauseLength),
				})
		}
	})
	return l
}

// resolveLeaks finds the rollouts of the run whose canaries the examples contain. It reads the run
// once more: only a few leak, so the canaries of all others need not be kept in memory.
func resolveLeaks(ctx context.Context, l *analysis.Leaks, run *rollout.Run, read rollout.ReadOptions) error {
	if l == nil || len(l.Examples) == 0 {
		return nil
	}
	wanted := make(map[string]*analysis.RolloutName)
	for _, x := range l.Examples {
		wanted[x.Canary] = nil
	}
	remaining, enough := len(wanted), errors.New("all are found")
	_, err := run.Records(ctx, read, func(rec *rollout.Record) error {
		canary := rollout.Canary(rec.TraceID)
		if found, asked := wanted[canary]; !asked || found != nil {
			return nil
		}
		wanted[canary] = &analysis.RolloutName{
			Split: rec.Split, Item: rec.Item, Sample: rec.Sample,
			Attempt: rec.Attempt,
		}
		if remaining--; remaining == 0 {
			return enough
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		return err
	}
	for i := range l.Examples {
		l.Examples[i].Of = wanted[l.Examples[i].Canary]
	}
	return nil
}
