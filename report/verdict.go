package report

import (
	"fmt"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
)

// sentence words the verdict with its reason, and what to do next: the remedy
// of the deciding finding.
func sentence(r *analysis.Result, list []Finding, w *words) (reason, next string) {
	reason, next = decision(r, list, w)
	reason += graderToo(r, list, w)
	if !r.Note.None() {
		reason = fmt.Sprintf(w.Noted, strings.TrimSuffix(reason, w.Signs.Stop), w.say(r.Note)) + w.Signs.Stop
	}
	return reason + changed(r, w), next
}

func decision(r *analysis.Result, list []Finding, w *words) (reason, next string) {
	meaning := w.Meaning[r.Verdict]
	if r.Verdict == analysis.Go {
		return goSentence(r, w), ""
	}
	if missing := r.Missing(); r.Reason != nil && len(missing) > 0 && missing[0].Gate == *r.Reason {
		return uncovered(r, list, missing[0], w)
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

// uncovered says which required gate judged nothing, why, and how much was.
func uncovered(r *analysis.Result, list []Finding, u analysis.Unjudged, w *words) (reason, next string) {
	why := u.Why.In(r.Lang)
	if i := slices.IndexFunc(list, func(f Finding) bool { return f.State == Skipped && f.Gate == visible(u.Gate) }); i >= 0 {
		why = w.Lower(unended(list[i].Title))
	}
	passed, all := r.Coverage()
	reason = fmt.Sprintf(w.NotChecked, w.Meaning[r.Verdict], id(u.Gate), prose(why))
	return fmt.Sprintf(w.Covered, reason, message.Whole(passed), message.Whole(all), message.Whole(all-len(r.Judged))), ""
}

// changed names the thresholds that are not at their default, so that a verdict
// never hides them.
func changed(r *analysis.Result, w *words) string {
	const most = 4
	var list []string
	thresholds := r.ChangedThresholds()
	for i, t := range thresholds {
		if i == most {
			list = append(list, fmt.Sprintf(w.ChangedMore, message.Whole(len(thresholds)-most)))
			break
		}
		list = append(list, fmt.Sprintf(w.ChangedTo, t.Name, message.Digits(t.Value), message.Digits(t.Default)))
	}
	if len(list) == 0 {
		return ""
	}
	return w.Signs.Space + fmt.Sprintf(w.Changed, w.list(list))
}

// goSentence names what passed. On a run without a training split it does not
// claim more than was measured.
func goSentence(r *analysis.Result, w *words) string {
	passed, all := r.Coverage()
	meaning := w.Meaning[analysis.Go]
	if !r.Note.None() {
		meaning = w.NothingAgainst
	}
	s := fmt.Sprintf(w.AllPassed, meaning, w.Gates.of(passed))
	if passed < all {
		s = fmt.Sprintf(w.SomePassed, meaning, message.Whole(passed), message.Whole(all), message.Whole(all-passed))
	}
	if n := len(r.Cautions); n > 0 {
		s += w.Signs.Semicolon + w.named(w.Cautions.of(n), w.list(ids(r.Cautions)))
	}
	return s + w.Signs.Stop
}
