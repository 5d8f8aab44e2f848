package output

import (
	"errors"
	"fmt"

	"gonogo/analysis/compare"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/report"
	"gonogo/sampler/rollout"
)

// ReportStyle returns the configured look of a run's reports. An unreadable font is an error if the
// command names it, and a note if the run does: it may have been moved to another machine.
func ReportStyle(c *project.Invocation, dir string) (config.ReportValues, error) {
	cfg, manifest, err := RunConfig(c, dir)
	if err != nil {
		return config.ReportValues{}, err
	}
	look := cfg.Report
	if err := cfg.CheckFont(); err != nil {
		if manifest == nil || c.Report.FontSet || c.Config != "" {
			return look, exit.AsUsage(c.ByFlag(err))
		}
		fmt.Fprintf(c.Err, "note: %v: searching the usual places instead; --font names another.\n", err)
		look.Font = ""
	}
	return look, nil
}

// RunConfig returns the configuration of an existing run, and its manifest if it has one.
func RunConfig(c *project.Invocation, dir string) (*config.Config, *rollout.Manifest, error) {
	var manifest *rollout.Manifest
	switch opened, err := rollout.OpenManifest(dir); {
	case err == nil:
		manifest = opened.Manifest
	case !errors.Is(err, rollout.ErrNotARun): // otherwise there is only the result
		return nil, nil, exit.AsUsage(err)
	}
	cfg, err := project.ConfigFor(c, manifest)
	return cfg, manifest, err
}

// NewComparison makes the page of a comparison in the language of the reports.
func NewComparison(v config.ReportValues, c *compare.Comparison, opt report.Options) *report.ComparisonPage {
	c.Lang = v.Language()
	return report.NewComparisonPage(c, opt)
}

// Warn reports what the report could not show.
func Warn(c *project.Invocation, p report.Page) {
	for _, warning := range p.Warnings() {
		fmt.Fprintf(c.Err, "warning: report.pdf: %s\n", warning)
	}
	if warning := p.PictureWarning(); warning != "" {
		fmt.Fprintf(c.Err, "warning: pictures: %s\n", warning)
	}
}
