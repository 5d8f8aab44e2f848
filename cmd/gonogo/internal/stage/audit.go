package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

// Audit puts to the grader what the run's audit still lacks.
func Audit(ctx context.Context, p *project.Project, c *project.Call, dir string) (*rollout.Run, error) {
	run, err := rollout.Open(dir)
	if err != nil {
		return nil, err
	}
	if len(p.Audit.Labels) > 0 {
		if err := rollout.AppendLabels(dir, p.Redact.Labels(p.Audit.Labels)); err != nil {
			return nil, err
		}
	}
	plan, err := auditPlan(ctx, p, run)
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	dropped := 0
	keep := func(r *rollout.Record) bool {
		kept := plan.Keep(r)
		if !kept && r.Probe != nil && r.Probe.Name != rollout.ProbeConsensus { // which is known without asking, and written again
			dropped++
		}
		return kept
	}
	w, err := rollout.OpenProbes(dir, keep, rollout.WriterOptions{Redact: p.Redact})
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	if p.GradesInSession() {
		if err := p.Session.KeepSessions(ctx, dir); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	showPlan(p, c.Err, plan)
	if dropped > 0 {
		fmt.Fprintf(c.Err, "note: %d recorded gradings are of other items, probes or graders and are left out of %s\n", dropped, rollout.ProbesFile)
	}
	stats, err := putProbes(ctx, p, c, plan, w)
	err = JoinDiskError(stageEnded(p, auditStage, dir, stats, err), errors.Join(p.Session.ForgetSessions(), w.Close()))
	p.ShowWarnings(c.Err)
	return run, err
}

// putProbes writes what is known without asking, and has the rest graded.
func putProbes(ctx context.Context, p *project.Project, c *project.Call, plan *audit.Plan, w *rollout.ProbeWriter) (sampler.Stats, error) {
	for _, rec := range plan.Known {
		if err := w.Append(rec); err != nil {
			return sampler.Stats{}, err
		}
	}
	var stats sampler.Stats
	var err error
	to := audit.WithoutCopies(w)
	if n := plan.Todo().Gradings; n > 0 {
		tasks := func(context.Context) iter.Seq2[sampler.Task, error] { return plan.Tasks() }
		stats, err = gradeTasks(ctx, p, c, "probes", n, true, to, tasks, p.Bounds.Grader)
	}
	for _, d := range p.Audit.Detectors {
		if err != nil || stats.StoppedBy != "" {
			break
		}
		marks := func(ctx context.Context) iter.Seq2[sampler.Task, error] { return plan.Marks(ctx, d) }
		most := 0
		for _, n := range plan.Counts {
			if n.Probe == rollout.ProbeDetector+d.Name {
				most = n.Planned
			}
		}
		stats, err = gradeTasks(ctx, p, c, "rollouts read by "+d.Name, most, true, to, marks, d.Grader)
	}
	return stats, err
}

// auditPlan plans the audit of a run.
func auditPlan(ctx context.Context, p *project.Project, run *rollout.Run) (*audit.Plan, error) {
	labels, err := run.Labels()
	if err != nil {
		return nil, err
	}
	seed := p.Inputs.Seed
	if run.Manifest != nil && run.Manifest.ItemsSeed != nil {
		seed = *run.Manifest.ItemsSeed // the audits of all nights draw the same items
	}
	a := p.Config.Audit
	in := audit.Input{
		Seed: seed, Items: run.Items, Records: run.Records, Range: *p.Config.RewardRange,
		Probes: p.Audit.Probes, Detectors: p.Audit.Detectors, Labels: labels, Answer: a.Answer, Reference: p.Audit.Reference,
		Grader: p.GraderInfo().Hash, Judges: len(p.Config.Body.Judges()),
	}
	return audit.NewPlan(ctx, audit.Config{
		Items: a.Items, Regrades: a.Regrades, MaxGradings: a.MaxGradings, MaxMarks: a.MaxMarks,
		Skip: a.Skip, Unordered: a.Unordered != nil && *a.Unordered,
	}, in)
}

// auditEstimate says what the audit after sampling may take; "" when there is
// none.
func auditEstimate(p *project.Project, c *project.Call) string {
	if !project.Audits(p, c) {
		return ""
	}
	a := p.Config.Audit
	text := fmt.Sprintf(" Then an audit of the grader: at most %s", ui.Count(a.MaxGradings, "grading"))
	if n := len(p.Config.Body.Judges()); n > 0 {
		text += fmt.Sprintf(", that is %s to a model that grades", ui.Count(n*a.MaxGradings, "request"))
	}
	if n := len(p.Audit.Detectors); n > 0 {
		marks := len(sampler.Plan(p.Inputs.Items, p.Samples(), nil))
		if a.MaxMarks > 0 {
			marks = min(marks, a.MaxMarks)
		}
		asked := 0
		for _, d := range p.Audit.Detectors {
			asked += d.Judges
		}
		text += fmt.Sprintf("; %s read by %s", ui.Count(marks, "rollout"), ui.Count(n, "detector"))
		if asked > 0 {
			text += fmt.Sprintf(", that is %s to a model", ui.Count(asked*marks, "request"))
		}
	}
	return text + " (audit.max_gradings; --no-audit leaves it out)."
}

// showPlan says what the audit will do, and what it leaves out.
func showPlan(p *project.Project, w io.Writer, plan *audit.Plan) {
	todo := plan.Todo()
	text := fmt.Sprintf("Audit of the grader: %s, %s", ui.Count(len(plan.Items), "item"), ui.Count(todo.Gradings, "grading"))
	if todo.Marks > 0 {
		text += fmt.Sprintf(", %s to be read by detectors", ui.Count(todo.Marks, "rollout"))
	}
	if todo.JudgeCalls > 0 {
		text += fmt.Sprintf(", %s to a model that grades", ui.Count(todo.JudgeCalls, "request"))
	}
	fmt.Fprintln(w, text+".")
	fields := ui.Names(plan.References, func(f audit.FieldCount) string {
		return fmt.Sprintf("%s (%s)", cmp.Or(f.Field, "none found"), ui.Count(f.Items, "item"))
	})
	if len(fields) > 0 {
		fmt.Fprintf(w, "References: %s.\n", ui.Visible(strings.Join(fields, ", ")))
	}
	if plan.Template != "" {
		how := "as audit.answer says"
		if plan.Inferred {
			how = "as the best recorded answers have it"
		}
		fmt.Fprintf(w, "Answers are made of references by %s, %s.\n", ui.Visible(ui.OneLine(plan.Template)), how)
	}
	var idle []string
	for _, note := range plan.Notes {
		if probe, _, ok := strings.Cut(note, " applies to none of the "); ok {
			idle = append(idle, strings.TrimPrefix(probe, "probe "))
			continue
		}
		fmt.Fprintf(w, "note: %s\n", ui.Visible(note))
	}
	if len(idle) > 0 {
		fmt.Fprintf(w, "Probes that do not apply to these items: %s.\n", ui.Visible(strings.Join(idle, ", ")))
	}
}
