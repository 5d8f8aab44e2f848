package stage

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

// Audit grades the probes that the run's audit still lacks.
func Audit(ctx context.Context, p *project.Project, c *project.Invocation, dir string) (*rollout.Run, error) {
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
	// What is left of an audit that has begun is known once its records are read: then the gradings stop.
	if _, err := os.Stat(filepath.Join(dir, rollout.ProbesFile)); err != nil {
		if err := p.Spending.SpentBefore("the audit", false); err != nil {
			return nil, err
		}
	}
	dropped := 0
	keep := func(r *rollout.Record) bool {
		kept := plan.Keep(r)
		// it is known without the grader, and written again
		if !kept && r.Probe != nil && r.Probe.Name != rollout.ProbeConsensus && r.Probe.Name != rollout.ProbeSearch {
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
	console.WriteAuditPlan(c.Err, plan)
	if dropped > 0 {
		fmt.Fprintf(c.Err,
			"note: %d recorded gradings belong to other items, probes or graders and are left out of %s\n", dropped,
			rollout.ProbesFile)
	}
	stats, err := putProbes(ctx, p, c, plan, dir, w)
	err = JoinDiskError(stageEnded(p, c, auditStage, dir, stats, err),
		errors.Join(p.Session.ForgetSessions(), w.Close()))
	p.ShowWarnings(c.Err)
	return run, err
}

// putProbes writes what is known without the grader and has the rest graded.
func putProbes(ctx context.Context, p *project.Project, c *project.Invocation, plan *audit.Plan,
	dir string, w *rollout.ProbeWriter,
) (sampler.Stats, error) {
	for _, rec := range plan.Known {
		if err := w.Append(rec); err != nil {
			return sampler.Stats{}, err
		}
	}
	var stats sampler.Stats
	var err error
	lo, hi := p.Config.RewardRange[0], p.Config.RewardRange[1]
	to := audit.WithoutCopies(&shown{
		to: w, top: hi - 0.05*(hi-lo), paid: map[string][]string{}, dir: dir,
		tell: func(text string) { fmt.Fprintln(c.Err, console.Visible(p.Redact.String(text))) },
	})
	if n := plan.Todo().Gradings; n > 0 {
		tasks := func(context.Context) iter.Seq2[sampler.Task, error] { return plan.Tasks() }
		stats, err = gradeTasks(ctx, p, c, "probes", n, true, to, tasks, p.Bounds.Grader)
	}
	if err == nil && stats.StoppedBy == "" {
		var searched sampler.Stats
		searched, err = search(ctx, p, c, plan, dir, to)
		stats = added(stats, searched)
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
	items := run.Items
	if p.Joined {
		items = p.Inputs.Items
	}
	seed := p.Inputs.Seed
	if run.Manifest != nil && run.Manifest.ItemsSeed != nil {
		seed = *run.Manifest.ItemsSeed // the audits of all nights draw the same items
	}
	a := p.Config.Audit
	in := audit.Input{
		Seed: seed, Items: items, Records: run.Records, Range: *p.Config.RewardRange,
		Probes: p.Audit.Probes, Detectors: p.Audit.Detectors, Labels: labels, Answer: a.Answer,
		Reference: p.Audit.Reference,
		Grader:    p.GraderInfo().Hash, Judges: len(p.Config.Body.Judges()),
	}
	return audit.NewPlan(ctx, a.Config(), in)
}

// auditEstimate says what the audit after sampling may cost; "" if there is none.
func auditEstimate(p *project.Project, c *project.Invocation) string {
	if !project.Audits(p, c) {
		return ""
	}
	return console.AuditEstimate(p.Config.Audit.Config(), len(p.Config.Body.Judges()), p.Audit.Detectors,
		len(sampler.Plan(p.Inputs.Items, p.Samples(), nil)))
}
