package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"gonogo/report"
	"gonogo/sampler/rollout"
)

// lookFor is how the configuration wants a run's reports to look. A font that
// cannot be read is an error where the command names it, and a note where the
// run itself does: it may have moved to another machine.
func lookFor(c *cli.Context, dir string) (reportValues, error) {
	var manifest *rollout.Manifest
	switch opened, err := rollout.Open(dir); {
	case err == nil:
		manifest = opened.Manifest
	case !errors.Is(err, rollout.ErrNotARun): // else there is nothing but the result
		return reportValues{}, asUsage(err)
	}
	cfg, err := configFor(c, manifest)
	if err != nil {
		return reportValues{}, err
	}
	look := cfg.Report
	if err := cfg.fontThere(); err != nil {
		if manifest == nil || c.IsSet("font") || c.String("config") != "" {
			return look, asUsage(byFlag(c, err))
		}
		fmt.Fprintf(c.App.ErrWriter, "note: %v: the usual places are looked through instead; --font names another.\n", err)
		look.Font = ""
	}
	return look, nil
}

// fontThere asks for the font that is named to be one.
func (c *config) fontThere() error {
	if err := report.CheckFont(c.Report.Font); err != nil {
		return c.fault("report.font", "%v", err)
	}
	return nil
}

// warn tells what the report could not show.
func warn(c *cli.Context, p interface {
	Warnings() []string
	PictureWarning() string
},
) {
	for _, warning := range p.Warnings() {
		fmt.Fprintf(c.App.ErrWriter, "warning: report.pdf: %s\n", warning)
	}
	if warning := p.PictureWarning(); warning != "" {
		fmt.Fprintf(c.App.ErrWriter, "warning: pictures: %s\n", warning)
	}
}
