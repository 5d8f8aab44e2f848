package project

import (
	"os"

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
		cfg, err = config.FromManifest(rollout.ManifestFile, m.Config, c.Overrides...)
	} else {
		cfg, err = config.Peek(path, os.LookupEnv, c.Overrides...)
	}
	if err != nil {
		return nil, exit.AsUsage(c.ByFlag(err))
	}
	return cfg, nil
}
