package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

// kept is a sink for one record.
type kept struct{ record *rollout.Record }

// Append keeps the record.
func (k *kept) Append(r *rollout.Record) error {
	k.record = r
	return nil
}

// replay grades one payload once more and shows all of it. Nothing is written.
func (p *project) replay(ctx context.Context, c *call, run *rollout.Run, name string) error {
	id, err := audit.ParseID(name)
	if err != nil {
		return exit.AsUsage(err)
	}
	task, was, err := audit.Find(ctx, run, id)
	if err != nil {
		return exit.AsUsage(err)
	}
	if err := p.readyToAudit(ctx, c); err != nil {
		return err
	}
	by, err := p.graderOf(id)
	if err != nil {
		return err
	}
	var now kept
	once := func(context.Context) iter.Seq2[sampler.Task, error] {
		return func(yield func(sampler.Task, error) bool) { yield(task, nil) }
	}
	if _, err := p.grading(ctx, c, "probes", 1, true, &now, once, by); err != nil {
		return fmt.Errorf("replay %s: %s", name, p.redact.String(err.Error()))
	}
	if now.record == nil {
		return &exit.Error{Code: exit.Interrupted, Err: fmt.Errorf("replay %s: interrupted before it was graded", name)}
	}
	if c.JSON {
		e := json.NewEncoder(c.Out)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"id": id.String(), "recorded": gradeOf(was), "now": gradeOf(now.record), "payload": p.redact.String(now.record.Answer)})
	}
	p.showReplay(c, id, was, now.record)
	return nil
}

// graderOf is what grades a payload: the detector that read it, else the run's
// own grader.
func (p *project) graderOf(id audit.ID) (sampler.Grader, error) {
	name, marked := strings.CutPrefix(id.Probe, rollout.ProbeDetector)
	if !marked {
		return p.bounds.Grader, nil
	}
	for _, d := range p.auditing.detectors {
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

func (p *project) showReplay(c *call, id audit.ID, was, now *rollout.Record) {
	show := func(format string, args ...any) {
		fmt.Fprintln(c.Out, ui.Visible(p.redact.String(fmt.Sprintf(format, args...))))
	}
	show("%s", id)
	for _, probe := range p.auditing.probes {
		if probe.Name == id.Probe {
			show("%s", ui.Wrap(probe.Doc, "", 80))
		}
	}
	show("recorded   %s", graded(was))
	show("now        %s", graded(now))
	for _, part := range slices.Sorted(maps.Keys(now.Parts)) {
		show("  %s %g", part, now.Parts[part])
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
		return fmt.Sprintf("reward %g, grades %v", *r.Reward, r.Grades)
	}
	return fmt.Sprintf("reward %g", *r.Reward)
}
