package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"gonogo/analysis/archive"
	"gonogo/analysis/curate"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/sampler/rollout"
)

// checkFresh refuses impossible combinations of flags, before anything is read.
func checkFresh(c *curateOptions) error {
	switch {
	case c.Fresh && c.FreshSamples < 2:
		return exit.Usagef("--fresh-samples %d: rewards of one item can differ from 2 samples on", c.FreshSamples)
	case c.Fresh && c.Report.Output == "" && c.FreshRun == "":
		return exit.Usagef("--fresh-samples needs --output, next to which it puts its run directory, or --fresh-run")
	case c.FreshRun != "" && !c.Fresh:
		return exit.Usagef("--fresh-run is where --fresh-samples puts its rollouts: say how many with --fresh-samples")
	}
	return nil
}

// freshDir returns the directory for the new rollouts.
func freshDir(c *curateOptions) string {
	return cmp.Or(c.FreshRun, strings.TrimSuffix(archive.CurationTable(c.Report.Output), ".csv")+"-fresh")
}

// measureAgain makes new rollouts of the kept items and compares them with those by which the items
// were chosen.
func measureAgain(ctx context.Context, c *curateOptions, run *rollout.Run, source *curated,
	chosen *curate.Curation,
) error {
	if !c.Fresh {
		return nil
	}
	items := chosen.KeptItems(source.data.Items)
	if len(items) == 0 {
		fmt.Fprintln(c.Err, "No kept item was sampled: there is nothing to measure again.")
		return nil
	}
	dir := freshDir(c)
	if stage.SamePath(run.Dir, dir) {
		return exit.Usagef("%s is the run that the rows were chosen by: name another directory with --fresh-run", dir)
	}
	p, err := freshProject(ctx, c, run, source)
	if err != nil {
		return err
	}
	defer p.Close()
	p.Inputs.Items = items
	if err := stage.SampleFresh(ctx, p, c.Invocation, run, dir); err != nil {
		return err
	}
	fresh, err := rollout.Open(dir)
	if err != nil {
		return err
	}
	chosen.Fresh, err = chosen.Remeasure(ctx, fresh, rollout.ReadOptions{})
	return err
}

// freshProject returns a project that makes new rollouts of the run's training items.
func freshProject(ctx context.Context, c *curateOptions, run *rollout.Run, source *curated) (*project.Project, error) {
	a := stage.Again{
		Invocation: c.Invocation, Run: run, Split: rollout.Train, Data: source.data.Path, Samples: c.FreshSamples,
		Stream: 0xf4e5,
	}
	return a.Project(ctx)
}
