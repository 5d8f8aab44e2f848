package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
	"gonogo/sampler/rollout"
)

// Trust refuses to use the configuration stored in a run directory without --trust-run: whoever
// made the directory chose which programs run on this machine, and where its variables are sent. A
// built-in world's own programs and requests need no trust.
func Trust(c *Invocation, run *rollout.Run, cfg *config.Config, r config.Scope) error {
	if !cfg.FromRun || c.TrustRun {
		return nil
	}
	list := config.Actions(cfg, r)
	if known := builtIn(cfg.World); known != nil {
		expected := config.Actions(known, config.Scope{Grader: true, Detectors: true, Tools: true, Sampling: true})
		list = slices.DeleteFunc(list, func(act string) bool { return slices.Contains(expected, act) })
	}
	if len(list) == 0 {
		return nil
	}
	return exit.Usagef("gonogo %s would act on the configuration inside %s, which may come from someone else. It "+
		"would\n  %s\nName your own configuration with --config, or agree with --trust-run",
		c.Command, run.Dir, strings.Join(list, "\n  "))
}

// builtIn returns the configuration of a built-in world; nil if there is no such world.
func builtIn(name string) *config.Config {
	world, err := fixtures.Find(name)
	if name == "" || err != nil {
		return nil
	}
	dir, err := os.MkdirTemp("", "gonogo-world-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	if world.Write(dir) != nil {
		return nil
	}
	cfg, err := config.Peek(filepath.Join(dir, "gonogo.yaml"), func(string) (string, bool) { return "", false })
	if err != nil {
		return nil
	}
	return cfg
}
