package stage

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

// Again says how items of a run are sampled again, with the run's own settings.
type Again struct {
	Invocation *project.Invocation
	Run        *rollout.Run
	Split      rollout.Split
	Data       string // the split's data file
	Samples    int    // per item
	// Stream makes the seed from the run's own, which would repeat its rollouts wherever chance depends
	// on it.
	Stream     uint64
	Checkpoint *config.Checkpoint // nil: the run's own model
}

// Project returns a project with the job, the tools and the grader of the run and the items of the
// data file. It has no audit, no variants and no subset.
func (a *Again) Project(ctx context.Context) (*project.Project, error) {
	if err := SampledHere(a.Run); err != nil {
		return nil, err
	}
	cfg, err := a.config()
	if err != nil {
		return nil, exit.AsUsage(a.Invocation.ByFlag(err))
	}
	seed := rand.New(rand.NewPCG(a.Run.Manifest.Seed, a.Stream)).Uint64()
	cfg.Seed = &seed
	// A built-in world must be served before anything is wired to it.
	world := project.NewUnwired(cfg)
	if err := project.RestartWorld(ctx, world, a.Invocation.Err); err != nil {
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

// SampledHere refuses a run that stores no configuration to sample with.
func SampledHere(run *rollout.Run) error {
	if run.Manifest == nil || run.Manifest.Source != rollout.Live {
		return exit.Usagef("%s was not sampled by gonogo: new rollouts would not be made as its own were", run.Dir)
	}
	return nil
}

// config returns the configuration given on the command line, else the one that the run was made
// with, for one data file only. A run stores no secrets: if it needs some, they come from the
// gonogo.yaml in the current directory.
func (a *Again) config() (*config.Config, error) {
	set := slices.Concat(a.Invocation.Overrides, []string{
		fmt.Sprintf("data.%s=%s", a.Split, a.Data),
		fmt.Sprintf("sampling.samples=%d", a.Samples), fmt.Sprintf("sampling.eval_samples=%d", a.Samples),
	})
	load := func() (*config.Config, error) { return config.Inherited(a.Run, set...) }
	if a.Invocation.Config != "" || strings.Contains(string(a.Run.Manifest.Config), credential.Mask) {
		path, err := project.ConfigPath(a.Invocation)
		if err != nil {
			return nil, fmt.Errorf("the run stores no secrets, but its job or its model needs some; %w", err)
		}
		load = func() (*config.Config, error) { return config.Peek(path, os.LookupEnv, set...) }
	}
	scope := config.Scope{Grader: true, Tools: true, Sampling: true}
	cfg, err := load()
	if err == nil {
		// A checkpoint's address comes from the command line.
		scope.Sampling = a.Checkpoint == nil || cfg.Agent.Used()
		err = project.Trust(a.Invocation, a.Run, cfg, scope)
	}
	if err != nil {
		return nil, err
	}
	if err := cfg.Only(a.Split); err != nil {
		return nil, err
	}
	if a.Checkpoint != nil {
		cfg, err = a.Checkpoint.Complete(cfg)
	} else {
		err = document.SortErrors([]error{cfg.Complete(), cfg.TakeKeys()})
	}
	if err != nil {
		return nil, err
	}
	return cfg, a.sameSettings(cfg)
}

// sameSettings refuses new rollouts made with other settings than the run's: they would differ in
// more than the samples. What MCP servers offer, and the environment's
// package, are not known yet.
func (a *Again) sameSettings(cfg *config.Config) error {
	now := cfg.Binding()
	differ := project.Differing(a.Run.Manifest.Binding, func(key, was string) bool {
		free := key == "seed" || strings.HasPrefix(key, "data.") || strings.HasPrefix(key, "tools.mcp.") || key == "environment.package" ||
			a.Checkpoint != nil && (key == "model.name" || key == "model.base_url")
		return !free && now[key] != was
	})
	if len(differ) == 0 {
		return nil
	}
	return exit.Usagef("the configuration %s differs from the one that %s was made with in %s: new rollouts would "+
		"not be comparable", cfg.File, a.Run.Dir, strings.Join(differ, ", "))
}
