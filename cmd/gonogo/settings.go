package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/sampler/dataset"
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
	s := cfg.judging(m)
	return s, asUsage(s.Validate())
}

// judging are the settings of a verdict on the run, with what it requires.
func (c *config) judging(m *rollout.Manifest) analysis.Settings {
	s := c.settings()
	if s.Require = c.Require; s.Require == nil {
		s.Require = analysis.DefaultRequire(m)
	}
	return s
}

// configFor is the configuration that the command line names, else the one in
// the run's manifest, and the flags over it. It is good for analysing.
func configFor(c *call, m *rollout.Manifest) (*config, error) {
	var cfg *config
	var err error
	if path := c.Config; path == "" && m != nil && len(m.Config) > 0 {
		cfg, err = configOf(rollout.ManifestFile, m.Config)
	} else {
		cfg, err = peekConfig(path, os.LookupEnv)
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
		err = cfg.set(name, value)
	}
	if err != nil {
		return nil, asUsage(c.byFlag(err))
	}
	return cfg, nil
}

// settingKey maps the name of a threshold, one that it had before, or one spelt much
// like it, to its key; other names are keys already.
func settingKey(name string) string {
	var thresholds []string
	for _, t := range analysis.ThresholdTable() {
		if t.Name == name { // also one below a key, such as grader.hackable
			return "thresholds." + name
		}
		thresholds = append(thresholds, t.Name)
	}
	_, like := dataset.Suggest(name, thresholds)
	isKey := slices.ContainsFunc(keys(), func(k key) bool { return name == k.Path || strings.HasPrefix(name, k.Path+".") })
	if !isKey && (like || analysis.MovedThreshold(name) != nil) {
		return "thresholds." + name
	}
	return name
}

// settings are what the analysis takes from the configuration.
func (c *config) settings() analysis.Settings {
	s := analysis.DefaultSettings()
	s.GroupSize, s.WantedShare = c.Training.GroupSize, c.Training.WantedShare
	s.Normalize = c.Trainer.Normalize
	s.BatchSize, s.Epochs = c.Training.BatchSize, c.Training.Epochs
	s.Prices = c.prices()
	s.RewardRange = stat.Range{Lo: c.RewardRange[0], Hi: c.RewardRange[1]}
	s.Ceiling, s.PassThreshold = c.Ceiling, c.PassThreshold
	s.Thresholds, s.Core = c.Thresholds, c.Audit.Core
	s.Reference = c.reference()
	return s
}

// didYouMean suggests the name that was probably meant, as the end of a
// sentence.
func didYouMean(mistyped string, names []string) string {
	if name, ok := dataset.Suggest(mistyped, names); ok {
		return fmt.Sprintf(", did you mean %s?", name)
	}
	return ""
}

// choices ends a message about a name that is none of these.
func choices(mistyped string, names []string) string {
	if hint := didYouMean(mistyped, names); hint != "" {
		return hint + " There are " + strings.Join(names, ", ")
	}
	return "; there are " + strings.Join(names, ", ")
}
