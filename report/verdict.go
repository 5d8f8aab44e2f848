package report

import (
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/report/chart"
)

// sentence words the verdict with its reason, and what to do next: the remedy
// of the deciding finding.
func sentence(r *analysis.Result, list []Finding, w *words) (reason, next string) {
	meaning := w.Meaning[r.Verdict]
	if r.Verdict == analysis.Go {
		return goSentence(r, list, w), ""
	}
	i := slices.IndexFunc(list, func(f Finding) bool { return decides(r, f) })
	if i < 0 {
		return fmt.Sprintf(w.NoneJudged, meaning), ""
	}
	f := list[i]
	how := ""
	if f.Measured != "" && f.Want != "" {
		how = fmt.Sprintf(w.Measure, f.Measured, f.Want)
	}
	reason = fmt.Sprintf(w.Because, meaning, lower(strings.TrimRight(f.Title, ".:")), how)
	return reason, f.Remedy
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

func goSentence(r *analysis.Result, list []Finding, w *words) string {
	passed := 0
	for i, f := range list {
		if f.State == Passing && f.Severity == w.Severity[analysis.Blocking] && !slices.ContainsFunc(list[:i], func(g Finding) bool {
			return g.State == Passing && g.Gate == f.Gate
		}) {
			passed++
		}
	}
	gates := fmt.Sprintf(w.Gates, chart.Count(passed))
	if passed == 1 {
		gates = fmt.Sprintf(w.Gate, chart.Count(passed))
	}
	s := fmt.Sprintf(w.AllPassed, w.Meaning[analysis.Go], gates)
	if n := len(r.Cautions); n > 0 {
		form := w.Cautions
		if n == 1 {
			form = w.Caution
		}
		s += "; " + fmt.Sprintf(form, chart.Count(n), strings.Join(ids(r.Cautions), ", "))
	}
	return s + "."
}
