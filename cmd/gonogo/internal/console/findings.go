package console

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/plain"
	"gonogo/sampler/rollout"
)

// WriteProblems writes the rules that data files break, one per line.
func WriteProblems(w io.Writer, problems []rollout.Problem) {
	for _, p := range problems {
		kind := "advice"
		if p.Blocking {
			kind = "refused"
		}
		place := plain.Text(p.File)
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, p.Line)
		}
		if place != "" {
			place += ": "
		}
		fmt.Fprintf(w, "%-10s %s%s\n", kind, place, Visible(p.Message))
	}
}

// WriteFindings writes the findings about the rows of data files, worst first: failures in full,
// with what to do and where to look, the rest as one line each.
func WriteFindings(w io.Writer, findings []analysis.Finding) {
	for _, f := range byWeight(findings) {
		name := f.Gate
		// another part of the gate judged something
		if f.Status == analysis.Skipped &&
			slices.ContainsFunc(findings, func(o analysis.Finding) bool {
				return o.Gate == f.Gate &&
					o.Status != f.Status
			}) {
			name = f.ID
		}
		if f.Split != "" {
			name += " (" + string(f.Split) + ")"
		}
		fmt.Fprintf(w, "%-10s %s: %s\n", outcome(f), name, Visible(f.Title.String()))
		if f.Status != analysis.Pass && f.Status != analysis.Skipped {
			printAdvice(w, f.Fact)
		}
		for _, x := range f.Others { // the gate's other facts
			if x.Status == analysis.Skipped {
				continue
			}
			fmt.Fprintf(w, "%-10s %s: %s\n", "", x.ID, Visible(x.Title.String()))
			if x.Status != analysis.Pass {
				printAdvice(w, x)
			}
		}
	}
}

// printAdvice prints why a fact matters, what to do and where to look.
func printAdvice(w io.Writer, x analysis.Fact) {
	for _, text := range []message.Text{x.Why, x.Remedy} {
		if !text.IsEmpty() {
			fmt.Fprintf(w, "%-10s %s\n", "", Visible(text.String()))
		}
	}
	for _, item := range x.Listed(message.Language{}) {
		fmt.Fprintf(w, "%-10s - %s\n", "", Visible(item))
	}
}

// byWeight orders findings by their importance for the run. A gate that passes in both severities
// is reported once; one that fails is not also reported as passing for the same split; and a
// caution is left out if its gate fails by the same measure, because the blocking finding says the
// same.
func byWeight(findings []analysis.Finding) []analysis.Finding {
	keyOf := func(f analysis.Finding) string { return f.Gate + " " + string(f.Split) + " " }
	measure := func(f analysis.Finding) string {
		return keyOf(f) + message.Interval(f.Value, f.Low, f.High) + strings.Join(f.Items, "\n")
	}
	shown, failed := map[string]bool{}, map[string]bool{}
	for _, f := range findings {
		if outcome(f) == "fails" {
			failed[keyOf(f)] = true
			failed[measure(f)] = f.Value != nil
		}
	}
	list := slices.DeleteFunc(slices.Clone(findings), func(f analysis.Finding) bool {
		key := keyOf(f) + f.Title.String()
		again := f.Status == analysis.Pass && (shown[key] || failed[keyOf(f)]) || outcome(f) == "caution" &&
			failed[measure(f)]
		shown[key] = true
		return again
	})
	order := []string{"fails", "caution", "unclear", "skipped", "passes"}
	slices.SortStableFunc(list, func(a, b analysis.Finding) int {
		return slices.Index(order, outcome(a)) - slices.Index(order, outcome(b))
	})
	return list
}

// outcome returns a finding's answer in one word.
func outcome(f analysis.Finding) string {
	switch {
	case f.Status == analysis.Fail && f.Severity == analysis.Blocking:
		return "fails"
	case f.Status == analysis.Fail:
		return "caution"
	case f.Status == analysis.Unknown:
		return "unclear"
	case f.Status == analysis.Skipped:
		return "skipped"
	}
	return "passes"
}
