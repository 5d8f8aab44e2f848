package analysis

import (
	"context"
	"errors"
	"slices"

	"gonogo/sampler/rollout"
)

// leaks measures the leaks of all splits; nil where nobody looked.
func (c *evidence) leaks(items []*item, conf float64) *Leaks {
	m := measure{c: c, items: items}
	l := &Leaks{Items: []string{}, Examples: []LeakExample{}}
	l.Share = m.share(conf, func(r *row) (leaking, telling float64) {
		if r.met == nil {
			return 0, 0
		}
		l.Rollouts++
		if len(r.met.leaks) > 0 {
			l.Leaking++
			leaking = 1
		}
		return leaking, 1
	})
	if l.Rollouts == 0 {
		return nil
	}
	l.Share.N = l.Rollouts
	m.records(func(r *row) {
		if r.met == nil || len(r.met.leaks) == 0 {
			return
		}
		if len(l.Items) < itemsListed && !slices.Contains(l.Items, r.key.Item) {
			l.Items = append(l.Items, r.key.Item)
		}
		if len(l.Examples) < leaksListed { // one of each, so that they are of many
			k := r.met.leaks[0]
			l.Examples = append(l.Examples, LeakExample{RolloutName: RolloutName{r.key.Split, r.key.Item, r.key.Sample, r.attempt}, At: clip(k.At, causeLength), Canary: clip(k.Canary, causeLength)})
		}
	})
	return l
}

// resolveLeaks finds the rollouts of the run whose canaries the examples hold. It reads the
// run once more: only few leak, and the others need not be kept in mind for them.
func resolveLeaks(ctx context.Context, l *Leaks, run *rollout.Run, read rollout.ReadOptions) error {
	if l == nil || len(l.Examples) == 0 {
		return nil
	}
	wanted := make(map[string]*RolloutName)
	for _, x := range l.Examples {
		wanted[x.Canary] = nil
	}
	left, enough := len(wanted), errors.New("all are found")
	_, err := run.Records(ctx, read, func(rec *rollout.Record) error {
		canary := rollout.Canary(rec.TraceID)
		if of, asked := wanted[canary]; !asked || of != nil {
			return nil
		}
		wanted[canary] = &RolloutName{rec.Split, rec.Item, rec.Sample, rec.Attempt}
		if left--; left == 0 {
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
