package report

import (
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// bannerOf is the verdict block of a result's brief.
func bannerOf(t *testing.T, r *analysis.Result) block.Verdict {
	t.Helper()
	for _, b := range NewRunPage(r, Options{}).Doc().Brief {
		if v, ok := b.(block.Verdict); ok {
			return v
		}
	}
	t.Fatal("no verdict")
	return block.Verdict{}
}

func gateFinding(gate string, status analysis.Status) analysis.Finding {
	return analysis.Finding{Gate: gate, Severity: analysis.Blocking, Fact: analysis.Fact{ID: gate, Status: status}}
}

func TestAVerdictSaysWhatItRestsOn(t *testing.T) {
	failed := "infra.failures"
	held := "signal.informative"
	for _, test := range []struct {
		name     string
		ruling   analysis.Ruling
		findings []analysis.Finding
		said     string
		tone     block.Tone
	}{
		{"every gate passed", analysis.Ruling{Verdict: analysis.Go}, []analysis.Finding{gateFinding(failed, analysis.Pass), gateFinding(held, analysis.Pass)}, "GO", block.Pass},
		{"half of the gates were not checked", analysis.Ruling{Verdict: analysis.Go}, []analysis.Finding{gateFinding(failed, analysis.Pass), gateFinding(held, analysis.Skipped)}, "GO so far: 1 of 2 gates", block.SoFar},
		{"the run failed", analysis.Ruling{Verdict: analysis.NoGo, Reason: &failed}, []analysis.Finding{gateFinding(failed, analysis.Fail), gateFinding(held, analysis.Skipped)}, "NO-GO the run failed", block.Fail},
		{"a NO-GO needs no other gate", analysis.Ruling{Verdict: analysis.NoGo, Reason: &held}, []analysis.Finding{gateFinding(failed, analysis.Skipped), gateFinding(held, analysis.Fail)}, "NO-GO", block.Fail},
	} {
		v := bannerOf(t, &analysis.Result{Ruling: test.ruling, Findings: test.findings})
		if v.Said() != test.said || v.Tone != test.tone {
			t.Errorf("%s: %q in %s, want %q in %s", test.name, v.Said(), v.Tone, test.said, test.tone)
		}
	}
}

// An advisory gate that cannot tell was the first finding of a GO and the first thing to do,
// and the verdict said nothing about it.
func TestAnAdvisoryUnknownComesLast(t *testing.T) {
	unknown, caution := gateFinding("shift", analysis.Unknown), gateFinding("eval.power", analysis.Fail)
	for _, f := range []*analysis.Finding{&unknown, &caution} {
		f.Severity, f.Title, f.Remedy = analysis.Advisory, message.Verbatim("the title of "+f.Gate), message.Verbatim("the remedy of "+f.Gate)
	}
	for _, test := range []struct {
		name     string
		findings []analysis.Finding
		next     int
		reason   string
	}{
		{"alone", []analysis.Finding{unknown, gateFinding("signal.informative", analysis.Pass)}, 0, " passed. One advisory check is undecided: Shift between splits."},
		{"before a caution", []analysis.Finding{unknown, caution, gateFinding("signal.informative", analysis.Pass)}, 1, " passed. One caution: the title of eval.power. One advisory check is undecided: Shift between splits."},
	} {
		r := &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.Go}, Findings: test.findings, Cautions: []string{"eval.power"}}
		v := bannerOf(t, r)
		if len(v.Next) != test.next || strings.Contains(strings.Join(v.Next, ""), "shift") {
			t.Errorf("%s: what to do first is %q", test.name, v.Next)
		}
		if !strings.HasSuffix(v.Reason, test.reason) {
			t.Errorf("%s: the verdict says %q, want %q at its end", test.name, v.Reason, test.reason)
		}
		if found := NewRunPage(r, Options{}).Findings; test.next > 0 && (found[0].Tone != block.Caution || found[1].Tone != block.Unknown) {
			t.Errorf("%s: the first findings are %s and %s", test.name, found[0].Tone, found[1].Tone)
		}
	}
}

// What a run does not have was listed as not checked: tools, a second split.
func TestWhatCannotBeCheckedIsNotListed(t *testing.T) {
	split, audit := gateFinding("shift", analysis.Skipped), gateFinding("grader.truth", analysis.Skipped)
	split.Title = message.Text{ID: "gate.skipped", Args: message.Args{"reason": message.Nested(message.Text{ID: "skip.one_split"})}}
	audit.Title = message.Text{ID: "gate.skipped", Args: message.Args{"reason": message.Nested(message.Text{ID: "skip.no_audit"})}}
	health := gateFinding("tools.health", analysis.Pass)
	health.Others = []analysis.Fact{{ID: "tools.failures", Status: analysis.Skipped, Title: message.Text{ID: "gate.skipped", Args: message.Args{"reason": message.Nested(message.Text{ID: "skip.no_tools"})}}}}
	r := &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.Go, Judged: []string{"tools.health"}}, Findings: []analysis.Finding{health, split, audit}}
	if v := bannerOf(t, r); v.Said() != "GO so far: 1 of 2 gates" || v.Unchecked != "Rests on: Tool calls. Not checked: Right answers accepted." {
		t.Errorf("the verdict is %q: %q", v.Said(), v.Unchecked)
	}
	found := NewRunPage(r, Options{}).Findings
	if len(found) != 2 || len(found[0].Known) > 0 {
		t.Errorf("the findings are %+v", found)
	}
	r.Required = []string{"shift"} // then it counts, whatever the run has
	if v := bannerOf(t, r); v.Said() != "GO so far: 1 of 3 gates" {
		t.Errorf("with shift required the verdict is %q", v.Said())
	}
}

// TestOneNumberForOneThing: what decides is said once, and what is shown next to it
// counts the same.
func TestOneNumberForOneThing(t *testing.T) {
	gate := "infra.failures"
	f := gateFinding(gate, analysis.Fail)
	f.Split = rollout.Train
	r := &analysis.Result{
		Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &gate}, Findings: []analysis.Finding{f},
		Splits: map[rollout.Split]*analysis.SplitResult{rollout.Train: {Failures: []analysis.FailureCause{
			{Outcome: rollout.NoAnswer, Error: "empty", Count: 7}, {Outcome: rollout.ToolFailed, Error: "status 503", Count: 5},
		}}},
	}
	for _, b := range NewRunPage(r, Options{}).Doc().Brief {
		if g, ok := b.(block.Grid); ok {
			if len(g.Rows) != 1 || g.Rows[0][0] != "5" {
				t.Errorf("rollouts that were lost are shown as %q: the model's own failures were not", g.Rows)
			}
			return
		}
	}
	t.Error("the brief does not show how rollouts were lost")
}

func TestAFooledGraderThatRejectsRightAnswersToo(t *testing.T) {
	gate := "grader.hackable"
	r := &analysis.Result{
		Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: &gate}, Findings: []analysis.Finding{gateFinding(gate, analysis.Fail)},
		Grader: &analysis.Grader{Probes: []analysis.ProbeResult{
			{Probe: "empty", Expect: rollout.Bottom, Items: 4, Above: 4, Accept: stat.Estimate{}},
			{Probe: "thousands", Expect: rollout.Top, Items: 4, Above: 1, Accept: stat.Estimate{}},
		}},
	}
	if got := bannerOf(t, r).Reason; !strings.HasSuffix(got, "It also rejects right answers: “thousands” on 3 of 4 items.") {
		t.Errorf("the reason is %q", got)
	}
}

// TestPicturesAreAboutTheVerdict: a leak, and a run that failed, are not shown by what
// training could learn.
func TestPicturesAreAboutTheVerdict(t *testing.T) {
	for _, gate := range []string{"leakage", "infra.failures", "grader.hackable", "data.valid"} {
		r := loaded(t, "go")
		r.Verdict, r.Reason = analysis.NoGo, &gate
		r.Findings = append(slices.DeleteFunc(slices.Clone(r.Findings), func(f analysis.Finding) bool { return f.Gate == gate }), gateFinding(gate, analysis.Fail))
		for _, b := range NewRunPage(r, Options{}).Doc().Brief {
			if f, ok := b.(block.Figure); ok && slices.Contains([]string{"variance", "informative", "best_of_k"}, f.Name) {
				t.Errorf("%s is shown by the picture %s", gate, f.Name)
			}
		}
	}
}

// The first action of a GO was a platform's advice on phrasing, or to check what was not asked for.
func TestWhatToDoFirstGoesByHarm(t *testing.T) {
	caution := func(gate string, items ...string) analysis.Finding {
		f := gateFinding(gate, analysis.Fail)
		f.Severity, f.Remedy, f.Items = analysis.Advisory, message.Verbatim("Mend "+gate+"."), items
		return f
	}
	r := &analysis.Result{
		Ruling: analysis.Ruling{Verdict: analysis.Go, Judged: []string{"infra.failures"}, NotJudged: []analysis.Unjudged{
			{Gate: "endpoint.burst", Command: []string{"gonogo", "burst", "RUN"}},
		}},
		Findings: []analysis.Finding{
			gateFinding("infra.failures", analysis.Pass), caution("data.valid"), caution("eval.power"),
			caution("tools.health", "q-7", "q-8", "q-9"), caution("grader.accuracy", "q-1"),
			gateFinding("endpoint.burst", analysis.Skipped),
		},
	}
	v := bannerOf(t, r)
	want := []string{
		"Grader accuracy: mend grader.accuracy. Look at items: q-1.",
		"Tool calls: mend tools.health. Look at items: q-7, q-8.",
		"Smallest detectable gain: mend eval.power.",
	}
	if v.Said() != "GO" || v.Tone != block.Pass || !slices.Equal(v.Next, want) {
		t.Errorf("%s in %s: what to do first is %q, want %q", v.Said(), v.Tone, v.Next, want)
	}
}

// A GO on four of nine gates was as green as any.
func TestGoSoFarSaysWhatItRestsOn(t *testing.T) {
	r := &analysis.Result{
		Ruling:   analysis.Ruling{Verdict: analysis.Go, Judged: []string{"data.enough", "infra.failures"}},
		Findings: []analysis.Finding{gateFinding("data.enough", analysis.Pass), gateFinding("infra.failures", analysis.Pass), gateFinding("grader.truth", analysis.Skipped)},
	}
	v := bannerOf(t, r)
	if want := "Rests on: Items and samples, Rollouts lost. Not checked: Right answers accepted."; v.Tone != block.SoFar || v.Unchecked != want {
		t.Errorf("in %s: %q, want %q", v.Tone, v.Unchecked, want)
	}
	for _, tone := range []block.Tone{block.Pass, block.Unknown, block.Fail} {
		strong, ground := tone.Colours()
		if own, back := block.SoFar.Colours(); own == strong || back == ground {
			t.Errorf("GO so far has the colours of %s", tone)
		}
	}
}
