package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/rollout"
)

// analysisFlags are the settings of an analysis.
func analysisFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "config", Aliases: []string{"c"}, Usage: "take settings from `FILE`"},
		&cli.StringFlag{Name: "group-size", Usage: "`G`, the rollouts that the trainer compares with each other (default 8)"},
		&cli.StringFlag{Name: "reward-range", Usage: "bottom and top of the grader's rewards, as `LO,HI` (default 0,1)"},
		&cli.StringFlag{Name: "pass-threshold", Usage: "rewards at or above `X` count as passed"},
		&cli.StringSliceFlag{Name: "set", Usage: "`NAME=VALUE` for a threshold or any other key; may be repeated"},
		&cli.StringFlag{Name: "on-conflict", Usage: "of differing lines for one rollout take the `first|last`; without it they are an error"},
	}
}

// settingsFor resolves the settings of an analysis.
func settingsFor(c *call, m *rollout.Manifest) (analysis.Settings, error) {
	cfg, err := configFor(c, m)
	if err != nil {
		return analysis.Settings{}, err
	}
	s := cfg.JudgeSettings(m)
	return s, exit.AsUsage(s.Validate())
}

// configFor is the configuration that the command line names, else the one in
// the run's manifest, and the flags over it. It is good for analysing.
func configFor(c *call, m *rollout.Manifest) (*config.Config, error) {
	var cfg *config.Config
	var err error
	if path := c.Config; path == "" && m != nil && len(m.Config) > 0 {
		cfg, err = config.OfManifest(rollout.ManifestFile, m.Config)
	} else {
		cfg, err = config.Peek(path, os.LookupEnv)
	}
	for _, pair := range c.overrides {
		if err != nil {
			break
		}
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			err = fmt.Errorf("--set %q: write NAME=VALUE, such as signal.informative=0.2", pair)
			break
		}
		err = cfg.Assign(name, value)
	}
	if err != nil {
		return nil, exit.AsUsage(c.byFlag(err))
	}
	return cfg, nil
}
