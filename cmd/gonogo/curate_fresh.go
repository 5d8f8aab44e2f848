package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"gonogo/analysis/archive"
	"gonogo/analysis/curate"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
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

// freshProject returns a project with the job, the tools and the grader of the run, but its own
// seed: the run's seed would repeat its rollouts wherever chance depends on it.
func freshProject(ctx context.Context, c *curateOptions, run *rollout.Run, source *curated) (*project.Project, error) {
	if run.Manifest == nil || run.Manifest.Source != rollout.Live {
		return nil, exit.Usagef("%s was not sampled by gonogo: new rollouts would not be made as its own were", run.Dir)
	}
	cfg, err := freshConfig(c, run, source)
	if err != nil {
		return nil, exit.AsUsage(c.Invocation.ByFlag(err))
	}
	if err := sameSettings(run, cfg); err != nil {
		return nil, err
	}
	seed := rand.New(rand.NewPCG(run.Manifest.Seed, 0xf4e5)).Uint64()
	cfg.Seed = &seed
	// A built-in world must be served before anything is wired to it.
	world := project.NewUnwired(cfg)
	if err := project.RestartWorld(ctx, world, c.Err); err != nil {
		return nil, err
	}
	p, err := project.New(ctx, cfg)
	if err != nil {
		world.Close()
		return nil, err
	}
	p.CloseWith(world)
	return p, nil
}

// freshConfig returns the configuration given on the command line, else the one that the run was
// made with, for the training file only. A run stores no secrets: if it needs some, they come from
// the gonogo.yaml in the current directory.
func freshConfig(c *curateOptions, run *rollout.Run, source *curated) (*config.Config, error) {
	set := append(c.Overrides, "data.train="+source.data.Path, fmt.Sprintf("sampling.samples=%d", c.FreshSamples))
	load := func() (*config.Config, error) { return config.Inherited(run, set...) }
	if c.Config != "" || strings.Contains(string(run.Manifest.Config), credential.Mask) {
		path, err := project.ConfigPath(c.Invocation)
		if err != nil {
			return nil, fmt.Errorf("the run stores no secrets, but its job or its model needs some; %w", err)
		}
		load = func() (*config.Config, error) { return config.Peek(path, os.LookupEnv, set...) }
	}
	cfg, err := load()
	if err == nil {
		err = project.Trust(c.Invocation, run, cfg, config.Scope{Grader: true, Tools: true, Sampling: true})
	}
	if err != nil {
		return nil, err
	}
	if err := cfg.TrainOnly(); err != nil {
		return nil, err
	}
	return cfg, document.SortErrors([]error{cfg.Complete(), cfg.TakeKeys()})
}

// sameSettings refuses new rollouts made with other settings than the run's: they would differ in
// more than the samples.
func sameSettings(run *rollout.Run, cfg *config.Config) error {
	now := cfg.Binding()
	differ := project.Differing(run.Manifest.Binding, func(key, was string) bool {
		return key != "seed" && !strings.HasPrefix(key, "data.") && now[key] != was
	})
	if len(differ) == 0 {
		return nil
	}
	return exit.Usagef("the configuration %s differs from the one that %s was made with in %s: new rollouts would "+
		"not be comparable", cfg.File, run.Dir, strings.Join(differ, ", "))
}
