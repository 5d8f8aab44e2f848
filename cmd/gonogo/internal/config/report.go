package config

import (
	"gonogo/analysis/message"
	"gonogo/report"
)

// The words that stand for several formats.
const (
	DefaultFormats = "usual"
	AllFormats     = "all"
)

// Language is the language of the reports.
func (v ReportValues) Language() message.Language {
	l, err := message.LanguageByTag(v.Lang)
	if err != nil {
		panic(err) // the configuration has been read
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
