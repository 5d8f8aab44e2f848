package report

import (
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis"
)

// sentence words the verdict with its reason, and what to do next: the remedy
// of the deciding finding.
func sentence(r *analysis.Result, list []Finding, w *words) (reason, next string) {
	reason, next = decision(r, list, w)
	reason += graderToo(r, list, w)
	if r.Note != "" {
		reason = fmt.Sprintf(w.Noted, strings.TrimSuffix(reason, w.Signs.Stop), prose(r.Note)) + w.Signs.Stop
	}
	return reason, next
}

func decision(r *analysis.Result, list []Finding, w *words) (reason, next string) {
	meaning := w.Meaning[r.Verdict]
	if r.Verdict == analysis.Go {
		return goSentence(r, list, w), ""
	}
	i := slices.IndexFunc(list, func(f Finding) bool { return decides(r, f) })
	if i < 0 {
		return fmt.Sprintf(w.NoneJudged, meaning), ""
	}
	f := list[i]
	reason = fmt.Sprintf(w.Because, meaning, w.Lower(unended(f.Title)), measure(f, w))
	return reason, f.Remedy
}

// graderToo names the grader's failed gates when the verdict has another
// reason: of a grader that pays for the wrong thing one has to know on every
// picture.
func graderToo(r *analysis.Result, list []Finding, w *words) string {
	var gates []string
	for _, f := range list {
		if f.State == Failing && strings.HasPrefix(f.Gate, "grader.") && !decides(r, f) {
			gates = append(gates, f.Gate)
		}
	}
	if len(gates) == 0 {
		return ""
	}
	return w.Signs.Space + fmt.Sprintf(w.GraderToo, w.list(slices.Compact(gates)))
}

// decides reports whether f is the finding that the verdict names as its
// reason.
func decides(r *analysis.Result, f Finding) bool {
	if r.Reason == nil || f.Gate != visible(*r.Reason) {
		return false
	}
	if r.Verdict == analysis.NoGo {
		return f.State == Failing
	}
	return f.State == Unsettled
}

// goSentence names what passed. On a run without a training split it does not
// claim more than was measured.
func goSentence(r *analysis.Result, list []Finding, w *words) string {
	passed := map[string]bool{}
	for _, f := range list {
		if f.State == Passing && f.Severity == w.Severity[analysis.Blocking] {
			passed[f.Gate] = true
		}
	}
	meaning := w.Meaning[analysis.Go]
	if r.Note != "" {
		meaning = w.NothingAgainst
	}
	s := fmt.Sprintf(w.AllPassed, meaning, w.Gates.of(len(passed)))
	if n := len(r.Cautions); n > 0 {
		s += w.Signs.Semicolon + w.named(w.Cautions.of(n), w.list(ids(r.Cautions)))
	}
	return s + w.Signs.Stop
}
