package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis"
	"gonogo/report"
	"gonogo/report/chart"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

func auditCommand() *cli.Command {
	return &cli.Command{
		Name:      "audit",
		Usage:     "put probes to the grader: can it be fooled, does it know a right answer, does it repeat itself",
		ArgsUsage: "RUN",
		Description: `Takes a sample of the run's items and hands their grader answers whose right
grade is known: worthless and wrong ones, the reference in other words, recorded
answers made longer or politer, and recorded answers once more. Writes
probes.jsonl into RUN, where analyze and report find it; the rollouts stay as
they are. Where RUN is not there yet it is begun from the configuration, so that
a grader can be audited before anything is sampled. gonogo run does all this by
itself. The exit code is that of the gates about the grader.

Every hole has an ID: --replay ID grades that very payload once more and shows
it whole. gonogo help probes lists the probes.

Example:
   gonogo audit my-run --items 40
   gonogo audit my-run --replay reference/train/q-17/0`,
		Flags: append(graderFlags(),
			&cli.StringFlag{Name: "items", Usage: "make probes of `M` items (key audit.items)"},
			&cli.StringFlag{Name: "max-gradings", Usage: "`N` gradings at most (key audit.max_gradings)"},
			&cli.StringFlag{Name: "labels", Usage: "compare with the scores by people in `FILE`, CSV or JSONL (key audit.labels)"},
			&cli.StringFlag{Name: "replay", Usage: "grade the payload `ID` once more and show it"},
			&cli.BoolFlag{Name: "json", Usage: "print what was found as JSON"},
		),
		Action: func(c *cli.Context) error {
			dir, err := oneRun(c)
			if err != nil {
				return err
			}
			p, err := auditedProject(c, dir)
			if err != nil {
				return err
			}
			defer p.shut()
			if id := c.String("replay"); id != "" {
				return p.replay(c, dir, id)
			}
			if err := p.readyToGrade(c); err != nil {
				return err
			}
			run, err := p.audit(c, dir)
			if err != nil {
				return err
			}
			return p.auditFound(c, run)
		},
	}
}

// auditedProject is a project that can grade what the run holds. A run that is
// not there yet is begun.
func auditedProject(c *cli.Context, dir string) (*project, error) {
	if _, err := os.Stat(dir); err == nil {
		run, err := rollout.Open(dir)
		if err != nil {
			return nil, asUsage(err)
		}
		if run.File() != filepath.Join(run.Dir, rollout.RolloutsFile) {
			return nil, usagef("%s is a file: an audit needs a run directory to write to; gonogo import makes one", dir)
		}
		p, err := graderProject(c, run)
		if err != nil {
			return nil, err
		}
		return p, p.sameGrader(c, run)
	}
	if c.String("grader") != "" {
		return nil, usagef("there is no run %s: an audit of another grader needs one; gonogo sample or gonogo import makes it", dir)
	}
	cfg, err := gradingConfig(c)
	if err == nil {
		err = joinConfigErrors([]error{cfg.complete(), cfg.takeJudgeKey()})
	}
	if err != nil {
		return nil, asUsage(byFlag(c, err))
	}
	p, err := newProject(cfg)
	if err != nil {
		return nil, err
	}
	w, err := rollout.Create(dir, p.manifest(dir), p.items, rollout.WriterOptions{Redact: p.redact})
	if err == nil {
		err = w.Close()
	}
	return p, asUsage(err)
}

// sameGrader refuses to mix the grades of two graders in one run.
func (p *project) sameGrader(c *cli.Context, run *rollout.Run) error {
	if run.Manifest == nil || run.Manifest.Grader == nil {
		return nil
	}
	was, now := run.Manifest.Grader.Hash, p.graderInfo().Hash
	if was == now {
		return nil
	}
	return usagef("%s was graded by another grader: gonogo grade %s makes a run with this one's grades, and that can be audited", run.Dir, run.Dir)
}

// readyToGrade stops before the first grading where the grader cannot work.
func (p *project) readyToGrade(c *cli.Context) error {
	if err := p.reachable(c.Context, p.gradingEndpoints()); err != nil {
		return err
	}
	return p.start(c.Context)
}

// audit puts to the grader what the run's audit still lacks.
func (p *project) audit(c *cli.Context, dir string) (*rollout.Run, error) {
	run, err := rollout.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := p.takeLabels(run); err != nil {
		return nil, err
	}
	detectors, err := p.detectors(c.Context)
	if err != nil {
		return nil, err
	}
	plan, err := p.auditPlan(c.Context, run, detectors)
	if err != nil {
		return nil, asUsage(err)
	}
	w, err := rollout.OpenProbes(dir, plan.Keep, rollout.WriterOptions{Redact: p.redact})
	if err != nil {
		return nil, asUsage(err)
	}
	p.tellPlan(c.App.ErrWriter, plan)
	stats, err := p.putProbes(c, plan, detectors, w)
	err = unlessLost(p.auditEnded(c, dir, stats, err), w.Close())
	return run, err
}

// auditStage is the audit as a stage of a run. The caps on rollouts are not
// its own, the cap on tokens is what the rollouts left of it.
func (p *project) auditStage(c *cli.Context, dir string) error {
	was := p.cfg.Sampling
	defer func() { p.cfg.Sampling = was }()
	p.cfg.Sampling.MaxRollouts = 0
	if was.MaxTokens > 0 {
		p.cfg.Sampling.MaxTokens -= p.spent
		if p.cfg.Sampling.MaxTokens <= 0 {
			return &exitError{exitBudget, errors.New("the rollouts used up the budget, and the grader was not audited; run the same command again to go on")}
		}
	}
	_, err := p.audit(c, dir)
	return err
}

// putProbes writes what is known without asking, and has the rest graded.
func (p *project) putProbes(c *cli.Context, plan *audit.Plan, detectors []audit.Detector, w *rollout.ProbeWriter) (sampler.Stats, error) {
	for _, rec := range plan.Known {
		if err := w.Append(rec); err != nil {
			return sampler.Stats{}, err
		}
	}
	var stats sampler.Stats
	var err error
	to := audit.Slim(w)
	if n := plan.Todo().Gradings; n > 0 {
		tasks := func(context.Context) iter.Seq2[sampler.Task, error] { return plan.Tasks() }
		stats, err = p.grading(c, "probes", n, to, tasks, p.bounds.Grader)
	}
	for _, d := range detectors {
		if err != nil || stats.StoppedBy != "" {
			break
		}
		marks := func(ctx context.Context) iter.Seq2[sampler.Task, error] { return plan.Marks(ctx, d) }
		stats, err = p.grading(c, "rollouts read by "+d.Name, marksOf(plan, d), to, marks, d.Grader)
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

// auditEnded turns the end of an audit into an exit code and says how to go on.
func (p *project) auditEnded(c *cli.Context, dir string, s sampler.Stats, err error) error {
	const goOn = "run the same command again to go on"
	switch {
	case errors.Is(err, context.Canceled), err == nil && s.StoppedBy == sampler.StoppedByDrain:
		return &exitError{exitInterrupted, fmt.Errorf("the audit was interrupted; what was graded is in %s; %s", dir, goOn)}
	case errors.Is(err, sampler.ErrUntold), err == nil && s.StoppedBy == sampler.StoppedByBudget:
		return &exitError{exitBudget, fmt.Errorf("the audit was stopped by the budget; %s", goOn)}
	case err != nil:
		return fmt.Errorf("the audit stopped: %s; what was graded is in %s; %s", p.redact.String(err.Error()), dir, goOn)
	}
	return nil
}

// tellPlan says what the audit will do, and what it leaves out.
func (p *project) tellPlan(w io.Writer, plan *audit.Plan) {
	todo := plan.Todo()
	text := fmt.Sprintf("Audit of the grader: %s items, %s gradings", chart.Count(len(plan.Items)), chart.Count(todo.Gradings))
	if todo.Marks > 0 {
		text += fmt.Sprintf(", %s rollouts to be read by detectors", chart.Count(todo.Marks))
	}
	if todo.JudgeCalls > 0 {
		text += fmt.Sprintf(", %s requests to a model that grades", chart.Count(todo.JudgeCalls))
	}
	fmt.Fprintln(w, text+".")
	var fields []string
	for _, f := range plan.References {
		fields = append(fields, fmt.Sprintf("%s (%d items)", orNone(f.Field), f.Items))
	}
	if len(fields) > 0 {
		fmt.Fprintf(w, "References: %s.\n", visible(strings.Join(fields, ", ")))
	}
	if plan.Template != "" {
		how := "as audit.answer says"
		if plan.Inferred {
			how = "as the best recorded answers have it"
		}
		fmt.Fprintf(w, "Answers are made of references by %s, %s.\n", visible(oneLine(plan.Template)), how)
	}
	for _, note := range plan.Notes {
		fmt.Fprintf(w, "note: %s\n", visible(note))
	}
}

func orNone(field string) string {
	if field == "" {
		return "none found"
	}
	return field
}

// auditFound prints what is known of the grader now. The exit code is that of
// its gates.
func (p *project) auditFound(c *cli.Context, run *rollout.Run) error {
	g, findings, err := analysis.Audited(c.Context, run, p.cfg.settings())
	if err != nil {
		return asUsage(err)
	}
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetIndent("", "  ")
		err = e.Encode(map[string]any{"grader": g, "findings": findings})
	} else {
		err = report.WriteAudit(c.App.Writer, page(c, &analysis.Result{Grader: g, Findings: findings}))
		printFindings(c.App.Writer, findings)
	}
	return errors.Join(err, auditExit(findings))
}

// printFindings prints what the gates about the grader say.
func printFindings(w io.Writer, findings []analysis.Finding) {
	for _, f := range findings {
		if f.Status == analysis.Skipped || f.Status == analysis.Pass {
			continue
		}
		fmt.Fprintf(w, "%-8s %s: %s\n", f.Status, f.Gate, visible(f.Title))
		fmt.Fprint(w, wrapText(visible(f.Remedy), "         ", 80))
	}
}

// auditExit is the exit code of the gates about the grader.
func auditExit(findings []analysis.Finding) error {
	has := func(s analysis.Status) bool {
		return slices.ContainsFunc(findings, func(f analysis.Finding) bool {
			return f.Severity == analysis.Blocking && f.Status == s
		})
	}
	switch {
	case has(analysis.Fail):
		return &exitError{code: exitNoGo}
	case has(analysis.Unknown):
		return &exitError{code: exitUndecided}
	}
	return nil
}
