package stage

import (
	"context"
	"fmt"

	"gonogo/cmd/gonogo/internal/project"
)

// readyAlone is what has to be ready here of a run that workers make: the audit of
// the grader.
func readyAlone(ctx context.Context, p *project.Project, c *project.Call, dir string) error {
	if !project.Audits(p, c) {
		return nil
	}
	if err := p.ReadyToAudit(ctx, c); err != nil {
		return fmt.Errorf("%w (the audit of the grader is made here, not by workers: --no-audit leaves it out)", err)
	}
	return triedBefore(ctx, p, c, dir)
}
