package stage

import (
	"context"
	"time"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout/credential"
)

// Check tries what a run needs, without making rollouts. offline skips the endpoints; rows adds a
// comparison of the rows.
func Check(ctx context.Context, p *project.Project, c *project.Invocation, offline, rows bool) console.Check {
	rollouts := sampler.Plan(p.Inputs.Items, p.Samples(), nil)
	legs := []leg{{p: p, rollouts: rollouts}}
	for _, v := range p.Variants {
		legs = append(legs, leg{v.Name, v.P, sampler.Plan(v.P.Inputs.Items, v.P.Samples(), nil)})
	}
	found := console.Check{
		Rollouts: len(rollouts), Problems: p.Inputs.Problems,
		Warnings: append(config.SuspiciousValues(p.Config, time.Now()), p.Warnings...),
		Estimate: estimateLegs(ctx, p, c, legs, nil), Files: p.Inputs.Data(), Variants: checkedVariants(p),
		MCP: p.MCP.CheckedServers(), Target: p.Config.Platform(),
	}
	found.Warnings = append(found.Warnings, console.TooFew(p.Config.Settings(), found.Files, p.Samples())...)
	if rows {
		found.Shift, found.Findings = compareRows(p)
	}
	if offline {
		return found
	}
	for _, e := range p.Endpoints() {
		r := console.Endpoint{Name: e.Name, URL: credential.BareURL(e.URL)}
		if err := endpoint.Reach(ctx, e.URL); err != nil {
			r.Error = p.Redact.String(err.Error())
		}
		found.Endpoints = append(found.Endpoints, r)
	}
	p.AskServer(ctx)
	found.Sampling = p.Drawn
	found.Warnings = append(found.Warnings, p.TooLongPrompts()...)
	found.Agent = project.AgentProgram(p)
	return found
}
