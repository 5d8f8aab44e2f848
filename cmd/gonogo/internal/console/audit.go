package console

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"gonogo/sampler/audit"
)

// WriteAuditPlan writes what an audit will do, and what it leaves out. search is the most gradings of a
// search.
func WriteAuditPlan(w io.Writer, plan *audit.Plan, search int) {
	todo := plan.Todo()
	text := fmt.Sprintf("Audit of the grader: %s, %s", Count(len(plan.Items), "item"), Count(todo.Gradings, "grading"))
	text += policyCalls(todo)
	if todo.Marks > 0 {
		text += fmt.Sprintf(", %s to be read by detectors", Count(todo.Marks, "rollout"))
	}
	if todo.JudgeCalls > 0 {
		text += fmt.Sprintf(", %s to a model that grades", Count(todo.JudgeCalls, "request"))
	}
	fmt.Fprintln(w, text+".")
	if todo.Attacks > 0 {
		fmt.Fprintf(w, "The attacker writes %s; only those proven wrong are graded.\n", Count(todo.Attacks, "answer"))
	}
	if search > 0 {
		fmt.Fprintf(w, "Then a search for a text that is paid without an answer, with at most %s.\n", Count(search, "grading"))
	}
	var fields []string
	for _, f := range plan.References {
		fields = append(fields, fmt.Sprintf("%s (%s)", cmp.Or(f.Field, "none found"), Count(f.Items, "item")))
	}
	if len(fields) > 0 {
		fmt.Fprintf(w, "References: %s.\n", Visible(strings.Join(fields, ", ")))
	}
	if plan.Template != "" {
		how := "as audit.answer says"
		switch {
		case plan.Asked:
			how = "as the prompts ask"
		case plan.Inferred:
			how = "as in the best recorded answers"
		}
		fmt.Fprintf(w, "Answers are made from references by %s, %s.\n", Visible(OneLine(plan.Template)), how)
	}
	for _, note := range plan.Notes {
		fmt.Fprintf(w, "note: %s\n", Visible(note))
	}
	if len(plan.Idle) > 0 {
		fmt.Fprintf(w, "Probes that do not apply to these items: %s.\n", Visible(strings.Join(plan.Idle, ", ")))
	}
}
