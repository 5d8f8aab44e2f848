package main

import (
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
)

// progress shows how many of what there are in total, on standard error, and in
// events by what they are bounded.
func (p *project) progress(c *call, what string, total int, cfg sampler.Config) *ui.Progress {
	if e, ok := c.Err.(*ui.Events); ok {
		e.Masks(p.redact)
		p.log = e.Logger
		e.Begun(what, total, cfg)
	}
	return ui.NewProgress(c.Err, what, total, p.moneyText, p.redact)
}
