package output

import (
	"context"
	"fmt"
	"path/filepath"

	"gonogo/analysis"
	"gonogo/analysis/archive"
	"gonogo/analysis/compare"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler/rollout"
)

// Compare compares a new run with a base run on these splits, by default all, by the settings of the
// new run, else of the base.
func Compare(ctx context.Context, c *project.Invocation, base, next *rollout.Run, splits ...rollout.Split) (
	*compare.Comparison, error,
) {
	manifest := next.Manifest
	if manifest == nil || len(manifest.Config) == 0 && base.Manifest != nil {
		manifest = base.Manifest
	}
	settings, err := project.SettingsFor(c, manifest)
	if err != nil {
		return nil, err
	}
	defer SaveMemory()()
	read := rollout.ReadOptions{OnConflict: rollout.Conflict(c.OnConflict)}
	comparison, err := compare.Runs(ctx, base, next, read, settings, splits...)
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	comparison.AddVerdicts(ownResult(c, base), ownResult(c, next))
	return comparison, comparison.Attribute(ctx, base, next, read, nil)
}

// ownResult returns the stored result of a run; nil if it was not analyzed, or has grown since. A
// result that cannot be read is only noted: the comparison works without it.
func ownResult(c *project.Invocation, run *rollout.Run) *analysis.Result {
	if filepath.Base(run.File()) != rollout.RolloutsFile {
		return nil // a file of its own
	}
	r, err := archive.ReadResult(run.Dir)
	if err != nil {
		fmt.Fprintf(c.Err, "note: the verdict of %s is left out: %v\n", run.Dir, err)
	}
	return r
}
