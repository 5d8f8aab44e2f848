package console

import (
	"fmt"
	"io"
	"strings"

	"gonogo/sampler/tryout"
)

// WriteTrial writes the result of a trial of the grader; with quiet it writes only the problems.
func WriteTrial(w io.Writer, t tryout.Result, quiet bool) {
	switch {
	case quiet:
	case t.Skipped != "":
		fmt.Fprintf(w, "grader     not tried: %s\n", Visible(t.Skipped))
	default:
		tried := Count(t.Items, "item")
		if t.Items < t.Of {
			tried = fmt.Sprintf("a sample of %d of %s", t.Items, Count(t.Of, "item"))
		}
		on, lack := "the reference, an empty and a wrong answer", ""
		if !t.References {
			on, lack = "an empty and a wrong answer",
				"; no reference answer was found: if the items have one, set audit.reference, such as {{item.answer}}"
		}
		fmt.Fprintf(w, "grader     tried on %s of %s: %d of %s tried%s\n", on, tried, t.Tried,
			Count(t.Planned, "answer"), lack)
	}
	for _, f := range t.Findings {
		kind := "warning"
		if f.Blocking {
			kind = "fails"
		}
		fmt.Fprintf(w, "%-10s grader: %s\n", kind, Visible(f.Title))
		if f.Remedy != "" {
			fmt.Fprintf(w, "%-10s %s\n", "", f.Remedy)
		}
		for _, row := range f.Rows {
			fmt.Fprintf(w, "%-10s - %s\n", "", Visible(row))
		}
	}
}

// TrialWithheld says why a trial of a grader is not made; "" if it can be. paid allows what costs
// money or needs a session, offline forbids requests.
func TrialWithheld(t tryout.Trial, answers int, paid, offline bool) string {
	most := t.Most(answers)
	switch {
	case t.Session && offline:
		return "it needs a session (--offline)"
	case t.Session && !paid:
		return fmt.Sprintf("it needs a session: --grade starts at most %d for it", most)
	case offline && (t.Judges > 0 || t.Remote):
		return "it is called over the network (--offline)"
	case t.Judges > 0 && !paid:
		return fmt.Sprintf("a paid model grades: --grade calls it, with at most %s",
			Count(t.Judges*most, "request"))
	}
	return ""
}

// TrialCosts says what a trial on a number of answers takes: one grading each if the grader works.
func TrialCosts(t tryout.Trial, answers int) string {
	most := t.Most(answers)
	var costs []string
	if t.Judges > 0 {
		costs = append(costs, fmt.Sprintf("%s to a model that grades, at most %d if it fails",
			Count(t.Judges, "request"), most*t.Judges))
	}
	if t.Session {
		costs = append(costs, fmt.Sprintf("1 session, at most %d if it fails", most))
	}
	return strings.Join(costs, "; ")
}
