package archive

import (
	"testing"

	"gonogo/analysis"
)

// A night whose NO-GO grader somebody accepted made the next ones red by the same gate.
func TestAnAcceptedGraderStaysAccepted(t *testing.T) {
	by := func(gate string) *analysis.Result {
		if gate == "" {
			return &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.Go}}
		}
		return &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &gate}}
	}
	for _, c := range []struct {
		before, tonight *analysis.Result
		accepted        bool
	}{
		{by("grader.hackable"), by("grader.hackable"), true},
		{by("grader.hackable"), by("grader.truth"), false},
		{by(""), by("grader.hackable"), false},
		{by("baseline.headroom"), by("baseline.headroom"), false},
		{by(""), by(""), false},
		{nil, by("grader.hackable"), false},
	} {
		if got := unaccepted(c.before, c.tonight); (got == nil) != c.accepted || got != nil && got != c.tonight {
			t.Errorf("before %+v, tonight %+v: %+v", c.before, c.tonight, got)
		}
	}
}
