package stage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gonogo/analysis/judge"
	"gonogo/analysis/measure"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// untilDecided reports whether sampling should end when the verdict is decided.
func untilDecided(c *project.Invocation) (bool, error) {
	until := c.Sampling.Until
	switch {
	case until == "" && c.Sampling.MaxSamples != "" && !c.Sampling.ItemsUndecided:
		return false, exit.Usagef("--max-samples %s goes with --until decided; --samples sets a fixed number",
			c.Sampling.MaxSamples)
	case until == "":
		return false, nil
	case until != "decided":
		return false, exit.Usagef("--until %q: the only value is decided", until)
	case c.Sampling.Samples != "":
		return false, exit.Usagef("--until decided finds how many samples are needed: limit them with --max-samples, " +
			"without --samples")
	}
	return true, nil
}

// sampleUntil makes whole rounds of rollouts and judges the run after each, until the verdict is
// decided or the maximum of samples is reached. An interrupted call is resumed in its round, under
// the original plan.
func sampleUntil(ctx context.Context, p *project.Project, c *project.Invocation, dir string) error {
	plan, err := lookPlan(p, dir)
	if err != nil {
		return err
	}
	ahead := plan.At
	if last := plan.Last(); last != nil {
		ahead = plan.At[slices.Index(plan.At, last.Samples)+1:]
		if plan.Ended != "" { // rollouts that failed at endpoints are repeated and judged again
			ahead = []int{last.Samples}
		}
	}
	p.Round = ahead[0]
	m := p.Manifest(dir)
	m.Looks = plan
	return makeRun(ctx, p, c, dir, m, func(w *rollout.Writer, _ []sampler.Rollout) (sampler.Stats, error) {
		p.Round = ahead[len(ahead)-1] // the estimate covers all rounds ahead
		rollouts, err := rolloutsOf(ctx, p, dir)
		if err == nil {
			err = confirmStart(ctx, p, c, dir, rollouts)
		}
		r := rounds{p: p, c: c, dir: dir, writer: w, plan: plan}
		for over := false; len(ahead) > 0 && !over && err == nil; ahead = ahead[1:] {
			over, err = r.one(ctx, ahead[0])
		}
		return r.stats, err
	})
}

// lookPlan returns the plan by which a run is sampled, or a new one for a run without rollouts.
func lookPlan(p *project.Project, dir string) (*rollout.Looks, error) {
	plan := measure.PlanLooks(p.Config.Sampling.Samples, p.Config.Settings())
	opened, err := rollout.OpenManifest(dir)
	if err != nil || opened.Manifest == nil {
		return plan, nil // no run yet, or one that Create will check
	}
	was := opened.Manifest.Looks
	switch info, err := os.Stat(filepath.Join(dir, rollout.RolloutsFile)); {
	case err != nil || info.Size() == 0:
		return plan, nil
	case was == nil:
		return nil, exit.Usagef("%s was sampled with a fixed number of samples, which may have been judged already: "+
			"name a new directory for --until decided", dir)
	case !slices.Equal(was.At, plan.At):
		return nil, exit.Usagef("%s is judged after %v samples per item, and --max-samples %d would judge it after "+
			"%v: a plan must not change once begun, or its error level would be spent twice; use --max-samples %d, or "+
			"name a new directory",
			dir, was.At, p.Config.Sampling.Samples, plan.At, was.At[len(was.At)-1])
	}
	return was, nil
}

// rounds is the state of sampling in rounds.
type rounds struct {
	p      *project.Project
	c      *project.Invocation
	dir    string
	writer *rollout.Writer
	plan   *rollout.Looks
	stats  sampler.Stats // of all rounds of this call
}

// one makes what the round lacks and looks at the verdict.
func (r *rounds) one(ctx context.Context, n int) (over bool, err error) {
	r.p.Round = n
	err = r.writer.Amend(func(m *rollout.Manifest) {
		planned := *m.Planned
		planned.Samples = r.p.Samples()
		m.Planned = &planned
	})
	if err != nil {
		return true, err
	}
	rollouts, err := rolloutsOf(ctx, r.p, r.dir)
	if err != nil {
		return true, err
	}
	if len(rollouts) == 0 {
		if err := gradeUngraded(ctx, r.p, r.c, r.dir, r.writer, false); err != nil {
			return true, err
		}
	} else {
		stats, err := sampleRollouts(ctx, r.p, r.c, r.dir, rollouts, r.writer)
		r.stats = r.stats.Plus(stats)
		if err != nil || stats.StoppedBy != "" {
			return true, err
		}
	}
	return r.look(ctx, n)
}

// look judges the run, records the look, and reports whether sampling ends.
func (r *rounds) look(ctx context.Context, n int) (over bool, err error) {
	opened, err := rollout.OpenManifest(r.dir)
	if err != nil {
		return true, err
	}
	opened.Manifest.Looks = r.plan.With(rollout.Look{Samples: n})
	settings := r.p.Config.Settings()
	settings.Boot = 0 // no verdict depends on it
	result, err := output.Analyze(ctx, r.c, opened, settings)
	if err != nil {
		return true, err
	}
	r.plan = judge.Look(r.plan, n, result)
	if err := r.writer.Amend(func(m *rollout.Manifest) { m.Looks = r.plan }); err != nil {
		return true, err
	}
	fmt.Fprintln(r.c.Err, console.LookText(r.plan, n, result))
	return r.plan.Ended != "", nil
}

// refuseSequentialRun refuses to continue with a fixed number of samples if a run is sampled until
// decided: rollouts made after a look only count by the plan.
func refuseSequentialRun(dir string) error {
	opened, err := rollout.OpenManifest(dir)
	if err != nil || opened.Manifest == nil || opened.Manifest.Looks == nil {
		return nil // no run yet, or one that Create will check
	}
	looks := opened.Manifest.Looks.At
	return exit.Usagef("%s is sampled until decided: say --until decided --max-samples %d again, or name another "+
		"directory", dir, looks[len(looks)-1])
}
