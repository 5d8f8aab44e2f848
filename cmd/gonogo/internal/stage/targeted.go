package stage

import (
	"context"
	"fmt"
	"strconv"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// MaxTargeted is the default maximum number of samples of an item whose class is open.
const MaxTargeted = 100

// targeted samples items whose class is open.
type targeted struct {
	rounds
	most int // maximum samples per item

	initial int    // number of items whose class was open before the first round
	summary string // one line about the outcome for them; "" while unknown
}

// sampleUndecided makes more rollouts of the items of a run whose class is open, group by group,
// until it is settled or the maximum is reached. They are not part of any mean or verdict: sampling
// items further because of their rewards would bias both.
func sampleUndecided(ctx context.Context, p *project.Project, c *project.Invocation, dir string) error {
	most, err := planOf(p, c, dir)
	if err != nil {
		return err
	}
	return makeRun(ctx, p, c, dir, p.Manifest(dir), func(w *rollout.Writer, _ []sampler.Rollout) (sampler.Stats, error) {
		t := targeted{rounds: rounds{p: p, c: c, dir: dir, writer: w}, most: most}
		stats, err := t.all(ctx)
		fmt.Fprint(c.Err, t.summary)
		return stats, err
	})
}

// planOf takes the number of samples of every item from the run itself.
func planOf(p *project.Project, c *project.Invocation, dir string) (most int, err error) {
	opened, err := rollout.OpenManifest(dir)
	if err != nil {
		return 0, exit.AsUsage(err)
	}
	if opened.Manifest == nil || opened.Manifest.Planned == nil {
		return 0, exit.Usagef("%s was not sampled by gonogo: --items-undecided continues a run that was", dir)
	}
	n := opened.Manifest.Planned.Samples
	s := &p.Config.Sampling
	s.Samples, s.EvalSamples, s.ProductionSamples = n[rollout.Train], n[rollout.Eval], n[rollout.Production]
	most = MaxTargeted
	if text := c.Sampling.MaxSamples; text != "" {
		if most, err = strconv.Atoi(text); err != nil || most < 1 {
			return 0, exit.Usagef("--max-samples %q: it is a number of rollouts per item", text)
		}
	}
	return most, nil
}

// all continues until no class is open that more samples may settle.
func (t *targeted) all(ctx context.Context) (sampler.Stats, error) {
	for first := true; ; first = false {
		split, open, err := t.open(ctx)
		if err != nil {
			return t.stats, err
		}
		rollouts, err := t.rollouts(ctx, split, open, t.p.Config.Training.GroupSize)
		if err != nil {
			return t.stats, err
		}
		if first {
			t.initial = len(open)
			err = t.confirm(ctx, split, open)
		}
		if err != nil || len(rollouts) == 0 {
			if err == nil && !first {
				t.summary = fmt.Sprintf("Of %s of %s whose class was open: %d settled, %d still open at %s or fewer of "+
					"each.\n",
					console.Count(t.initial, "item"), split, t.initial-len(open), len(open),
					console.Count(t.most, "sample"))
			}
			return t.stats, err
		}
		if err := t.mark(split, rollouts); err != nil {
			return t.stats, err
		}
		stats, err := sampleRollouts(ctx, t.p, t.c, t.dir, rollouts, t.writer)
		t.stats = t.stats.Plus(stats)
		if err != nil || stats.StoppedBy != "" {
			return t.stats, err
		}
	}
}

// open lists the items of the run whose class is open now.
func (t *targeted) open(ctx context.Context) (rollout.Split, []analysis.ItemResult, error) {
	opened, err := rollout.OpenManifest(t.dir)
	if err != nil {
		return "", nil, err
	}
	settings := t.p.Config.Settings()
	settings.Boot = 0 // no class depends on it
	result, err := output.Analyze(ctx, t.c, opened, settings)
	if err != nil {
		return "", nil, err
	}
	split, open := result.OpenItems()
	if split == "" {
		return "", nil, exit.Usagef("%s has no split to train on: classes show what to train on", t.dir)
	}
	return split, open, nil
}

// rollouts lists the next rollouts of the open items, at most more per item.
func (t *targeted) rollouts(ctx context.Context, split rollout.Split, open []analysis.ItemResult,
	more int,
) ([]sampler.Rollout, error) {
	want := make(map[string]int, len(open))
	for _, it := range open {
		have := it.N + it.Missing + it.Targeted
		enough := have + 1
		if it.SamplesToTell != nil {
			enough = max(enough, *it.SamplesToTell)
		}
		want[it.Item] = min(t.most, enough, have+more)
	}
	all, err := rolloutsFor(ctx, t.p, t.dir, func(it *rollout.Item) int {
		if it.Split != split {
			return 0
		}
		return want[it.ID]
	})
	var rollouts []sampler.Rollout
	common := t.p.Samples()[split]
	for _, next := range all {
		if next.Sample >= common { // samples that every item gets are not made here
			rollouts = append(rollouts, next)
		}
	}
	return rollouts, err
}

// mark records that these rollouts are targeted, before the first one is made.
func (t *targeted) mark(split rollout.Split, rollouts []sampler.Rollout) error {
	return t.writer.Amend(func(m *rollout.Manifest) {
		planned := *m.Planned
		planned.Targeted = map[rollout.Split]int{split: m.Planned.Targeted[split]}
		for _, next := range rollouts {
			planned.Targeted[split] = max(planned.Targeted[split], next.Sample+1)
		}
		m.Planned = &planned
	})
}

// confirm says how many items are open, and asks for confirmation as for other rollouts.
func (t *targeted) confirm(ctx context.Context, split rollout.Split, open []analysis.ItemResult) error {
	rollouts, err := t.rollouts(ctx, split, open, t.most)
	if err != nil {
		return err
	}
	if len(rollouts) == 0 {
		fmt.Fprintf(t.c.Err, "No item has an open class that %s could settle.\n", console.Count(t.most, "sample"))
		return nil
	}
	fmt.Fprintf(t.c.Err, "The class of %s of %s is open. Their new rollouts count only for their class.\n",
		console.Count(len(open), "item"), split)
	t.p.Round = t.most
	defer func() { t.p.Round = 0 }()
	return confirmStart(ctx, t.p, t.c, t.dir, rollouts)
}

// checkTargetedFlags refuses flags that have no meaning with --items-undecided.
func checkTargetedFlags(c *project.Invocation) error {
	if !c.Sampling.ItemsUndecided {
		return nil
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"until", c.Sampling.Until != ""},
		{"samples", c.Sampling.Samples != ""},
		{"variant", len(c.Sampling.Variant) > 0},
	} {
		if flag.set {
			return exit.Usagef("--items-undecided continues with the samples that the run itself has: leave --%s out",
				flag.name)
		}
	}
	return nil
}
