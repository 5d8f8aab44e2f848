package stage

import (
	"cmp"
	"context"
	"fmt"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler/rollout"
)

// SampleFresh makes the new rollouts that dir still lacks.
func SampleFresh(ctx context.Context, p *project.Project, c *project.Call, run *rollout.Run, dir string) error {
	p.ShowWarnings(c.Err)
	if err := p.Reachable(ctx, p.Endpoints()); err != nil {
		return err
	}
	if err := p.Start(ctx); err != nil {
		return err
	}
	m := p.Manifest(dir)
	m.Notes = append(m.Notes, "new rollouts of the items that curating the run "+cmp.Or(run.Manifest.ID, run.Dir)+" kept: they measure what that choice flatters")
	writer, jobs, err := beginRollouts(ctx, p, dir, m)
	if err != nil {
		return exit.AsUsage(fmt.Errorf("%w (--fresh-run names another run directory)", err))
	}
	return confirmAndSample(ctx, p, c, dir, jobs, writer)
}
