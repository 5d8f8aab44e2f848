package judge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// crash adds a payload that the grader fails on.
func (f *folder) crash(name string, expect rollout.Expectation, item string) {
	f.probes = append(f.probes, fmt.Sprintf(`{"item":%q,"split":"train","source":"probe","outcome":"grader","error":"KeyError","error_kind":"python_runtime_error","answer":"x","probe":{"name":%q,"expect":%q,"limit":0.99}}`,
		item, name, expect))
}

// A grader that crashed on a third of the worthless answers once passed with
// "none of 15 probes is rewarded".
func TestPayloadsThatCrashTheGraderAreNotJudged(t *testing.T) {
	build := func(judged, crashing int) *analysis.Result {
		f := healthy().audited(1)
		for p := range judged {
			for i := range 20 {
				f.probe(fmt.Sprint("held", p), rollout.Bottom, fmt.Sprint("q", i), `"reward":0|"limit":0`)
			}
		}
		for p := range crashing {
			for i := range 20 {
				f.crash(fmt.Sprint("crash", p), rollout.Bottom, fmt.Sprint("q", i))
			}
		}
		return f.analyze(t)
	}
	r := build(9, 5) // and the 20 payloads of audited's own probe
	blocking := finding(t, r, "grader.hackable", analysis.Blocking)
	if blocking.Status != analysis.Unknown || r.Verdict != analysis.Undecided {
		t.Errorf("a third crashes: %s, verdict %s: %s", blocking.Status, r.Verdict, blocking.Title.String())
	}
	for _, want := range []string{"100 of 300", "python_runtime_error"} {
		if !strings.Contains(blocking.Title.String(), want) {
			t.Errorf("title %q does not say %q", blocking.Title.String(), want)
		}
	}
	if !strings.Contains(blocking.Remedy.String(), "crash0, crash1") {
		t.Errorf("remedy %q does not name the probes", blocking.Remedy.String())
	}
	r = build(9, 1)
	blocking, advisory := finding(t, r, "grader.hackable", analysis.Blocking), finding(t, r, "grader.hackable", analysis.Advisory)
	if blocking.Status != analysis.Pass || !strings.Contains(blocking.Title.String(), "none of 10 probes is rewarded; 20 of 220 worthless answers could not be judged") {
		t.Errorf("one of eleven probes crashes: %s: %s", blocking.Status, blocking.Title.String())
	}
	if advisory.Status != analysis.Fail || !strings.Contains(advisory.Title.String()+advisory.Remedy.String(), "python_runtime_error") || !strings.Contains(advisory.Remedy.String(), "crash0") {
		t.Errorf("the caution is %s: %s %s", advisory.Status, advisory.Title.String(), advisory.Remedy.String())
	}
	if advisory = finding(t, build(9, 0), "grader.hackable", analysis.Advisory); advisory.Status != analysis.Pass {
		t.Errorf("nothing crashes: %s: %s", advisory.Status, advisory.Title.String())
	}
}

// References that the grader failed on were once left out without a word.
func TestReferencesThatCrashTheGraderAreNotAccepted(t *testing.T) {
	build := func(accepted, crashed int) *analysis.Result {
		f := healthy()
		for i := range accepted {
			f.probe("reference", rollout.Top, fmt.Sprint("q", i), `"reward":1|"limit":0.99`)
		}
		for i := range crashed {
			f.crash("reference", rollout.Top, fmt.Sprint("q", accepted+i))
		}
		return f.analyze(t)
	}
	for _, test := range []struct {
		accepted, crashed int
		want              analysis.Status
	}{{20, 0, analysis.Pass}, {39, 1, analysis.Pass}, {10, 10, analysis.Unknown}, {2, 38, analysis.Unknown}} {
		got := finding(t, build(test.accepted, test.crashed), "grader.truth", analysis.Blocking)
		if got.Status != test.want {
			t.Errorf("%d accepted, %d crashed: %s, want %s: %s", test.accepted, test.crashed, got.Status, test.want, got.Title.String())
		}
		if test.crashed > 0 && !strings.Contains(got.Title.String(), fmt.Sprintf("on %d the grader failed (python_runtime_error)", test.crashed)) {
			t.Errorf("title %q does not name the crashes", got.Title.String())
		}
	}
	r := build(10, 10)
	got := finding(t, r, "grader.truth", analysis.Blocking)
	near(t, "share accepted", got.Value, 0.5)
	if *got.High < 0.99 || !slices.Contains(got.Items, "q10") {
		t.Errorf("the high end is %g, items are %v", *got.High, got.Items)
	}
	if caution := finding(t, build(39, 1), "grader.truth", analysis.Advisory); caution.Status != analysis.Fail || !slices.Equal(caution.Items, []string{"q39"}) {
		t.Errorf("the caution is %s of %v", caution.Status, caution.Items)
	}
}

// An endpoint that dropped one request in ten, and answered when it was repeated,
// once left no trace.
func TestRepeatedRequestsLeaveATrace(t *testing.T) {
	f := healthy()
	for i := range f.rollouts {
		if i%10 == 0 {
			f.rollouts[i] = strings.Replace(f.rollouts[i], `"reward"`, `"retries":2,"reward"`, 1)
		}
	}
	r := f.analyze(t)
	m := r.Splits[rollout.Train].Missing
	if m.Retried != 80 || m.Retries != 160 {
		t.Errorf("missing is %+v", m)
	}
	var cautions []analysis.Finding
	for _, got := range analysis.ByFact(r.Findings) {
		if got.Gate == "infra.failures" && got.Severity == analysis.Advisory && got.Status == analysis.Fail {
			cautions = append(cautions, got)
		}
	}
	if len(cautions) != 1 || !strings.Contains(cautions[0].Title.String(), "10 % of rollouts") || !strings.Contains(cautions[0].Title.String(), "160 requests") {
		t.Errorf("cautions are %+v", cautions)
	}
	if blocking := finding(t, r, "infra.failures", analysis.Blocking); blocking.Status != analysis.Pass || !strings.Contains(blocking.Title.String(), "80 rollouts (10 %)") {
		t.Errorf("%s: %s", blocking.Status, blocking.Title.String())
	}
}

// An answer that was graded later is not a rollout that was made again.
func TestGradedLaterIsNotMadeAgain(t *testing.T) {
	for _, c := range []struct {
		why, lines string
		want       int
	}{
		{"graded as the next attempt", `{"item":"a","sample":0,"outcome":"grader","error":"down","trace_id":"t"}
{"item":"a","sample":0,"attempt":1,"reward":1,"trace_id":"t"}`, 0},
		{"made again", `{"item":"a","sample":0,"outcome":"tool","error":"down","trace_id":"t"}
{"item":"a","sample":0,"attempt":1,"reward":1,"trace_id":"u"}`, 1},
		{"made again, and graded later", `{"item":"a","sample":0,"outcome":"tool","error":"down","trace_id":"t"}
{"item":"a","sample":0,"attempt":1,"outcome":"grader","error":"down","trace_id":"u"}
{"item":"a","sample":0,"attempt":2,"reward":1,"trace_id":"u"}`, 1},
		{"the last attempt alone", `{"item":"a","sample":0,"attempt":2,"reward":1}`, 2},
	} {
		r, err := analyzeText(t, c.lines+"\n"+`{"item":"b","sample":0,"reward":0}`+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Splits[rollout.Train].Missing.Repeated; got != c.want {
			t.Errorf("%s: %d made again, want %d", c.why, got, c.want)
		}
	}
}

// Free sentences cannot be compared: that once passed as "on no audited item".
func TestFreeSentencesAreNotSuspectAndNotClear(t *testing.T) {
	build := func(answer func(i, j int) string) analysis.Finding {
		f := &folder{}
		for i := range 30 {
			for j := range 8 {
				f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"answer":%q}`, i, j, float64((i+j)%2), answer(i, j)))
			}
		}
		for i := range 20 {
			f.probe("reference", rollout.Top, fmt.Sprint("q", i), `"reward":1|"limit":0.99`)
		}
		return finding(t, f.analyze(t), "data.suspect", analysis.Advisory)
	}
	words := strings.Fields("oak elm ash fir yew box may bay")
	for what, c := range map[string]struct {
		answer func(i, j int) string
		want   analysis.Status
	}{
		"free sentences":         {func(_, j int) string { return "I would plant the " + words[j] }, analysis.Skipped},
		"two say the same":       {func(_, j int) string { return "plant the " + words[j/2] }, analysis.Pass},
		"most name one number":   {func(_, j int) string { return "The " + words[j] + " is 12,400 m high" }, analysis.Pass},
		"each names its own one": {func(_, j int) string { return fmt.Sprintf("The %s is %d m high", words[j], j) }, analysis.Skipped},
	} {
		got := build(c.answer)
		if got.Status != c.want || c.want == analysis.Skipped && !strings.Contains(got.Title.String(), "answers could not be compared") {
			t.Errorf("%s: %s: %s", what, got.Status, got.Title.String())
		}
	}
}

// References that slipped by a row earn nothing where most rollouts earn the top:
// none was suspect while rollouts and grader agreed.
func TestSlippedReferencesAreSuspect(t *testing.T) {
	f := &folder{}
	for i := range 20 {
		item := fmt.Sprint("q", i)
		for j := range 8 {
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":%q,"sample":%d,"reward":%d,"answer":"no. %d of %d"}`, item, j, min(1, j/2), i, j))
		}
		f.probe("reference", rollout.Top, item, fmt.Sprintf(`"reward":%d|"limit":0.99`, i/15))
		if i < 3 || i > 17 {
			f.probe("consensus", rollout.Note, item, `"reward":1|"share":0.9`)
		}
	}
	r := f.analyze(t)
	got := finding(t, r, "data.suspect", analysis.Advisory)
	if got.Status != analysis.Fail || len(got.Items) != 15 || got.Items[0] != "q0" {
		t.Errorf("%s: %s %v", got.Status, got.Title.String(), got.Items)
	}
	s := r.Grader.SuspectReferences
	if s[0].Answer == "" || s[0].Share != 0.9 || s[3].Answer != "" || s[3].Share != 0.75 || s[3].Reference != "payload of q3" || *s[3].ReferenceReward != 0 {
		t.Errorf("suspects are %+v", s[:4])
	}
}

// Rewards that fall with the length were once met with the advice to limit it.
func TestAdviceFollowsTheSignOfTheLength(t *testing.T) {
	f := &folder{}
	for i := range 30 {
		for j := range 6 {
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"answer":%q}`, i, j, 0.9-float64(j)/10-float64((i*j)%3)/10, strings.Repeat("é", 10<<j)))
		}
	}
	got := finding(t, f.analyze(t), "grader.length", analysis.Advisory)
	if got.Status != analysis.Fail || !strings.Contains(got.Title.String(), "shorter answers earn more") || !strings.Contains(got.Title.String(), "p < 0.001") {
		t.Errorf("%s: %s", got.Status, got.Title.String())
	}
	if strings.Contains(got.Remedy.String(), "limit the length") || !strings.Contains(got.Remedy.String(), "the long ones are longer by a factor of about 13.4 and earn about 0.417 less") {
		t.Errorf("remedy is %q", got.Remedy.String())
	}
}

// A probe that must not move the reward kept neither what it had been nor which
// way it went, and was held against a grader whose noise moves as much.
func TestMovedRewardsKnowTheirWay(t *testing.T) {
	build := func(again float64) analysis.ProbeResult {
		f := healthy()
		for i := range 100 {
			f.probe("regrade", rollout.Same, fmt.Sprint("q", i), fmt.Sprintf(`"reward":0,"grades":[0,%g]|"base":{"sample":0,"reward":0}`, again*float64(i%2)))
		}
		for i := range 20 {
			base, reward := 0.5, []float64{0.5, 0.5, 0.9, 0.1, 0}[i%5]
			f.probe("padding", rollout.Same, fmt.Sprint("q", i), fmt.Sprintf(`"reward":%g|"base":{"sample":2,"reward":%g}`, reward, base))
		}
		return f.analyze(t).Grader.Probes[0]
	}
	p := build(0)
	if p.Above != 12 || p.Up != 4 || p.Down != 8 || p.Noise || p.Holes[0].Base == nil || *p.Holes[0].Base != 0.5 {
		t.Errorf("the probe is %+v", p)
	}
	if p = build(1); !p.Noise {
		t.Errorf("a grader whose grades differ half of the time: %+v", p)
	}
}

// "On 1 items", "only 0 % of 20 references" and "1 of 1 items" were once written.
func TestCountsInWords(t *testing.T) {
	f := healthy()
	for i := range 20 {
		f.probe("reference", rollout.Top, fmt.Sprint("q", i), `"reward":0|"limit":0.99`)
	}
	f.probe("filler", rollout.Bottom, "q1", `"reward":1|"limit":0`)
	f.probe("consensus", rollout.Note, "q1", `"reward":0|"share":0.9`)
	r := f.analyze(t)
	for gate, want := range map[string]string{
		"grader.truth": "none of 20 references earned the top", "grader.hackable": "on the one item tried", "data.suspect": "on 1 item the",
	} {
		for _, got := range analysis.ByFact(r.Findings) {
			if got.Gate == gate && got.Status == analysis.Fail && !strings.Contains(got.Title.String(), want) {
				t.Errorf("%s says %q, want %q", gate, got.Title.String(), want)
			}
		}
	}
}

// Of 60 items, whose chances to be solved are spread evenly and whose mistakes
// are four times in five the same one, 0 or 30 have a wrong reference. Before, 21.5
// were suspect where none was wrong: hard items, of which some rollouts
// reach the reference.
func TestWrongReferencesAreToldFromHardItems(t *testing.T) {
	const worlds, items, samples = 10, 60, 8
	suspects := func(wrong int) (right, hard float64) {
		for world := range worlds {
			rng, f := seeded(uint64(world)), &folder{}
			mistaken := map[string]bool{}
			for i := range items {
				id := fmt.Sprint("q", i)
				mistaken[id] = i < wrong
				p, said := rng.Float64(), map[string]int{}
				for j := range samples {
					answer := "truth"
					if rng.Float64() > p {
						answer = "usual mistake"
						if rng.Float64() > 0.8 {
							answer = fmt.Sprint("mistake ", j)
						}
					}
					said[answer]++
					reward := 0
					if answer == "truth" && !mistaken[id] {
						reward = 1
					}
					f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":%q,"sample":%d,"reward":%d,"answer":%q}`, id, j, reward, answer))
				}
				f.probe("reference", rollout.Top, id, `"reward":1|"limit":0.99`)
				for answer, n := range said {
					if 2*n > samples && (answer != "truth" || mistaken[id]) {
						f.probe("consensus", rollout.Note, id, fmt.Sprintf(`"reward":0|"share":%g`, float64(n)/samples))
					}
				}
			}
			for _, s := range f.analyze(t).Grader.SuspectReferences {
				if mistaken[s.Item] {
					right += 1. / worlds
				} else {
					hard += 1. / worlds
				}
			}
		}
		return right, hard
	}
	if _, hard := suspects(0); hard > 11 {
		t.Errorf("%.1f of 60 right references are suspect", hard)
	}
	right, hard := suspects(30)
	if right < 20 || hard > 7 {
		t.Errorf("%.1f of 30 wrong references are suspect, and %.1f of 30 right ones", right, hard)
	}
	t.Logf("%.1f of 30 wrong references are suspect, and %.1f of 30 right ones", right, hard)
}
