package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/judge"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/report"
	"gonogo/sampler/audit"
	"gonogo/sampler/rollout"
)

// tellPlan says what the audit will do, and what it leaves out.
func (p *project) tellPlan(w io.Writer, plan *audit.Plan) {
	todo := plan.Todo()
	text := fmt.Sprintf("Audit of the grader: %s, %s", ui.Counted(len(plan.Items), "item"), ui.Counted(todo.Gradings, "grading"))
	if todo.Marks > 0 {
		text += fmt.Sprintf(", %s to be read by detectors", ui.Counted(todo.Marks, "rollout"))
	}
	if todo.JudgeCalls > 0 {
		text += fmt.Sprintf(", %s to a model that grades", ui.Counted(todo.JudgeCalls, "request"))
	}
	fmt.Fprintln(w, text+".")
	var fields []string
	for _, f := range plan.References {
		fields = append(fields, fmt.Sprintf("%s (%s)", orNone(f.Field), ui.Counted(f.Items, "item")))
	}
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

func orNone(field string) string {
	if field == "" {
		return "none found"
	}
	return field
}

// auditFound prints what is known of the grader now. The exit code is that of
// its gates.
func (p *project) auditFound(ctx context.Context, c *call, run *rollout.Run) error {
	r, err := judge.Audited(ctx, run, p.cfg.Settings())
	if err != nil {
		return exit.AsUsage(err)
	}
	if c.JSON {
		e := json.NewEncoder(c.Out)
		e.SetIndent("", "  ")
		err = e.Encode(map[string]any{"grader": r.Grader, "findings": r.Findings})
	} else {
		err = report.WriteAudit(c.Out, page(c, run.Dir, r, p.cfg.Report))
	}
	return errors.Join(err, auditExit(r.Findings))
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
		return &exit.Error{Code: exit.NoGo}
	case has(analysis.Unknown):
		return &exit.Error{Code: exit.Undecided}
	}
	return nil
}
