package stage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/burst"
	"gonogo/sampler/rollout"
)

// burstID names one burst.
func burstID() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// ReadyToBurst stops where an endpoint does not answer at all.
func ReadyToBurst(ctx context.Context, p *project.Project, c *project.Call) error {
	list := p.Session.Hooks()
	if p.Config.Agent.URL != "" {
		list = append(list, project.AgentEndpoints(p)...)
	}
	for _, t := range p.Config.Body.Tools {
		if p.Config.Agent.URL == "" {
			list = append(list, project.Endpoint{Name: "tool " + t.Name, URL: p.Config.Connect(t.ServerURL)})
		}
	}
	if err := p.Reachable(ctx, project.WithoutSessionURLs(list)); err != nil {
		return err
	}
	return p.ReadyToGrade(ctx, c)
}

// Burst plays the plan and writes the outcome into the run.
func Burst(ctx context.Context, p *project.Project, c *project.Call, run *rollout.Run, plan *burst.Plan, cfg burst.Config) error {
	w := c.Err
	to, err := rollout.OpenBurst(run.Dir, p.Redact)
	if err != nil {
		return exit.AsUsage(err)
	}
	err = p.Session.KeepSessions(ctx, run.Dir)
	p.ShowWarnings(w)
	if err == nil {
		err = playBurst(ctx, p, c, to, plan, cfg)
	}
	return errors.Join(err, p.Session.ForgetSessions(), to.Close())
}

func playBurst(ctx context.Context, p *project.Project, c *project.Call, to *rollout.BurstWriter, plan *burst.Plan, cfg burst.Config) error {
	w := c.Err
	ctx, drain, release := ui.Interruptible(ctx, w, "rollouts of the burst")
	defer release()
	b, calls, err := burst.Run(ctx, drain, cfg, plan, p.Bounds.Tools, p.Bounds.Grader, func(wave rollout.Wave) {
		fmt.Fprintf(w, "%-6s %s at once: %s in %s s, %s discarded\n", wave.Purpose, message.Whole(wave.Size), ui.Count(wave.Rollouts, "rollout"), message.Digits(time.Duration(wave.Elapsed).Seconds()), message.Whole(wave.Discarded))
	})
	if errors.Is(err, burst.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return &exit.Error{Code: exit.Interrupted, Err: errors.New("the burst was interrupted; nothing of it was recorded")}
	}
	if err != nil {
		return err
	}
	b.ToolVersion = project.Version()
	return to.Write(b, calls)
}
