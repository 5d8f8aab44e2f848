package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// PilotDir is the directory, in a run, of what gonogo pilot samples and writes.
const PilotDir = "pilot"

// CheckpointDir returns the run directory of the eval items sampled from the checkpoint of a step.
func CheckpointDir(run string, step int) string {
	return filepath.Join(run, PilotDir, "step-"+strconv.Itoa(step))
}

// PilotBaseDir returns the run directory of the base model's rollouts of the items that a training
// showed.
func PilotBaseDir(run string) string { return filepath.Join(run, PilotDir, "base") }

// SampleCheckpoint makes the rollouts of the eval items that a look at a checkpoint lacks, into
// CheckpointDir. p has the items and asks the checkpoint. before is shown before the estimate.
func SampleCheckpoint(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run, step int,
	before string,
) error {
	note := fmt.Sprintf("eval items of the run %s, sampled from its checkpoint after step %d", nameOf(run), step)
	return samplePilot(ctx, p, c, run, CheckpointDir(run.Dir, step), note, before)
}

// SampleShown makes the rollouts of the base model that shown items lack, into PilotBaseDir. p has
// the items.
func SampleShown(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run) error {
	note := "items that the training of the run " + nameOf(run) + " showed, sampled from the base model"
	return samplePilot(ctx, p, c, run, PilotBaseDir(run.Dir), note, "")
}

func nameOf(run *rollout.Run) string { return cmp.Or(run.Manifest.ID, run.Dir) }

// samplePilot makes what a run directory of a pilot lacks. A server's address does not bind it: a
// restarted server may have another port.
func samplePilot(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run,
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
	return makeRun(ctx, p, c, dir, m, func(w *rollout.Writer, rollouts []sampler.Rollout) (sampler.Stats, error) {
		if len(rollouts) > 0 && before != "" {
			fmt.Fprint(c.Err, before)
		}
		return confirmed(ctx, p, c, dir)(w, rollouts)
	})
}

// sameTools refuses MCP servers that offer something else than they did to the run.
func sameTools(run *rollout.Run, p *project.Project, now map[string]string) error {
	differ := project.Differing(now, func(key, value string) bool {
		was, ok := run.Manifest.Binding[key]
		return strings.HasPrefix(key, "tools.mcp.") && (!ok || was != p.Redact.String(value))
	})
	if len(differ) == 0 {
		return nil
	}
	return exit.Usagef("%s was made with other tools (%s): new rollouts would not be comparable", run.Dir,
		strings.Join(differ, ", "))
}
