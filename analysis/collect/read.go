package collect

import (
	"context"
	"path/filepath"

	"gonogo/sampler/rollout"
)

// ReadAudit reads a run directory's audit records and people's labels. A single file of rollouts
// has none.
func (c *Collector) ReadAudit(ctx context.Context, run *rollout.Run) error {
	c.most = run.Manifest.UntargetedSamples()
	if filepath.Base(run.File()) != rollout.RolloutsFile {
		return nil
	}
	if _, err := run.Probes(ctx, c.AddProbe); err != nil {
		return err
	}
	c.Audit.Settle()
	labels, err := run.Labels()
	c.People = labels
	return err
}
