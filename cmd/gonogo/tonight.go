package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"gonogo/analysis/archive"
	"gonogo/analysis/history"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/sampler/rollout"
)

// resumeWithin is how long an interrupted night can be resumed; after that, a new night begins.
const resumeWithin = 12 * time.Hour

// nightRun is a history directory, with the settings for making and judging its next night.
type nightRun struct {
	*archive.History
	Accept bool    // the next night is good whatever the comparison says
	Detect float64 // the drop that a night must be able to detect, as a share of the reward range
	Keep   int     // number of good nights whose rollouts are kept; 0: all
}

// tonight names the night to make: an interrupted one that fits, else a new one. note is the
// message about it.
func (h *nightRun) tonight(p *project.Project, now time.Time) (name, note string) {
	for _, name := range h.Unfinished() {
		why := h.unfit(p, name, now)
		if why == "" {
			return name, fmt.Sprintf("night %s was interrupted: continuing it", name)
		}
		if note == "" {
			note = fmt.Sprintf("night %s was interrupted and %s: a new one begins; its rollouts stay in %s "+
				"until --keep removes them", name, why, h.Run(name))
		}
	}
	h.seed(p)
	return h.NewName(now), note
}

// nightWithoutPage returns the newest night if this command recorded it and was killed before it
// wrote the page of the nights; nil if there is none.
func (h *nightRun) nightWithoutPage(p *project.Project, now time.Time) *history.Night {
	if len(h.Nights) == 0 {
		return nil
	}
	n := &h.Nights[len(h.Nights)-1]
	opened, err := rollout.OpenManifest(h.Run(n.Name))
	if err != nil || opened.Manifest == nil || opened.Manifest.Planned == nil || h.unfit(p, n.Name, now) != "" {
		return nil
	}
	was, is := opened.Manifest.Planned, p.Manifest(h.Run(n.Name)).Planned
	if !maps.Equal(was.Samples, is.Samples) || !maps.Equal(was.Items, is.Items) || h.Accept != n.Accepted {
		return nil // another command
	}
	cfg, err := config.FromManifest(rollout.ManifestFile, opened.Manifest.Config) // it names the requested formats
	if err != nil {
		return nil
	}
	formats, err := output.PickFormats(strings.Join(cfg.Report.Formats, ","))
	if err != nil {
		return nil
	}
	for _, f := range historyFormats(formats) {
		if archive.LacksNight(filepath.Join(output.ReportDir(h.Dir), f.File), n.Name) {
			return n
		}
	}
	return nil
}

// unfit says why an interrupted night cannot be resumed; "" if it can.
func (h *nightRun) unfit(p *project.Project, name string, now time.Time) string {
	opened, err := rollout.OpenManifest(h.Run(name))
	if err != nil || opened.Manifest == nil {
		return "cannot be read"
	}
	if ago := now.Sub(opened.Manifest.Started); ago > resumeWithin || ago < -resumeWithin {
		return fmt.Sprintf("began on %s, more than %d hours away", opened.Manifest.Started.Format(time.DateTime),
			int(resumeWithin.Hours()))
	}
	m := p.Manifest(h.Run(name))
	if !maps.Equal(m.Binding, opened.Manifest.Binding) || stage.CheckNotShrunk(h.Run(name), m) != nil {
		return "was made with other settings"
	}
	return ""
}

// seed draws the seed of a night's rollouts, because repeating another night's rollouts would test
// nothing. A subset of the items is drawn as on the newest good night, so that it is the same every
// night.
func (h *nightRun) seed(p *project.Project) {
	p.Draw()
	p.Inputs.DrawnBy = cmp.Or(h.ItemsSeed(), new(p.Inputs.Seed))
	p.Inputs.Subset(p.Config.Items)
}

// warnDamaged warns, before anything is paid for, about good nights that exist but cannot be
// compared with.
func (h *nightRun) warnDamaged(ctx context.Context, c *project.Invocation) {
	names, causes := h.Damaged(ctx)
	for i, name := range names {
		fmt.Fprintf(c.Err, "note: night %s cannot be read, and is treated as missing: %s\n", console.Visible(name),
			console.Visible(causes[i].Error()))
	}
}
