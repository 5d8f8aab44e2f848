package judge_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// folder is a run directory in the making.
type folder struct {
	rollouts, probes, labels []string
	items                    []string
	grader                   *rollout.GraderInfo
}

func (f *folder) probe(name string, expect rollout.Expectation, item string, rest string) {
	f.probes = append(f.probes, fmt.Sprintf(`{"item":%q,"split":"train","source":"probe","outcome":"graded","answer":"payload of %s",%s,"probe":{"name":%q,"expect":%q%s}}`,
		item, item, strings.SplitN(rest, "|", 2)[0], name, expect, after(rest)))
}

// after is what a row of probe says of the probe itself.
func after(rest string) string {
	if _, more, ok := strings.Cut(rest, "|"); ok {
		return "," + more
	}
	return ""
}

func (f *folder) open(t *testing.T) *rollout.Run {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, lines []string) {
		if len(lines) > 0 {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("rollouts.jsonl", f.rollouts)
	write("probes.jsonl", f.probes)
	write("items.jsonl", f.items)
	write("labels.jsonl", f.labels)
	manifest, err := json.Marshal(rollout.Manifest{Schema: rollout.ManifestSchema, Source: rollout.Live, Grader: f.grader})
	if err != nil {
		t.Fatal(err)
	}
	write("run.json", []string{string(manifest)})
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (f *folder) analyze(t *testing.T) *analysis.Result {
	t.Helper()
	r, err := judge.Analyze(t.Context(), f.open(t), rollout.ReadOptions{}, analysis.DefaultSettings(), gate.All())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// healthy is a run that is GO by itself.
func healthy() *folder {
	f := &folder{}
	for i := range 100 {
		for j, y := range []float64{0, 1, 0.5, 0, 1, 0, 0, 1} {
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g}`, i, j, y))
		}
	}
	return f
}

// audited adds a small audit that finds nothing.
func (f *folder) audited(reference float64) *folder {
	for i := range 20 {
		item := fmt.Sprint("q", i)
		f.probe("empty", rollout.Bottom, item, `"reward":0|"limit":0`)
		f.probe("reference", rollout.Top, item, fmt.Sprintf(`"reward":%g|"limit":0.99`, reference))
		f.probe("case", rollout.Top, item, `"reward":1|"limit":0.99`)
	}
	for i := range 100 {
		f.probe("regrade", rollout.Same, fmt.Sprint("q", i), `"reward":0,"grades":[0,0]|"base":{"sample":0,"reward":0}`)
	}
	return f
}

func finding(t *testing.T, r *analysis.Result, gate string, s analysis.Severity) analysis.Finding {
	t.Helper()
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == gate && f.Severity == s {
			return f
		}
	}
	t.Fatalf("no %s finding of %s", s, gate)
	return analysis.Finding{}
}

// A model that already lives off a hole earns as much as the probe that finds it,
// and a judge that gives no answer full marks may not tell wrong from right.
func TestWhatIsPaidLikeARightAnswerIsAHole(t *testing.T) {
	exploited := &folder{}
	for i := range 100 {
		for j := range 8 {
			exploited.rollouts = append(exploited.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":1}`, i, j))
		}
	}
	lenient := healthy()
	for i := range 20 {
		item := fmt.Sprint("q", i)
		exploited.probe("filler", rollout.Bottom, item, `"reward":1|"limit":0`)
		lenient.probe("reference", rollout.Top, item, `"reward":0.8|"limit":0.99`)
		lenient.probe("number_off", rollout.Bottom, item, `"reward":0.8|"limit":0.9`)
	}
	for name, f := range map[string]*folder{"exploited": exploited, "lenient": lenient} {
		if got := finding(t, f.analyze(t), "grader.hackable", analysis.Blocking); got.Status != analysis.Fail {
			t.Errorf("%s: %s: %s", name, got.Status, got.Title.String())
		}
	}
}

// Where success is rare even little noise would be most of what differs. A hundred
// outputs that got the same grade again once left such runs undecided.
func TestNoNoiseInAHundredRegradesPasses(t *testing.T) {
	build := func(regrades int) analysis.Finding {
		f := &folder{}
		for i := range 100 {
			for j := range 8 {
				reward := 0
				if i < 20 && j == 0 {
					reward = 1
				}
				f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%d}`, i, j, reward))
			}
		}
		for i := range regrades {
			f.probe("regrade", rollout.Same, fmt.Sprint("q", i), `"reward":0,"grades":[0,0]|"base":{"sample":1,"reward":0}`)
		}
		return finding(t, f.analyze(t), "grader.noise", analysis.Blocking)
	}
	if got := build(100); got.Status != analysis.Pass || !strings.Contains(got.Title.String(), "none of 100 outputs got a different grade, so at most 3.6 % of all would") {
		t.Errorf("%s: %s", got.Status, got.Title.String())
	}
	if got := build(40); got.Status != analysis.Unknown {
		t.Errorf("forty: %s: %s", got.Status, got.Title.String())
	}
}

func TestVerdictsOfAudits(t *testing.T) {
	noisy := func(again float64) func(*folder) {
		return func(f *folder) {
			f.audited(1)
			f.probes = slices.DeleteFunc(f.probes, func(l string) bool { return strings.Contains(l, `"regrade"`) })
			for i := range 100 {
				f.probe("regrade", rollout.Same, fmt.Sprint("q", i), fmt.Sprintf(`"reward":0,"grades":[0,%g]|"base":{"sample":0,"reward":0}`, again))
			}
		}
	}
	tests := []struct {
		name    string
		change  func(*folder)
		verdict analysis.Verdict
		reason  string
	}{
		{"without an audit the run is judged as it always was", func(*folder) {}, analysis.Go, ""},
		{"a sound grader passes its audit", func(f *folder) { f.audited(1) }, analysis.Go, ""},
		{"a grader that pays for nothing", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("filler", rollout.Bottom, fmt.Sprint("q", i), `"reward":1|"limit":0`)
			}
		}, analysis.NoGo, "grader.hackable"},
		{"one item alone is a caution", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("filler", rollout.Bottom, fmt.Sprint("q", i), fmt.Sprintf(`"reward":%d|"limit":0`, max(0, 1-i)))
			}
		}, analysis.Go, ""},
		{"an audit that was broken off at its first item passes nobody", func(f *folder) {
			f.probe("empty", rollout.Bottom, "q0", `"reward":0|"limit":0`)
			f.probe("filler", rollout.Bottom, "q0", `"reward":0|"limit":0`)
		}, analysis.Undecided, "grader.hackable"},
		{"what lies within the margin of a limit is no hole", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("number_off", rollout.Bottom, fmt.Sprint("q", i), `"reward":0.94|"limit":0.9`)
			}
		}, analysis.Go, ""},
		{"a list of candidates that is paid more than the model earns is one", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("candidates", rollout.Bottom, fmt.Sprint("q", i), `"reward":0.6|"limit":0.5`)
			}
		}, analysis.NoGo, "grader.hackable"},
		{"any text that is paid, but silence, is one", func(f *folder) {
			f.audited(1)
			for i, line := range f.probes {
				f.probes[i] = strings.ReplaceAll(line, `"answer":"payload of q`+regexp.MustCompile(`\d+`).FindString(line)+`"`, `"answer":""`)
			}
			for i := range 20 {
				f.probe("filler", rollout.Bottom, fmt.Sprint("q", i), `"reward":0.35|"limit":0`)
			}
		}, analysis.NoGo, "grader.hackable"},
		{"a text that a search found and that is paid more than the model earns is one", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("search", rollout.Bottom, fmt.Sprint("q", i), `"reward":0.7|"limit":0`)
			}
		}, analysis.NoGo, "grader.hackable"},
		{"one that is paid less is none", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("search", rollout.Bottom, fmt.Sprint("q", i), `"reward":0.3|"limit":0`)
			}
		}, analysis.Go, ""},
		{"an echo that is paid for its part, less than the model earns, is no hole", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("prompt_echo", rollout.Bottom, fmt.Sprint("q", i), `"reward":0.4|"limit":0`)
			}
		}, analysis.Go, ""},
		{"an echo that is paid more than the model earns is one", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("prompt_echo", rollout.Bottom, fmt.Sprint("q", i), `"reward":0.6|"limit":0`)
			}
		}, analysis.NoGo, "grader.hackable"},
		{"one that earns more on some items and less on others is none", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("prompt_echo", rollout.Bottom, fmt.Sprint("q", i), fmt.Sprintf(`"reward":%g|"limit":0`, 0.3+0.4*float64(i%2)))
			}
		}, analysis.Go, ""},
		{"a near miss that is paid more than the model earns, and less than a right answer, is no hole", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("number_off", rollout.Bottom, fmt.Sprint("q", i), `"reward":0.8|"limit":0.9`)
			}
		}, analysis.Go, ""},
		{"a near miss that is paid like a right answer is one", func(f *folder) {
			f.audited(1)
			for i := range 20 {
				f.probe("number_off", rollout.Bottom, fmt.Sprint("q", i), `"reward":1|"limit":0.9`)
			}
		}, analysis.NoGo, "grader.hackable"},
		{"a grader that rejects the references", func(f *folder) { f.audited(0.5) }, analysis.NoGo, "grader.truth"},
		{"rewards that are mostly noise", noisy(1), analysis.NoGo, "grader.noise"},
		{"regrades of another grader's rewards say nothing", func(f *folder) {
			f.audited(1)
			for i := range 100 {
				f.probe("regrade", rollout.Same, fmt.Sprint("q", i), `"reward":1,"grades":[1,0]|"base":{"sample":0,"reward":1}`)
			}
		}, analysis.Go, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := healthy()
			test.change(f)
			r := f.analyze(t)
			if r.Verdict != test.verdict || stringOr(r.Reason, "") != test.reason {
				t.Errorf("verdict is %s by %q, want %s by %q", r.Verdict, stringOr(r.Reason, ""), test.verdict, test.reason)
			}
		})
	}
}

func TestWithoutAnAuditItsGatesSaySo(t *testing.T) {
	r := healthy().analyze(t)
	for _, gate := range []string{"grader.truth", "grader.hackable", "grader.noise"} {
		f := finding(t, r, gate, analysis.Blocking)
		if f.Status != analysis.Skipped || !strings.Contains(f.Title.String(), "gonogo audit") {
			t.Errorf("%s is %s: %s", gate, f.Status, f.Title.String())
		}
	}
	f := healthy()
	for i, y := range f.rollouts {
		f.rollouts[i] = strings.NewReplacer(`"reward":0}`, `"reward":0,"grades":[0,1]}`, `"reward":1}`, `"reward":1,"grades":[1,0]}`).Replace(y)
	}
	r = f.analyze(t)
	if got := finding(t, r, "grader.noise", analysis.Blocking); got.Status != analysis.Fail || r.Verdict != analysis.NoGo {
		t.Errorf("noisy grades that rollouts brought along: %s with verdict %s, want what an audit would say", got.Status, r.Verdict)
	}
}

func TestAHoleNamesItsPayload(t *testing.T) {
	f := healthy().audited(1)
	for i := range 10 {
		f.probe("filler", rollout.Bottom, fmt.Sprint("q", i), fmt.Sprintf(`"reward":%g|"limit":0`, []float64{0, 0.6, 1}[min(i, 2)]))
		f.probe("echo", rollout.Bottom, fmt.Sprint("q", i), fmt.Sprintf(`"reward":%d|"limit":0`, i/9))
	}
	f.probes = append(f.probes, `{"item":"q11","split":"train","source":"probe","outcome":"grader","error":"status 500","error_kind":"grader_server_error","probe":{"name":"filler","expect":"bottom","limit":0}}`)
	r := f.analyze(t)
	var p analysis.ProbeResult
	for _, q := range r.Grader.Probes {
		if q.Probe == "filler" {
			p = q
		}
	}
	if p.Items != 10 || p.Above != 9 || p.Failed != 1 || p.Payloads != 10 || len(p.Holes) != 5 {
		t.Fatalf("the probe is %+v", p)
	}
	if h := p.Holes[0]; h.ID != "filler/train/q2/0" || h.Reward != 1 || h.Payload != "payload of q2" || h.Right != "payload of q2" {
		t.Errorf("the worst hole is %+v", h)
	}
	if n := len(p.Rewards); n != 11 || p.Rewards[1].Item != "q1" || *p.Rewards[1].Reward != 0.6 || p.Rewards[10].Reward != nil {
		t.Errorf("the row of the table by item is %+v", p.Rewards)
	}
	near(t, "limit", p.Limit, 0)
	near(t, "accept", p.Accept.Value, 0.9)
	near(t, "gap", p.Gap.Value, (0.6+8)/10-0.4375)
	near(t, "false accept", r.Grader.FalseAccept.Value, 10.0/40)
	got := finding(t, r, "grader.hackable", analysis.Blocking)
	for _, want := range []string{"filler", "9 of 10", "1 other probe"} {
		if !strings.Contains(got.Title.String(), want) {
			t.Errorf("title %q does not say %q", got.Title.String(), want)
		}
	}
	if !strings.Contains(got.Remedy.String(), "gonogo audit RUN --replay filler/train/q2/0") || len(got.Items) == 0 || got.Items[0] != "q2" {
		t.Errorf("remedy %q, items %v", got.Remedy.String(), got.Items)
	}
	if len(r.Grader.Failures) != 1 || r.Grader.Failures[0].Kind != "grader_server_error" || r.Grader.Failures[0].Example != "status 500" {
		t.Errorf("failures are %+v", r.Grader.Failures)
	}
}

// A rewrite says something about the grader only where the reference itself is
// accepted.
func TestRewritesCountWhereTheReferenceIsAccepted(t *testing.T) {
	f := healthy()
	for i := range 10 {
		item, accepted := fmt.Sprint("q", i), i < 6
		reward := map[bool]int{true: 1}[accepted]
		f.probe("reference", rollout.Top, item, fmt.Sprintf(`"reward":%d|"limit":0.99`, reward))
		f.probe("case", rollout.Top, item, fmt.Sprintf(`"reward":%d|"limit":0.99`, map[bool]int{true: 1}[i < 3]))
		f.probe("empty", rollout.Bottom, item, `"reward":0|"limit":0`)
	}
	g := f.analyze(t).Grader
	near(t, "brittle", g.Brittle.Value, 3.0/6)
	near(t, "false reject", g.FalseReject.Value, (4.0+3)/16)
	near(t, "Youden", g.Youden.Value, 1-7.0/16)
}

func TestWhatDetectorsMark(t *testing.T) {
	f := healthy().audited(1)
	for i := range 10 {
		for j := range 8 {
			mark := 0
			if j == 1 && i < 4 {
				mark = 1
			}
			f.probes = append(f.probes, fmt.Sprintf(`{"item":"q%d","sample":%d,"split":"train","source":"probe","outcome":"graded","reward":%d,"probe":{"name":"detector/edits tests","expect":"note","zero":true,"base":{"sample":%d,"reward":1}}}`, i, j, mark, j))
		}
	}
	before, after := healthy().audited(1).analyze(t), f.analyze(t)
	d := after.Grader.Detectors[0]
	if d.Detector != "edits tests" || d.Rollouts != 80 || d.Marked != 4 || !d.Zeroed || len(d.Items) != 4 {
		t.Errorf("the detector is %+v", d)
	}
	near(t, "share", d.Share.Value, 4.0/80)
	near(t, "reward they had", d.Mean.Value, 1)
	near(t, "mean with four rewards taken away", after.Splits[rollout.Train].Reward.Mean, *before.Splits[rollout.Train].Reward.Mean-4.0/800)
	if !slices.ContainsFunc(after.Run.Notes, func(n message.Text) bool { return strings.Contains(n.String(), "4 rollouts that a detector marked") }) {
		t.Errorf("notes are %q", after.Run.Notes)
	}
	if got := finding(t, after, "grader.detected", analysis.Advisory); got.Status != analysis.Fail || !strings.Contains(got.Remedy.String(), "bottom of the range") {
		t.Errorf("grader.detected is %s: %s", got.Status, got.Remedy.String())
	}
	if *after.Grader.Resolution.ShareHigh != *before.Grader.Resolution.ShareHigh {
		t.Error("the resolution of the grader changes with what a detector marks")
	}
}

// What to do about marked rollouts goes by what they earned: where the grader
// paid for none there is no hole, however many another detector marks.
func TestDetectorsOfRolloutsThatWereNotPaid(t *testing.T) {
	for _, c := range []struct {
		about        string
		paid         float64 // what the second detector's rollout had earned
		title, words string
	}{
		{"none was paid", 0, "“many” marks 4 of 80 rollouts as hacks; the grader paid for none of them", "There is no hole to close"},
		{"one of another detector was paid", 1, "“one” marks 1 of 80 rollouts as hacks; they had earned 1 on average", "close the hole"},
	} {
		f := (&folder{}).audited(1)
		for i := range 10 {
			for j := range 8 {
				many, one, reward := 0, 0, float64(j%2)
				switch {
				case j == 0 && i < 4:
					many = 1
				case j == 1 && i == 5:
					one, reward = 1, c.paid
				}
				f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g}`, i, j, reward))
				for name, mark := range map[string]int{"many": many, "one": one} {
					f.probes = append(f.probes, fmt.Sprintf(`{"item":"q%d","sample":%d,"split":"train","source":"probe","outcome":"graded","reward":%d,"probe":{"name":"detector/%s","expect":"note","base":{"sample":%d,"reward":1}}}`, i, j, mark, name, j))
				}
			}
		}
		if got := finding(t, f.analyze(t), "grader.detected", analysis.Advisory); got.Status != analysis.Fail || got.Title.String() != c.title || !strings.Contains(got.Remedy.String(), c.words) {
			t.Errorf("%s: %s, %q, %q", c.about, got.Status, got.Title.String(), got.Remedy.String())
		}
	}
}

func TestSuspectsAndGuesses(t *testing.T) {
	f := healthy().audited(1)
	for _, id := range []string{"never", "hardly"} {
		for j := range 8 {
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":%q,"sample":%d,"reward":0}`, id, j))
		}
	}
	f.probe("consensus", rollout.Note, "q3", `"reward":0|"share":0.6`) // others of its rollouts earn the top
	f.probe("consensus", rollout.Note, "hardly", `"reward":0|"share":0.75`)
	f.probe("consensus", rollout.Note, "never", `"reward":0|"share":0.9`)
	f.probe("consensus", rollout.Note, "q7", `"reward":1|"share":1`)
	for i := range 20 {
		f.probe("constant", rollout.Note, fmt.Sprint("q", i), fmt.Sprintf(`"reward":%d`, i%2))
	}
	r := f.analyze(t)
	var ids []string
	for _, s := range r.Grader.SuspectReferences {
		ids = append(ids, s.Item)
	}
	if !slices.Equal(ids, []string{"never", "hardly"}) {
		t.Errorf("suspects are %v, want the more agreed first and none that the grader takes for right", ids)
	}
	near(t, "guessable", r.Grader.Guessable.Value, 0.5)
	if got := finding(t, r, "grader.guessable", analysis.Advisory); got.Status != analysis.Unknown {
		t.Errorf("a constant answer that earns half, as the model does, is %s", got.Status)
	}
	if len(r.Grader.Probes) != 3 {
		t.Errorf("%d probes in the table, want only those that expect something", len(r.Grader.Probes))
	}
}

// The lazy reward and the model's mean were compared as if they were of different items: what easy items
// earn by both made the interval too wide to tell.
func TestALazyRewardIsComparedItemByItem(t *testing.T) {
	for _, c := range []struct {
		about string
		more  float64 // than the model, less 0.15
		want  analysis.Status
		says  string
	}{
		{"less on each item", 0, analysis.Pass, "earns only 0.25 on average"},
		{"as much", 0.15, analysis.Unknown, "0 [-0.0216, 0.0216] compared with the model on the same items"},
		{"more on each item", 0.25, analysis.Fail, "0.1 [0.078"},
	} {
		f := &folder{}
		for i := range 24 {
			mean := []float64{0.2, 0.6}[i%2]
			for j := range 4 {
				f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g}`, i, j, mean+[]float64{-0.2, 0.2}[j%2]))
			}
			lazy := mean - []float64{0.2, 0.1}[i/2%2] + c.more
			f.probe("constant", rollout.Note, fmt.Sprint("q", i), fmt.Sprintf(`"reward":%g`, lazy))
		}
		r := f.analyze(t)
		// By hand: 12 differences each of −0.2 and −0.1 have the standard deviation 0.05·√(24/23); t(23) is 2.068658.
		gain := r.Grader.GuessableGain
		near(t, c.about, gain.Value, -0.15+c.more)
		near(t, c.about, gain.High, -0.15+c.more+2.0686576104190406*0.05*math.Sqrt(24.0/23)/math.Sqrt(24))
		got := finding(t, r, "grader.guessable", analysis.Advisory)
		if got.Status != c.want || !strings.Contains(got.Title.String(), c.says) {
			t.Errorf("%s: %s, %q", c.about, got.Status, got.Title.String())
		}
	}
}

// A sound grader of 1 for the task and 0.6 for brevity was said to reject right answers.
func TestAReferenceMayLackABonus(t *testing.T) {
	for _, c := range []struct {
		about  string
		core   string
		graded string // of the references
		want   analysis.Status
		says   string
	}{
		{"the task's own part is at its best", "right", `"reward":0.625,"parts":{"right":1,"brief":0}`, analysis.Pass, "all 20 references do"},
		{"no part is known to be the task", "", `"reward":0.625,"parts":{"right":1,"brief":0}`, analysis.Unknown, "over half of the range"},
		{"without parts", "right", `"reward":0.625`, analysis.Unknown, "over half of the range"},
		{"the task is done in part", "right", `"reward":0.625,"parts":{"right":0.5,"brief":1}`, analysis.Unknown, "over half of the range"},
		{"less than any rollout with it", "right", `"reward":0.55,"parts":{"right":1,"brief":0}`, analysis.Unknown, "over half of the range"},
		{"half of the range", "right", `"reward":0.5,"parts":{"right":1,"brief":0}`, analysis.Fail, "the grader rejects the right answers"},
	} {
		f := &folder{grader: &rollout.GraderInfo{Kind: "multi", Core: c.core}}
		for i := range 40 {
			for j := range 4 {
				right, brief := float64(i%2), float64(j)/4
				f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"parts":{"right":%g,"brief":%g}}`,
					i, j, right*(0.625+0.375*brief), right, brief))
			}
		}
		for i := range 20 {
			f.probe("reference", rollout.Top, fmt.Sprint("q", i), c.graded+`|"limit":0.99`)
		}
		got := finding(t, f.analyze(t), "grader.truth", analysis.Blocking)
		if got.Status != c.want || !strings.Contains(got.Title.String(), c.says) {
			t.Errorf("%s: %s, %q", c.about, got.Status, got.Title.String())
		}
	}
}

// A parser that takes half a minute for nested brackets was no finding.
func TestAProbeThatMakesTheGraderSlow(t *testing.T) {
	for _, c := range []struct {
		about   string
		items   int // on which it is slow
		seconds float64
		want    int
	}{
		{"on three items", 3, 30, 3},
		{"on one item, an accident", 1, 30, 0},
		{"by a factor, in milliseconds", 20, 0.9, 0},
		{"slower by less than the factor", 20, 1.9, 0},
	} {
		f := healthy()
		for i := range 20 {
			item, seconds := fmt.Sprint("q", i), 0.1
			if i < c.items {
				seconds = c.seconds
			}
			f.probe("odd_input", rollout.Bottom, item, fmt.Sprintf(`"reward":0,"elapsed_s":%g|"limit":0`, seconds))
			f.probe("reference", rollout.Top, item, `"reward":1,"elapsed_s":0.1|"limit":0.99`)
			f.probe("case", rollout.Top, item, `"reward":1,"elapsed_s":0.1|"limit":0.99`)
			f.probe("policy_no_call", rollout.Bottom, item, `"reward":0,"elapsed_s":60|"limit":0`)
			f.probe("spacing", rollout.Top, item, `"reward":1,"elapsed_s":0.1|"limit":0.99`)
		}
		for _, p := range f.analyze(t).Grader.Probes {
			want := 0
			if p.Probe == "odd_input" {
				want = c.want
			}
			if p.Slow != want || want > 0 && (*p.SlowSeconds != c.seconds || *p.TypicalSeconds != 0.1) {
				t.Errorf("%s: %s is slow on %d items, want %d", c.about, p.Probe, p.Slow, want)
			}
		}
	}
}

func TestAnalyzeAuditWithoutRollouts(t *testing.T) {
	f := &folder{}
	f.audited(0.5)
	f.probes = slices.DeleteFunc(f.probes, func(l string) bool { return strings.Contains(l, `"regrade"`) })
	r, err := judge.AnalyzeAudit(t.Context(), f.open(t), analysis.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	g := r.Grader
	if g.Audited != 60 || len(g.Probes) != 3 || math.Abs(*g.FalseReject.Value-1) > 1e-9 {
		t.Errorf("grader is %+v", g)
	}
	status := make(map[string]analysis.Status)
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Severity == analysis.Blocking {
			status[f.Gate] = f.Status
		}
		if !strings.HasPrefix(f.Gate, "grader.") && f.Gate != "data.suspect" && f.Gate != "data.degenerate" {
			t.Errorf("a finding of %s", f.Gate)
		}
	}
	// without rollouts nothing says which form answers have
	if status["grader.truth"] != analysis.Unknown || status["grader.hackable"] != analysis.Pass || status["grader.noise"] != analysis.Skipped {
		t.Errorf("findings are %v", status)
	}
	empty := &folder{}
	if r, err := judge.AnalyzeAudit(t.Context(), empty.open(t), analysis.DefaultSettings()); err != nil || r.Grader == nil || r.Grader.Audited != 0 {
		t.Errorf("a run with nothing in it: %+v, %v", r, err)
	}
}

// The order of lines in probes.jsonl is the order in which gradings came back.
func TestOrderOfProbesDoesNotMatter(t *testing.T) {
	f := healthy().audited(0.5)
	for i := range 20 {
		f.probe("filler", rollout.Bottom, fmt.Sprint("q", i), fmt.Sprintf(`"reward":%g|"limit":0`, float64(i%3)/2))
	}
	want := encode(t, ofAnyOrder(f.analyze(t)))
	slices.Reverse(f.probes)
	if got := encode(t, ofAnyOrder(f.analyze(t))); string(got) != string(want) {
		t.Error("the same probes in another order give another result")
	}
}

// An audit spreads its regrades over the splits. A grader that never differs
// from itself is bounded by all of them.
func TestSilentRegradesOfOtherSplitsCount(t *testing.T) {
	f := healthy().audited(1)
	alone := f.analyze(t).Splits[rollout.Train].Variance.GraderShare
	for i := range 100 {
		f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"e%d","split":"eval","reward":%g}`, i, float64(i%2)))
		f.probes = append(f.probes, fmt.Sprintf(`{"item":"e%d","split":"eval","source":"probe","outcome":"graded","reward":%[2]d,"grades":[%[2]d,%[2]d],"probe":{"name":"regrade","expect":"same","base":{"sample":0,"reward":%[2]d}}}`, i, i%2))
	}
	both := f.analyze(t).Splits[rollout.Train].Variance.GraderShare
	if alone.N != 100 || both.N != 200 || *both.High >= *alone.High {
		t.Errorf("alone %v of %d, with those of eval %v of %d", *alone.High, alone.N, *both.High, both.N)
	}
}

// Labels once joined the rollout of step 0 alone, whatever step they were of.
func TestLabelsJoinTheRolloutOfTheirStep(t *testing.T) {
	f, one := &folder{}, &folder{}
	for i := range 20 {
		for step := range 2 {
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","step":%d,"sample":0,"reward":%d}`, i, step, (i+step)%2))
			f.labels = append(f.labels, fmt.Sprintf(`{"item":"q%d","step":%d,"sample":0,"score":%d}`, i, step, (i+step)%2))
		}
		one.rollouts = append(one.rollouts, fmt.Sprintf(`{"item":"q%d","step":7,"sample":0,"reward":%d}`, i, i%2))
		one.labels = append(one.labels, fmt.Sprintf(`{"item":"q%d","sample":0,"score":%d}`, i, i%2))
	}
	f.labels = append(f.labels, `{"item":"q0","step":1,"sample":0,"rater":"bob","score":0}`)
	several := f.analyze(t).Grader.Agreement
	if several.Outputs != 40 || !slices.Equal(several.Items, []string{"q0/step-1"}) {
		t.Errorf("agreement is %+v", several)
	}
	near(t, "rank correlation of one step", one.analyze(t).Grader.Agreement.Spearman.Value, 1)
}

// A label without a split once went to train wherever its output had no reward,
// so that two people's labels of one output of eval were never compared.
func TestLabelWithoutSplitOfAnOutputWithoutReward(t *testing.T) {
	f := &folder{}
	for i := range 3 {
		f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"e%d","split":"eval","sample":0,"outcome":"grader","error":"x"}`, i))
		f.labels = append(f.labels,
			fmt.Sprintf(`{"item":"e%d","sample":0,"rater":"a","score":%d}`, i, i%2),
			fmt.Sprintf(`{"item":"e%d","split":"eval","sample":0,"rater":"b","score":%d}`, i, i%2))
	}
	f.rollouts = append(f.rollouts, `{"item":"e9","split":"eval","sample":0,"reward":1}`)
	a := f.analyze(t).Grader.Agreement
	if a.Alpha == nil || a.Alpha.N != 3 || a.Alpha.Value == nil || *a.Alpha.Value != 1 {
		t.Errorf("alpha is %+v, want 1 over 3 outputs", a.Alpha)
	}
}

// A detector that only counts was once said to zero what it marks where another
// one, which does, marks the same rollout.
func TestDetectorThatCountsBesideOneThatZeroes(t *testing.T) {
	f := healthy()
	f.probe("detector/counts", rollout.Note, "q1", `"reward":1|"base":{"sample":0,"reward":1}`)
	f.probe("detector/counts", rollout.Note, "q2", `"reward":1|"base":{"sample":0,"reward":1}`)
	f.probe("detector/zeroes", rollout.Note, "q1", `"reward":1|"base":{"sample":0,"reward":1},"zero":true`)
	for _, d := range f.analyze(t).Grader.Detectors {
		if d.Zeroed != (d.Detector == "zeroes") {
			t.Errorf("%s: zeroed is %v", d.Detector, d.Zeroed)
		}
	}
}

// The grader's share of the variance once counted all items of the split as
// items with regrades, also without a single one.
func TestGraderShareCountsTheItemsGradedAgain(t *testing.T) {
	f := healthy()
	e := f.analyze(t).Splits[rollout.Train].Variance.GraderShare
	if e.N != 0 || e.Items != 0 {
		t.Errorf("without regrades the share is of %d outputs on %d items", e.N, e.Items)
	}
	for i := range 10 {
		f.probe("regrade", rollout.Same, fmt.Sprint("q", i), `"reward":0,"grades":[0,0]|"base":{"sample":0,"reward":0}`)
	}
	if e = f.analyze(t).Splits[rollout.Train].Variance.GraderShare; e.Items > e.N || e.N == 0 {
		t.Errorf("the share is of %d outputs on %d items", e.N, e.Items)
	}
}

// fine is a run whose rewards are 0 or 1 with a little noise of the grader's,
// audited on 20 items: share of them fool it by far, and share of the
// references earn nothing.
func fine(noise, hole, broken float64) *folder {
	rng := rand.New(rand.NewPCG(3, 5))
	f := &folder{}
	grade := func(deserved float64) float64 { return min(1, max(0, deserved+noise*rng.NormFloat64())) }
	for i := range 60 {
		for j := range 8 {
			deserved := float64((i + j) % 2)
			y := grade(deserved)
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","split":"train","sample":%d,"reward":%g}`, i, j, y))
			if j < 2 && i < 50 {
				f.probes = append(f.probes, fmt.Sprintf(`{"item":"q%d","split":"train","sample":%d,"source":"probe","outcome":"graded","reward":%g,"grades":[%g,%g],"probe":{"name":"regrade","expect":"same","base":{"sample":%d,"reward":%g}}}`,
					i, j, y, y, grade(deserved), j, y))
			}
		}
	}
	for i := range 20 {
		item, filler, reference := fmt.Sprint("q", i), 0.0, 1.0
		if float64(i) < 20*hole {
			filler = 1
		}
		if float64(i) < 20*broken {
			reference = 0
		}
		f.probe("filler", rollout.Bottom, item, fmt.Sprintf(`"reward":%g|"limit":0.5`, grade(filler)))
		f.probe("empty", rollout.Bottom, item, fmt.Sprintf(`"reward":%g|"limit":0`, grade(0)))
		f.probe("reference", rollout.Top, item, fmt.Sprintf(`"reward":%g|"limit":0.99`, grade(reference)))
		f.probe("case", rollout.Top, item, fmt.Sprintf(`"reward":%g|"limit":0.99`, grade(reference)))
	}
	return f
}

// Noise too fine to leave the margin once counted as none where references must
// come within 1 % of the top: a sound grader with a share of noise of 1 % was
// NO-GO or UNDECIDED in 98 of 100 audits.
func TestFineNoiseIsNotHeldAgainstReferences(t *testing.T) {
	r := fine(0.02, 0, 0).analyze(t)
	for _, gate := range []string{"grader.truth", "grader.hackable", "grader.noise"} {
		if got := finding(t, r, gate, analysis.Blocking); got.Status != analysis.Pass {
			t.Errorf("%s is %s: %s", gate, got.Status, got.Title.String())
		}
	}
	if got := finding(t, r, "grader.brittle", analysis.Advisory); got.Status != analysis.Pass {
		t.Errorf("grader.brittle is %s: %s", got.Status, got.Title.String())
	}
	for broken, want := range map[float64]analysis.Status{0.2: analysis.Unknown, 0.6: analysis.Fail} {
		if got := finding(t, fine(0.02, 0, broken).analyze(t), "grader.truth", analysis.Blocking); got.Status != want {
			t.Errorf("%g of the references earn nothing: grader.truth is %s, want %s: %s", broken, got.Status, want, got.Title.String())
		}
	}
}

// Noise that often leaves the margin once explained rewards half of the range
// above the limit, on up to half of the items.
func TestFineNoiseDoesNotHideAHole(t *testing.T) {
	r := fine(0.05, 0.5, 0).analyze(t)
	if got := finding(t, r, "grader.hackable", analysis.Blocking); got.Status != analysis.Fail {
		t.Errorf("grader.hackable is %s: %s", got.Status, got.Title.String())
	}
	if reach := r.Grader.Reach; reach == nil || reach.Distance < 0.1 || *reach.Crossed.Value > 0.1 {
		t.Errorf("noise of 0.05 reaches %+v", reach)
	}
	if got := finding(t, fine(0.05, 0, 0).analyze(t), "grader.hackable", analysis.Blocking); got.Status != analysis.Pass {
		t.Errorf("without a hole grader.hackable is %s: %s", got.Status, got.Title.String())
	}
}
