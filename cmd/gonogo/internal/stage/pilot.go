package stage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// SamplePilot makes what a run directory of run's pilot lacks: rollouts of p's items. A server's
// address does not bind it: a restarted server may have another port. before is shown before the
// estimate, unless nothing is lacking.
func SamplePilot(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run,
	dir, note, before string,
) error {
	if err := disk.CheckRegularDir(filepath.Dir(dir)); err != nil {
		return exit.AsUsage(err)
	}
	if err := disk.CheckRegularDir(dir); err != nil {
		return exit.AsUsage(err)
	}
	if err := p.Reachable(ctx, p.Endpoints()); err != nil {
		return errors.New(err.Error()) // a failed endpoint is no mistake of the call
	}
	if err := readyAgain(ctx, p, c, dir); err != nil {
		return err
	}
	m := p.Manifest(dir)
	if err := sameTools(run, p, m.Binding); err != nil {
		return err
	}
	delete(m.Binding, "model.base_url")
	m.Notes = append(m.Notes, note)
	err := makeRun(ctx, p, c, dir, m, func(w *rollout.Writer, rollouts []sampler.Rollout) (sampler.Stats, error) {
		if len(rollouts) > 0 && before != "" {
			fmt.Fprint(c.Err, before)
		}
		return confirmed(ctx, p, c, dir)(w, rollouts)
	})
	if err != nil {
		return err
	}
	return lostTooMany(ctx, p, c, dir)
}

// sameTools refuses MCP servers that offer something else than they did to the run, and a changed environment.
func sameTools(run *rollout.Run, p *project.Project, now map[string]string) error {
	differ := project.Differing(now, func(key, value string) bool {
		was, ok := run.Manifest.Binding[key]
		return (strings.HasPrefix(key, "tools.mcp.") || key == "environment.package") && (!ok || was != p.Redact.String(value))
	})
	if len(differ) == 0 {
		return nil
	}
	return exit.Usagef("%s was made with other tools or another environment (%s): new rollouts would not be comparable",
		run.Dir, strings.Join(differ, ", "))
}
