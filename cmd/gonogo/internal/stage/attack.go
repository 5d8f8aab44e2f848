package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// attack has the attacker write answers, and those that are proven wrong graded. An attacker that fails does not
// end the audit.
func attack(ctx context.Context, p *project.Project, c *project.Invocation, plan *audit.Plan,
	to sampler.Sink,
) (sampler.Stats, error) {
	a := p.Audit.Attacker
	if a == nil && p.Config.Audit.Attacker.Model != "" {
		fmt.Fprintln(c.Err, "note: the attacker is not asked, because the configuration stored in the run only grades: "+
			"give your own with --config")
	}
	if a == nil {
		return sampler.Stats{}, nil
	}
	a.Ask = plan.AttackPrompt
	stats, err := writeAttacks(ctx, p, c, plan, to, a)
	_, dead := errors.AsType[*endpoint.Error](err)
	_, outside := errors.AsType[*sampler.RangeError](err)
	if _, failed := errors.AsType[*sampler.GraderFailedError](err); dead || outside || failed {
		fmt.Fprintf(c.Err, "note: the attacker ended early: %s\n", console.Visible(p.Redact.String(err.Error())))
		stats.StoppedBy, err = "", nil // the audit goes on
	}
	if err != nil || stats.StoppedBy != "" {
		return stats, err
	}
	tasks, dropped := plan.Attackers(a.Most)
	if dropped > 0 {
		verb := "were"
		if dropped == 1 {
			verb = "was"
		}
		fmt.Fprintf(c.Err, "note: %d of the attacker's answers %s not proven wrong and %[2]s not submitted\n", dropped, verb)
	}
	if len(tasks) == 0 {
		return stats, nil
	}
	graded, err := gradeTasks(ctx, p, c, "answers of the attacker", len(tasks), true, to,
		func(context.Context) iter.Seq2[sampler.Task, error] { return sequence(tasks) }, p.Bounds.Grader)
	return stats.Plus(graded), err
}

// writeAttacks has the attacker write the answers that are missing.
func writeAttacks(ctx context.Context, p *project.Project, c *project.Invocation, plan *audit.Plan, to sampler.Sink,
	a *project.Attacker,
) (sampler.Stats, error) {
	tasks := plan.Attacks()
	if len(tasks) == 0 {
		return sampler.Stats{}, nil
	}
	cfg := p.Sampling()
	cfg.Cost, cfg.Uncounted, cfg.Breaker, cfg.RewardRange = p.Spending.GradingCost(), true, 0, &a.Range
	cfg.Isolation, cfg.Rollouts = nil, p.Config.Sampling.InFlight
	failed, why := 0, ""
	keep := sampler.SinkFunc(func(r *rollout.Record) error {
		if r.Reward == nil {
			failed++
			why = cmp.Or(why, r.Error)
		}
		written := *r
		written.Answer = a.Text(r.TraceID)
		plan.Keep(&written)
		return to.Append(&written)
	})
	stats, err := underProgress(ctx, p, c, "answers that the attacker writes", len(tasks), cfg,
		func(ctx context.Context, drain <-chan struct{}, show *console.Progress) (sampler.Stats, error) {
			cfg.Log = p.Log
			return sampler.Regrade(ctx, sampler.RegradeOptions{
				Config: cfg, Tasks: sequence(tasks), Total: len(tasks), Grader: a, Sink: keep, Drain: drain, Watch: show.Watch,
			})
		})
	if failed > 0 {
		fmt.Fprintf(c.Err, "note: the attacker failed on %s; the next audit asks again: %s\n", console.Count(failed, "item"),
			console.Visible(p.Redact.String(why)))
	}
	return stats, err
}
