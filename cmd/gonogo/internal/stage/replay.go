package stage

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

// Replay grades one payload once more and shows all of it. It writes nothing.
func Replay(ctx context.Context, p *project.Project, c *project.Invocation, run *rollout.Run, name string) error {
	id, err := audit.ParseID(name)
	if err != nil {
		return exit.AsUsage(err)
	}
	task, was, err := audit.Find(ctx, run, id, p.Bounds.GroupSize)
	if err != nil {
		return exit.AsUsage(err)
	}
	if err := p.ReadyToAudit(ctx, c); err != nil {
		return err
	}
	by, err := graderOfProbe(p, id)
	if err != nil {
		return err
	}
	var now *rollout.Record
	keep := sampler.SinkFunc(func(r *rollout.Record) error {
		now = r
		return nil
	})
	if err := replayTask(ctx, p, c, task, keep, by); err != nil {
		return fmt.Errorf("replay %s: %s", name, p.Redact.String(err.Error()))
	}
	if now == nil {
		return &exit.Error{Code: exit.Interrupted, Err: fmt.Errorf("replay %s: interrupted before it was graded", name)}
	}
	shown := console.Replay{ID: id.String(), Recorded: was, Now: now}
	if c.JSON {
		now.Answer, now.Error = p.Redact.String(now.Answer), p.Redact.String(now.Error)
		return ui.PrintJSON(c.Out, shown)
	}
	for _, probe := range p.Audit.Probes {
		if probe.Name == id.Probe {
			shown.Doc = probe.Doc
		}
	}
	shown.WriteText(c.Out, p.Redact.String)
	return nil
}

// replayTask has one payload graded again. Of a policy it also makes the recorded calls again, if the
// tools are at hand.
func replayTask(ctx context.Context, p *project.Project, c *project.Invocation, task sampler.Task, to sampler.Sink,
	by sampler.Grader,
) error {
	if strings.HasPrefix(task.Record.Probe.Name, rollout.ProbePolicy) && task.Item != nil {
		_, none := p.Audit.ToolsAtHand()
		switch {
		case none == "":
			again := sampler.Rollout{Item: task.Item, Sample: task.Record.Sample, Attempt: task.Record.Attempt + 1}
			_, err := playRollouts(ctx, p, c, []sampler.Rollout{again}, recordedModel(task.Record.Messages), to)
			return err
		case p.GradesInSession():
			return fmt.Errorf("the grader reads the session of the rollout, which has ended, and the calls cannot be "+
				"made again: %s", none)
		}
	}
	once := func(context.Context) iter.Seq2[sampler.Task, error] {
		return func(yield func(sampler.Task, error) bool) { yield(task, nil) }
	}
	_, err := gradeTasks(ctx, p, c, "probes", 1, true, to, once, by)
	return err
}

// recordedModel returns a model that replies as the messages of a record do.
func recordedModel(messages []rollout.Message) sampler.Model {
	return repeater(slices.DeleteFunc(slices.Clone(messages), func(m rollout.Message) bool { return m.Role != "assistant" }))
}

type repeater []rollout.Message

// Reply returns the recorded turn, or the last text as the answer after all of them.
func (r repeater) Reply(_ context.Context, req sampler.Request) (sampler.Reply, error) {
	if len(r) == 0 {
		return sampler.Reply{Final: true}, nil
	}
	turn := r[min(len(req.Turns), len(r)-1)]
	if len(req.Turns) >= len(r) {
		turn.ToolCalls = nil
	}
	return sampler.Reply{Text: turn.Content, Calls: turn.ToolCalls, Final: len(turn.ToolCalls) == 0}, nil
}

// graderOfProbe returns what grades a payload: the detector that read it, else the run's own
// grader.
func graderOfProbe(p *project.Project, id audit.ID) (sampler.Grader, error) {
	name, marked := strings.CutPrefix(id.Probe, rollout.ProbeDetector)
	if !marked {
		return p.Bounds.Grader, nil
	}
	for _, d := range p.Audit.Detectors {
		if d.Name == name {
			return d.Grader, nil
		}
	}
	return nil, exit.Usagef("the configuration has no detector %q any more (audit.detectors), so nothing can read "+
		"%s again", name, id)
}
