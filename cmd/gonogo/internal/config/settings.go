package config

import (
	"cmp"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

// JudgeSettings returns the analysis settings for a verdict on the run, including what the verdict
// requires.
func (c *Config) JudgeSettings(m *rollout.Manifest) analysis.Settings {
	s := c.Settings()
	if s.Require = c.Require; s.Require == nil {
		s.Require = analysis.DefaultRequire(m)
		if c.RewardOfAgent() { // there is no grader to try
			s.Require = slices.DeleteFunc(s.Require, func(stage string) bool { return stage == "audit" })
		}
	}
	return s
}

// Resamples is the number of bootstrap resamples, 0 for the analysis's default. Tests set it lower.
var Resamples int

// Settings returns the analysis settings in the configuration.
func (c *Config) Settings() analysis.Settings {
	s := analysis.DefaultSettings()
	s.Boot = cmp.Or(Resamples, s.Boot)
	s.Plan(c.Training, c.Trainer)
	s.Prices = c.TokenPrices()
	s.RewardRange = stat.Range{Lo: c.RewardRange[0], Hi: c.RewardRange[1]}
	s.Ceiling, s.PassThreshold = c.Ceiling, c.PassThreshold
	s.Thresholds, s.Core = c.Thresholds, c.Audit.Core
	s.ToolsOptional = c.Tools.Optional
	if p := c.Tools.ErrorPattern; p == noPattern {
		s.ToolErrors = ""
	} else if p != "" {
		s.ToolErrors = p
	}
	s.Reference = grader.ReferenceBy(c.Audit.Reference)
	return s
}

// noPattern is the value that disables the pattern.
const noPattern = "none"

// The names of groups of formats.
const (
	DefaultFormats = "usual"
	AllFormats     = "all"
)

// Language returns the language of the reports.
func (v ReportValues) Language() message.Language {
	l, err := message.LanguageByTag(v.Lang)
	if err != nil {
		panic(err) // the configuration was validated
	}
	return l
}

// CheckFont checks that the configured font can be read.
func (c *Config) CheckFont() error {
	if err := report.CheckFont(c.Report.Font); err != nil {
		return c.Fault("report.font", "%v", err)
	}
	return nil
}
