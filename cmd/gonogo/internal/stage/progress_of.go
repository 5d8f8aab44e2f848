package stage

import (
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
)

// progressOf shows how many of what there are in total, on standard error, and in
// events by what they are bounded.
func progressOf(p *project.Project, c *project.Call, what string, total int, cfg sampler.Config) *ui.Progress {
	if e, ok := c.Err.(*ui.Events); ok {
		e.Masks(p.Redact)
		p.Log = e.Logger
		e.Begun(what, total, cfg)
	}
	return ui.NewProgress(c.Err, what, total, p.Spending.MoneyText, p.Redact)
}
