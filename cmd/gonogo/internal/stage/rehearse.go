package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/analysis/gate"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/markup"
)

// rehearse makes one rollout of the run and of each variant, and shows their traces and an estimate
// for the whole. It records nothing.
func rehearse(ctx context.Context, c *project.Invocation, p *project.Project) error {
	var rollouts []sampler.Rollout
	var err error
	if only := c.Sampling.Variant; len(only) == 0 || slices.Contains(only, config.BaseVariant) {
		if rollouts, err = rolloutsOf(ctx, p, ""); err != nil {
			return err
		}
	}
	legs, err := legsOf(ctx, p, "", rollouts)
	if err != nil {
		return err
	}
	if len(legs) == 0 {
		return exit.Usagef("there is nothing to sample")
	}
	estimate, lost, err := rehearseLegs(ctx, p, c, c.Out, legs)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "\n%s\n", estimate)
	return lost
}

// rehearseLegs makes a rollout of each leg, shows its trace on w and returns the resulting estimate
// for the legs. lost is the first failure of an endpoint, or answer that the server did not parse.
func rehearseLegs(ctx context.Context, p *project.Project, c *project.Invocation, w io.Writer,
	legs []leg,
) (estimate string, lost, err error) {
	recs := make([]*rollout.Record, len(legs))
	for i, l := range legs {
		if l.name != "" {
			fmt.Fprintf(w, "\nVariant %s\n", l.name)
		}
		rec, err := rehearseOne(ctx, l.p, c, l.rollouts)
		if err != nil {
			return "", nil, err
		}
		recs[i] = rec
		console.WriteTrace(w, rec, l.p.Config.Agent.Used(), l.p.Redact.String)
		if rec.Outcome.Missing() && lost == nil {
			lost = fmt.Errorf("the rehearsal ended with outcome %s: %s", rec.Outcome, p.Redact.String(rec.Error))
		}
		if m, found := markup.In(rec.Answer, markup.OwnOf(l.rollouts[0].Item.Row)); found {
			unparsed := fmt.Errorf("the answer contains %s, which the server should have parsed: it would be graded "+
				"unparsed. %s", m.Text, gate.MarkupAdvice(m.Kind))
			fmt.Fprintf(w, "  warning   %s\n", unparsed)
			lost = cmp.Or(lost, unparsed)
		}
		for _, call := range rec.Calls {
			if call.Error == rollout.NotText {
				fmt.Fprintf(w, "  warning   tool %s: %s; the wire format requires {\"output\": \"text\"}\n",
					call.Name, call.Error)
				break
			}
		}
	}
	return estimateLegs(ctx, p, c, legs, recs), lost, nil
}

// estimateLegs estimates what the legs will take, one line each, from one rollout of each; recs is
// nil without any.
func estimateLegs(ctx context.Context, p *project.Project, c *project.Invocation, legs []leg,
	recs []*rollout.Record,
) string {
	var lines []string
	all := 0
	for i, l := range legs {
		var rec *rollout.Record
		if recs != nil {
			rec = recs[i]
		}
		line := console.Estimate(l.rollouts, rec, console.EstimateOptions{
			AtMost: l.p.Round > 0, Concurrency: l.p.Config.Sampling.Concurrency, Cost: l.p.Config.TokenPrices().Rollout,
		})
		if l.name == "" {
			line += auditEstimate(ctx, p, c)
		} else {
			line = "Variant " + l.name + ". " + line
		}
		lines, all = append(lines, line), all+len(l.rollouts)
	}
	if len(legs) > 1 {
		lines = append(lines, fmt.Sprintf("In all %s, under one budget.", console.Count(all, "rollout")))
	}
	return strings.Join(lines, "\n")
}

func rehearseOne(ctx context.Context, p *project.Project, c *project.Invocation,
	rollouts []sampler.Rollout,
) (*rollout.Record, error) {
	if len(rollouts) == 0 {
		return nil, exit.Usagef("there is nothing to sample")
	}
	ctx, _, release := ui.Interruptible(ctx, c.Err, "rehearsal")
	defer release()
	rec, err := sampler.Rehearse(ctx, p.Sampling(), p.Inputs.Seed, rollouts[0], p.Bounds)
	var dead *endpoint.Error
	if errors.As(err, &dead) {
		return nil, exit.AsUsage(errors.New(p.Redact.String(err.Error())))
	}
	return rec, err
}

// confirmStart shows the estimate of what the run and its variants lack and, on a terminal and
// without --yes, rehearses each once and asks for confirmation.
func confirmStart(ctx context.Context, p *project.Project, c *project.Invocation, dir string,
	rollouts []sampler.Rollout,
) error {
	p.ShowWarnings(c.Err)
	legs, err := legsOf(ctx, p, dir, rollouts)
	if err != nil || len(legs) == 0 {
		return err
	}
	if c.Command != "pilot" { // which judges by other rules
		for _, text := range console.TooFew(p.Config.Settings(), p.Inputs.Data(), p.Samples()) {
			fmt.Fprintf(c.Err, "warning: %s\n", text)
		}
	}
	ask := c.Command != "demo" && !c.Yes && console.IsTerminal(c.Err) && console.IsTerminal(c.In)
	if !ask {
		fmt.Fprintln(c.Err, estimateLegs(ctx, p, c, legs, nil))
		return nil
	}
	if p.Config.Queue.Remote() { // the rollouts are not made here
		fmt.Fprintf(c.Err, "\n%s\n", estimateLegs(ctx, p, c, legs, nil))
		return ui.Confirm(c.In, c.Err)
	}
	fmt.Fprintln(c.Err, "One rehearsal rollout first, which is not recorded (--yes leaves it out) …")
	estimate, _, err := rehearseLegs(ctx, p, c, c.Err, legs)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Err, "\n%s\n", estimate)
	return ui.Confirm(c.In, c.Err)
}
