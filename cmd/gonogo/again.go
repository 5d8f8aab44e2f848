package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// again says how items of a run are sampled again, with the run's own settings.
type again struct {
	invocation *project.Invocation
	run        *rollout.Run
	split      rollout.Split
	data       string // the split's data file
	samples    int    // per item
	// stream makes the seed from the run's own, which would repeat its rollouts wherever chance depends
	// on it.
	stream     uint64
	checkpoint *config.Checkpoint // nil: the run's own model
}

// project returns a project with the job, the tools and the grader of the run and the items of the
// data file. It has no audit, no variants and no subset.
func (a *again) project(ctx context.Context) (*project.Project, error) {
	if err := sampledHere(a.run); err != nil {
		return nil, err
	}
	cfg, err := a.config()
	if err != nil {
		return nil, exit.AsUsage(a.invocation.ByFlag(err))
	}
	seed := rand.New(rand.NewPCG(a.run.Manifest.Seed, a.stream)).Uint64()
	cfg.Seed = &seed
	// A built-in world must be served before anything is wired to it.
	world := project.NewUnwired(cfg)
	if err := project.RestartWorld(ctx, world, a.invocation.Err); err != nil {
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

// sampledHere refuses a run that stores no configuration to sample with.
func sampledHere(run *rollout.Run) error {
	if run.Manifest == nil || run.Manifest.Source != rollout.Live {
		return exit.Usagef("%s was not sampled by gonogo: new rollouts would not be made as its own were", run.Dir)
	}
	return nil
}

// config returns the configuration given on the command line, else the one that the run was made
// with, for one data file only. A run stores no secrets: if it needs some, they come from the
// gonogo.yaml in the current directory.
func (a *again) config() (*config.Config, error) {
	set := slices.Concat(a.invocation.Overrides, []string{
		fmt.Sprintf("data.%s=%s", a.split, a.data),
		fmt.Sprintf("sampling.samples=%d", a.samples), fmt.Sprintf("sampling.eval_samples=%d", a.samples),
	})
	load := func() (*config.Config, error) { return config.Inherited(a.run, set...) }
	if a.invocation.Config != "" || strings.Contains(string(a.run.Manifest.Config), credential.Mask) {
		path, err := project.ConfigPath(a.invocation)
		if err != nil {
			return nil, fmt.Errorf("the run stores no secrets, but its job or its model needs some; %w", err)
		}
		load = func() (*config.Config, error) { return config.Peek(path, os.LookupEnv, set...) }
	}
	scope := config.Scope{Grader: true, Tools: true, Sampling: true}
	cfg, err := load()
	if err == nil {
		// A checkpoint's address comes from the command line.
		scope.Sampling = a.checkpoint == nil || cfg.Agent.Used()
		err = project.Trust(a.invocation, a.run, cfg, scope)
	}
	if err != nil {
		return nil, err
	}
	if err := cfg.Only(a.split); err != nil {
		return nil, err
	}
	if a.checkpoint != nil {
		cfg, err = a.checkpoint.Complete(cfg)
	} else {
		err = document.SortErrors([]error{cfg.Complete(), cfg.TakeKeys()})
	}
	if err != nil {
		return nil, err
	}
	return cfg, a.sameSettings(cfg)
}

// sameSettings refuses new rollouts made with other settings than the run's: they would differ in
// more than the samples. What MCP servers offer is not known yet.
func (a *again) sameSettings(cfg *config.Config) error {
	now := cfg.Binding()
	differ := project.Differing(a.run.Manifest.Binding, func(key, was string) bool {
		free := key == "seed" || strings.HasPrefix(key, "data.") || strings.HasPrefix(key, "tools.mcp.") ||
			a.checkpoint != nil && (key == "model.name" || key == "model.base_url")
		return !free && now[key] != was
	})
	if len(differ) == 0 {
		return nil
	}
	return exit.Usagef("the configuration %s differs from the one that %s was made with in %s: new rollouts would "+
		"not be comparable", cfg.File, a.run.Dir, strings.Join(differ, ", "))
}
