package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"gonogo/analysis/judge"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/burst"
	"gonogo/sampler/rollout"
)

// burstID names one burst.
func burstID() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// readyToBurst stops where an endpoint does not answer at all.
func (p *project) readyToBurst(ctx context.Context, c *call) error {
	list := p.hooks()
	if p.cfg.Agent.URL != "" {
		list = append(list, p.agentEndpoints()...)
	}
	for _, t := range p.cfg.Body.Tools {
		if p.cfg.Agent.URL == "" {
			list = append(list, endpoint{"tool " + t.Name, p.cfg.Connect(t.ServerURL)})
		}
	}
	if err := p.reachable(ctx, standing(list)); err != nil {
		return err
	}
	return p.readyToGrade(ctx, c)
}

// burst plays the plan and puts what came of it into the run.
func (p *project) burst(ctx context.Context, c *call, run *rollout.Run, plan *burst.Plan, cfg burst.Config) error {
	w := c.Err
	to, err := rollout.OpenBurst(run.Dir, p.redact)
	if err != nil {
		return exit.AsUsage(err)
	}
	err = p.keepSessions(ctx, run.Dir)
	p.tell(w)
	if err == nil {
		err = p.playBurst(ctx, c, to, plan, cfg)
	}
	return errors.Join(err, p.forgetSessions(), to.Close())
}

func (p *project) playBurst(ctx context.Context, c *call, to *rollout.BurstWriter, plan *burst.Plan, cfg burst.Config) error {
	w := c.Err
	ctx, drain, release := ui.Interruptible(ctx, w, "rollouts of the burst")
	defer release()
	b, calls, err := burst.Run(ctx, drain, cfg, plan, p.bounds.Tools, p.bounds.Grader, func(wave rollout.Wave) {
		fmt.Fprintf(w, "%-6s %s at once: %s in %s s, %s discarded\n", wave.Purpose, message.Whole(wave.Size), ui.Counted(wave.Rollouts, "rollout"), message.Digits(time.Duration(wave.Elapsed).Seconds()), message.Whole(wave.Discarded))
	})
	if errors.Is(err, burst.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return &exit.Error{Code: exit.Interrupted, Err: errors.New("the burst was interrupted; nothing of it was recorded")}
	}
	if err != nil {
		return err
	}
	b.ToolVersion = version()
	return to.Write(b, calls)
}

// burstFound prints what is known of the endpoints now. The exit code is that of
// their gates.
func (p *project) burstFound(ctx context.Context, c *call, run *rollout.Run) error {
	r, err := judge.Bursted(ctx, run, p.cfg.Settings())
	if err != nil {
		return exit.AsUsage(err)
	}
	if c.JSON {
		e := json.NewEncoder(c.Out)
		e.SetIndent("", "  ")
		err = e.Encode(map[string]any{"burst": r.Burst, "findings": r.Findings})
	} else {
		err = report.WriteBurst(c.Out, page(c, run.Dir, r, p.cfg.Report))
	}
	return errors.Join(err, auditExit(r.Findings))
}
