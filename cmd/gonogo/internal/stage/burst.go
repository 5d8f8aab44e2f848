package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/burst"
	"gonogo/sampler/rollout"
)

// ReadyToBurst returns an error if an endpoint does not answer.
func ReadyToBurst(ctx context.Context, p *project.Project, c *project.Invocation) error {
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
func Burst(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run, plan *burst.Plan,
	cfg burst.Config,
) error {
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

func playBurst(ctx context.Context, p *project.Project, c *project.Invocation, to *rollout.BurstWriter, plan *burst.Plan,
	cfg burst.Config,
) error {
	w := c.Err
	ctx, drain, release := ui.Interruptible(ctx, w, "rollouts of the burst")
	defer release()
	b, calls, err := burst.Run(ctx, drain, cfg, plan, p.Bounds.Tools, p.Bounds.Grader, func(wave rollout.Wave) {
		fmt.Fprintf(w, "%-6s %s at once: %s in %s s, %s discarded\n", wave.Purpose, message.Whole(wave.Size),
			console.Count(wave.Rollouts, "rollout"), message.Digits(time.Duration(wave.Elapsed).Seconds()),
			message.Whole(wave.Discarded))
	})
	if errors.Is(err, burst.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return &exit.Error{
			Code: exit.Interrupted,
			Err:  errors.New("the burst was interrupted; nothing of it was recorded"),
		}
	}
	if err != nil {
		return err
	}
	b.ToolVersion = project.Version()
	return to.Write(b, calls)
}

// programLeftOut says that a burst leaves out an agent that is a program.
const programLeftOut = "the agent is a program started on this machine and is left out; agent.processes " +
	"limits how many run at once"

// burstAgent lets the agent's service make the rollouts of a burst, within the caps of the
// configuration. An agent that is a program is left out, with a note.
func burstAgent(p *project.Project, cfg *burst.Config, plan *burst.Plan) {
	a := p.Config.Agent
	if len(a.Command) > 0 {
		plan.Notes = append(plan.Notes, programLeftOut)
	}
	if a.URL == "" {
		return
	}
	s, spent := p.Sampling(), &burst.Meter{Cost: p.Config.TokenPrices().Rollout}
	cfg.Agent = burst.Agent{
		Agent: p.Bounds.Agent, ModelProxy: p.Bounds.ModelProxy, Timeout: s.AgentTimeout, MaxSteps: s.MaxSteps,
		MaxToolCalls: s.MaxToolCalls,
		Used:         spent.Add, Room: func(rollouts int) error {
			why := console.NoRoom(p.Config.Sampling.Bounds(time.Now()), spent.Use(), rollouts)
			if why == "" {
				return nil
			}
			return &exit.Error{
				Code: exit.Budget,
				Err: fmt.Errorf("the burst was stopped before a wave of %s: %s; nothing of it was recorded",
					console.Count(rollouts, "rollout"), why),
			}
		},
	}
	cfg.Flight = max(1, cfg.Flight/2) // its requests to the model also pass through this process
	plan.Notes = append(plan.Notes, "the agent calls its tools itself: no recorded call is repeated")
	if m := p.Config.Model; !a.AsksItself() && m.RequestsPerMinute+m.TokensPerMinute > 0 {
		plan.Notes = append(plan.Notes, "a burst does not limit requests to any endpoint, including the model: "+
			"model.requests_per_minute and model.tokens_per_minute do not apply")
	}
}
