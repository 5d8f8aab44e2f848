package stage

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

// Replay grades one payload once more and shows all of it. Nothing is written.
func Replay(ctx context.Context, p *project.Project, c *project.Call, run *rollout.Run, name string) error {
	id, err := audit.ParseID(name)
	if err != nil {
		return exit.AsUsage(err)
	}
	task, was, err := audit.Find(ctx, run, id)
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
	keep := sink(func(r *rollout.Record) error {
		now = r
		return nil
	})
	once := func(context.Context) iter.Seq2[sampler.Task, error] {
		return func(yield func(sampler.Task, error) bool) { yield(task, nil) }
	}
	if _, err := gradeTasks(ctx, p, c, "probes", 1, true, keep, once, by); err != nil {
		return fmt.Errorf("replay %s: %s", name, p.Redact.String(err.Error()))
	}
	if now == nil {
		return &exit.Error{Code: exit.Interrupted, Err: fmt.Errorf("replay %s: interrupted before it was graded", name)}
	}
	if c.JSON {
		return ui.PrintJSON(c.Out, map[string]any{"id": id.String(), "recorded": gradeOf(was), "now": gradeOf(now), "payload": p.Redact.String(now.Answer)})
	}
	showReplay(p, c, id, was, now)
	return nil
}

// graderOfProbe is what grades a payload: the detector that read it, else the run's
// own grader.
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
	return nil, exit.Usagef("the configuration has no detector %q any more (audit.detectors), so nothing can read %s again", name, id)
}

// gradeOf is the grade of a record as --json shows it.
func gradeOf(r *rollout.Record) map[string]any {
	if r.Reward == nil {
		return map[string]any{"outcome": r.Outcome, "error_kind": r.Kind, "error": r.Error}
	}
	return map[string]any{"outcome": r.Outcome, "reward": *r.Reward, "grades": r.Grades, "parts": r.Parts}
}

func showReplay(p *project.Project, c *project.Call, id audit.ID, was, now *rollout.Record) {
	show := func(format string, args ...any) {
		fmt.Fprintln(c.Out, ui.Visible(p.Redact.String(fmt.Sprintf(format, args...))))
	}
	show("%s", id)
	for _, probe := range p.Audit.Probes {
		if probe.Name == id.Probe {
			show("%s", ui.Wrap(probe.Doc, "", 80))
		}
	}
	show("recorded   %s", graded(was))
	show("now        %s", graded(now))
	for _, part := range slices.Sorted(maps.Keys(now.Parts)) {
		show("  %s %s", part, message.Digits(now.Parts[part]))
	}
	show("payload, %d bytes:\n%s", len(now.Answer), now.Answer)
}

// graded says what a grader made of an output.
func graded(r *rollout.Record) string {
	switch {
	case r == nil:
		return "not graded"
	case r.Reward == nil:
		return fmt.Sprintf("%s (%s): %s", r.Outcome, r.Kind, r.Error)
	case len(r.Grades) > 1:
		grades := make([]string, len(r.Grades))
		for i, g := range r.Grades {
			grades[i] = message.Digits(g)
		}
		return fmt.Sprintf("reward %s, grades %s", message.Digits(*r.Reward), strings.Join(grades, " "))
	}
	return "reward " + message.Digits(*r.Reward)
}
