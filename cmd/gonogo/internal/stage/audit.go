package stage

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/grader"
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
		if !kept && r.Probe != nil && r.Probe.Name != rollout.ProbeConsensus { // which is known without asking, and written anew
			dropped++
		}
		return kept
	}
	w, err := rollout.OpenProbes(dir, keep, rollout.WriterOptions{Redact: p.Redact})
	if err != nil {
		return nil, exit.AsUsage(err)
	}
	if len(grader.SessionReads(p.Bounds.Grader)) > 0 {
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

// auditAfter is the audit as a stage of a run, within what the rollouts left of
// the budget.
func auditAfter(ctx context.Context, p *project.Project, c *project.Call, dir string) error {
	if err := p.Spending.SpentBefore("the audit", false); err != nil {
		return err
	}
	_, err := Audit(ctx, p, c, dir)
	return err
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
		stats, err = gradeTasks(ctx, p, c, "rollouts read by "+d.Name, marksOf(plan, d), true, to, marks, d.Grader)
	}
	return stats, err
}

// marksOf is how many rollouts a detector has still to read at most.
func marksOf(plan *audit.Plan, d audit.Detector) int {
	for _, n := range plan.Counts {
		if n.Probe == rollout.ProbeDetector+d.Name {
			return n.Planned
		}
	}
	return 0
}
