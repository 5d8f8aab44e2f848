package project

import (
	"fmt"
	"os"
	"strings"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/rollout"
)

// SettingsFor resolves the settings of an analysis.
func SettingsFor(c *Call, m *rollout.Manifest) (analysis.Settings, error) {
	cfg, err := ConfigFor(c, m)
	if err != nil {
		return analysis.Settings{}, err
	}
	s := cfg.JudgeSettings(m)
	return s, exit.AsUsage(s.Validate())
}

// ConfigFor is the configuration that the command line names, else the one in
// the run's manifest, and the flags over it. It is good for analysing.
func ConfigFor(c *Call, m *rollout.Manifest) (*config.Config, error) {
	var cfg *config.Config
	var err error
	if path := c.Config; path == "" && m != nil && len(m.Config) > 0 {
		cfg, err = config.FromManifest(rollout.ManifestFile, m.Config)
	} else {
		cfg, err = config.Peek(path, os.LookupEnv)
	}
	for _, pair := range c.Overrides {
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
		return nil, exit.AsUsage(c.ByFlag(err))
	}
	return cfg, nil
}
