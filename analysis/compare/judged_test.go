package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

// marksOf are the lines of probes.jsonl of a detector that marks the first so many of 40 rollouts.
func marksOf(detector string, marked int) [2]string {
	text := ""
	for i := range 40 {
		text += fmt.Sprintf(`{"item":"q%d","sample":%d,"split":"eval","source":"probe","outcome":"graded","reward":%d,"probe":{"name":"detector/%s","expect":"note","base":{"sample":%[2]d,"reward":1}}}`+"\n", i/4+1, i%4, one(i < marked), detector)
	}
	return [2]string{rollout.ProbesFile, text}
}

// A comparison of two runs whose grader could be fooled said improved, in green,
// and not a word of it.
func TestRunsOfAnUntrustedGraderAreNoBetterForAHigherReward(t *testing.T) {
	decided := func(v analysis.Verdict, by string) *analysis.Result {
		r := &analysis.Result{Ruling: analysis.Ruling{Verdict: v}}
		if by != "" {
			r.Reason = &by
		}
		return r
	}
	const before = "a higher reward may not mean a better policy: "
	for _, c := range []struct {
		about     string
		base, new *analysis.Result
		notes     []string
		untrusted []string
	}{
		{"both", decided(analysis.NoGo, "grader.hackable"), decided(analysis.NoGo, "grader.truth"), []string{before + "both runs are NO-GO because of their grader (base grader.hackable, new grader.truth)"}, []string{"grader.hackable", "grader.truth"}},
		{"the base alone", decided(analysis.NoGo, "grader.noise"), decided(analysis.Go, ""), []string{before + "the base run is NO-GO because of its grader (grader.noise)"}, []string{"grader.noise"}},
		{"the new one alone", nil, decided(analysis.NoGo, "grader.layers"), []string{before + "the new run is NO-GO because of its grader (grader.layers)"}, []string{"grader.layers"}},
		{"for another reason", decided(analysis.NoGo, "baseline.headroom"), decided(analysis.Undecided, "grader.hackable"), nil, nil},
		{"nothing is known", nil, nil, nil, nil},
	} {
		base := opened(t, graded("eval", 10, 4, steps(4, 0)), marksOf("peek", 2))
		new := opened(t, graded("eval", 10, 4, steps(4, 1)), marksOf("peek", 25))
		got := compared(t, base, new)
		if got.Answer != compare.NotBetter || got.ExitCode != 3 || !strings.HasPrefix(got.Sentence.String(), "On eval the detector “peek” marks 62.5 % of the rollouts as hacks, up from 5 %: the new policy is not better, whatever its reward; the mean reward changed from") {
			t.Errorf("%s: %s, exit %d: %s", c.about, got.Answer, got.ExitCode, got.Sentence)
		}
		answer, held := got.Answer, len(got.Notes)
		got.AddVerdicts(c.base, c.new)
		saidInChinese(t, got)
		want := append(c.notes, "the detector “peek” marks 5 % of the rollouts as hacks in the base run and 62.5 % in the new one")
		if notes := got.Notes[:len(got.Notes)-held]; fmt.Sprintf("%q", notes) != fmt.Sprintf("%q", want) || got.Answer != answer || !slices.Equal(got.UntrustedGates(), c.untrusted) {
			t.Errorf("%s: %q, %s, %q; want %q", c.about, got.Notes, got.Answer, got.UntrustedGates(), want)
		}
		if d := got.New.Detectors; len(d) != 1 || d[0] != (collect.DetectorMarks{Detector: "peek", Rollouts: 40, Marked: 25, Share: 0.625}) {
			t.Errorf("%s: the detectors of the new run are %+v", c.about, d)
		}
		if c.base != nil && (got.Base.Verdict != c.base.Verdict || c.base.Reason != nil && got.Base.Reason != *c.base.Reason) {
			t.Errorf("%s: the base run is %s by %q", c.about, got.Base.Verdict, got.Base.Reason)
		}
	}
}

// A run that is NO-GO for its grader passed where the reward rose or stayed.
func TestANoGoGraderPassesNothing(t *testing.T) {
	hackable := "grader.hackable"
	noGo := &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &hackable}}
	low, high := graded("eval", 40, 4, steps(4, 0)), graded("eval", 40, 4, steps(4, 1))
	for _, c := range []struct {
		about     string
		base, new []string
		of        *analysis.Result
		want      compare.Answer
		exit      int
	}{
		{"higher", low, high, noGo, compare.NotBetter, 3},
		{"higher, of a grader that passed", low, high, &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.Go}}, compare.Improved, 0},
		{"as before", low, low, noGo, compare.NotBetter, 3},
		{"as before, and another gate decides", low, low, &analysis.Result{
			Ruling:   analysis.Ruling{Verdict: analysis.NoGo, Reason: new("baseline.reachable")},
			Findings: []analysis.Finding{{Gate: hackable, Severity: analysis.Blocking, Fact: analysis.Fact{Status: analysis.Fail}}},
		}, compare.NotBetter, 3},
		{"lower", high, low, noGo, compare.Regressed, 3},
	} {
		got := compared(t, opened(t, c.base), opened(t, c.new))
		got.AddVerdicts(nil, c.of)
		saidInChinese(t, got)
		if got.Answer != c.want || got.ExitCode != c.exit || got.Splits[rollout.Eval].Answer != c.want {
			t.Errorf("%s: %s, exit %d, %s", c.about, got.Answer, got.ExitCode, got.Sentence)
		}
		if first := strings.HasPrefix(got.Sentence.String(), "On eval the new run is NO-GO because of its grader (grader.hackable): its reward does not show how good the policy is; the mean"); first != (c.want == compare.NotBetter) {
			t.Errorf("%s: %s", c.about, got.Sentence)
		}
	}
}

// A run that is NO-GO for its grader, compared with itself, was called not better.
func TestANoGoRunComparedWithItselfCannotTell(t *testing.T) {
	hackable := "grader.hackable"
	noGo := &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &hackable}}
	run := opened(t, graded("eval", 40, 4, steps(4, 0)))
	got := compared(t, run, run)
	got.AddVerdicts(noGo, noGo)
	if got.Answer != compare.CannotTell || got.ExitCode != 4 || !got.Unfair() || !strings.Contains(got.Sentence.String(), "same file") {
		t.Errorf("%s, exit %d: %s", got.Answer, got.ExitCode, got.Sentence)
	}
}

// What a detector read on one side alone is said so; what it never marked is no news.
func TestDetectorsOfOneSide(t *testing.T) {
	lines := graded("eval", 10, 4, steps(4, 0))
	for _, c := range []struct {
		base, new [2]string
		want      []string
	}{
		{marksOf("peek", 10), marksOf("edit", 4), []string{
			"the detector “peek” marks 25 % of the rollouts as hacks in the base run; it did not check those of the new one",
			"the detector “edit” marks 10 % of the rollouts as hacks in the new run; it did not check those of the base run",
		}},
		{marksOf("peek", 0), marksOf("peek", 0), nil},
		{marksOf("peek", 0), marksOf("edit", 0), nil},
	} {
		got := compared(t, opened(t, lines, c.base), opened(t, graded("eval", 10, 4, steps(4, 1)), c.new))
		before := len(got.Notes)
		got.AddVerdicts(nil, nil)
		saidInChinese(t, got)
		if notes := fmt.Sprintf("%q", got.Notes[:len(got.Notes)-before]); notes != fmt.Sprintf("%q", c.want) {
			t.Errorf("%s, want %q", notes, c.want)
		}
	}
}
