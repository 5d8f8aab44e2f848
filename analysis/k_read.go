package analysis

import (
	"context"
	"path/filepath"

	"gonogo/sampler/rollout"
)

// beside reads what lies beside the rollouts of a run directory: the audit's
// records and people's labels. A single file of rollouts has no neighbours.
func (c *collector) beside(ctx context.Context, run *rollout.Run) error {
	c.most = run.Manifest.Everywhere()
	if filepath.Base(run.File()) != rollout.RolloutsFile {
		return nil
	}
	if _, err := run.Probes(ctx, c.addProbe); err != nil {
		return err
	}
	c.audit.settle()
	labels, err := run.Labels()
	c.people = labels
	return err
}
