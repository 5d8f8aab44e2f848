package judge_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// rows makes lines of n samples for m items; reward gives that of item i,
// sample j.
func rows(m, n int, reward func(i, j int) float64) []string {
	var out []string
	for i := range m {
		for j := range n {
			out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g}`, i, j, reward(i, j)))
		}
	}
	return out
}

// A mixed item with as many samples as the group counts 1 in the unbiased
// share, however near it was to showing nothing.
func TestMixedItemIsNotCertainToStayMixed(t *testing.T) {
	for _, n := range []int{4, 8} { // fewer samples than the group, and as many
		r := analyze(t, analysis.DefaultSettings(), rows(30, n, func(i, j int) float64 {
			if (i < 15 && j == 0) || (i >= 15 && j%2 == 0) {
				return 1
			}
			return 0
		}))
		for _, it := range r.Splits[rollout.Train].Classes.Items {
			if it.Class != analysis.Mixed || it.Stays == nil || *it.Stays <= 0.3 || *it.Stays >= 1 {
				t.Errorf("n = %d: item %s is %s and stays so with probability %v, want one below 1", n, it.Item, it.Class, it.Stays)
			}
		}
	}
}

// One success in eight of every item: a dead one among them is chance, and
// stays dead with (7/8)^8 = 0.34 at most.
func TestDeadItemAmongItemsAlikeIsChance(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), rows(60, 8, func(i, j int) float64 {
		if i > 0 && j == i%8 {
			return 1
		}
		return 0
	}))
	dead := r.Splits[rollout.Train].Classes.Items[0]
	if dead.Class != analysis.Dead || *dead.Stays > 0.4 || dead.SamplesToTell != nil {
		t.Errorf("the dead item is %+v, want it to stay so with 0.34 and no number of samples to tell", dead)
	}
}

// Without sample numbers the order of lines decides which sample is which; no
// sum may hang on it.
func TestOrderOfUnnumberedLinesDoesNotMatter(t *testing.T) {
	var all []string
	for i, ys := range ladder() {
		for j, y := range ys {
			all = append(all, fmt.Sprintf(`{"item":"q%d","reward":%g}`, i, y/3+float64(j)/70))
		}
	}
	encode := func(lines []string) string {
		var b bytes.Buffer
		if err := ofAnyOrder(analyze(t, analysis.DefaultSettings(), lines)).Encode(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	forward := encode(all)
	slices.Reverse(all)
	if encode(all) != forward {
		t.Error("the result changes with the order of lines")
	}
}

// Two items do not settle anything, however often they are sampled.
func TestNeedsOfFewItemsAreNotFewItems(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), []string{`{"item":"a","reward":1}`, `{"item":"b","reward":0.5}`})
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Status == analysis.Unknown && f.Needs != nil && f.Needs.Items < 3 {
			t.Errorf("%s %s says that %d items settle it", f.Severity, f.Gate, f.Needs.Items)
		}
	}
}

// A mean at or above the ceiling was said to lie a negative distance below it.
func TestAMeanAtOrAboveTheCeilingIsSaidToLieThere(t *testing.T) {
	for _, c := range []struct {
		about       string
		value, low  float64
		high        float64
		title, tail string
	}{
		{"above", -0.00239, -0.01134, 0.00673, "the mean reward of 0.752 is 0.00239 above the ceiling of 0.75", "too low."},
		{"at", 1e-17, -1e-17, 0.02, "the mean reward of 0.75 is at the ceiling of 0.75", "use the model as it is."},
		{"below", 0.02, 0.01, 0.025, "the mean reward of 0.73 is 0.02 below the ceiling of 0.75", "use the model as it is."},
		{"perhaps above", 0.02, -0.02, 0.06, "the mean reward is between 0.02 above and 0.06 below the ceiling of 0.75", ""},
		{"perhaps too near", 0.02, 0.01, 0.06, "the mean reward is 0.01 to 0.06 below the ceiling of 0.75", ""},
	} {
		mean := stat.Estimate{Value: stat.FiniteOrNil(0.75 - c.value), Low: stat.FiniteOrNil(0.75 - c.high), High: stat.FiniteOrNil(0.75 - c.low), N: 80, Items: 10}
		r := &analysis.Result{RewardRange: [2]float64{0, 1}, Ceiling: 0.75, GroupSize: 8, Confidence: 0.95, Splits: map[rollout.Split]*analysis.SplitResult{
			rollout.Eval: {Reward: analysis.Reward{Estimate: mean}, Samples: analysis.Spread{Median: 8}},
		}}
		i := slices.IndexFunc(gate.All(), func(g *analysis.Gate) bool { return g.Name == "baseline.headroom" })
		f := gate.All()[i].Judge(r, nil)[0]
		if !strings.HasSuffix(f.Title.String(), c.title) || !strings.HasSuffix(f.Remedy.String(), c.tail) || strings.ContainsAny(f.Remedy.String(), "{}") {
			t.Errorf("%s: %q, %q", c.about, f.Title.String(), f.Remedy.String())
		}
	}
}

// A ceiling below the top of the range moves the range that headroom lies in:
// what settles the headroom is what settles the mean.
func TestNeedsOfHeadroomUnderACeiling(t *testing.T) {
	ceiling := 0.5
	s := analysis.DefaultSettings()
	s.Ceiling, s.Normalize = &ceiling, analysis.NormalizeNone
	r := analyze(t, s, rows(24, 8, func(i, j int) float64 { return float64(i%2) * (0.9 - 0.02*float64(j%2)) }))
	mean := r.Splits[rollout.Train].Reward.Estimate
	want, ok := stat.Needed(mean, ceiling-0.03, mean.Items, &s.RewardRange, s.Confidence)
	if !ok {
		t.Fatal("the mean sits on the threshold")
	}
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == "baseline.headroom" && f.Severity == analysis.Blocking && (f.Needs == nil || f.Needs.Items != want) {
			t.Errorf("headroom needs %+v, want %d items", f.Needs, want)
		}
	}
}

// Rewards up to 1e308 made the width of the range infinite, and the histogram
// panicked.
func TestRangeWithoutDigitsIsRefused(t *testing.T) {
	for _, r := range []stat.Range{{Lo: -1e308, Hi: 1e308}, {Lo: 0, Hi: 1e300}, {Lo: 1e12, Hi: 1e12 + 1}, {Lo: 0, Hi: 1e-310}} {
		s := analysis.DefaultSettings()
		s.RewardRange = r
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "reward_range") {
			t.Errorf("range [%g, %g]: error is %v, want one that names reward_range", r.Lo, r.Hi, err)
		}
	}
	for _, r := range []stat.Range{{Lo: -1, Hi: 1}, {Lo: 0, Hi: 1e9}, {Lo: 1000, Hi: 1000.5}, {Lo: 0, Hi: 1e-9}} {
		s := analysis.DefaultSettings()
		s.RewardRange = r
		if err := s.Validate(); err != nil {
			t.Errorf("range [%g, %g]: %v", r.Lo, r.Hi, err)
		}
	}
}

// A planned split without any record was left out: no finding spoke of it, and
// its rollouts were not counted as not run.
func TestAPlannedSplitWithoutRecordsIsNotForgotten(t *testing.T) {
	dir := t.TempDir()
	w, err := rollout.Create(dir, rollout.Manifest{
		Source:  rollout.Live,
		Planned: &rollout.Planned{Samples: map[rollout.Split]int{rollout.Train: 4, rollout.Eval: 4}, Items: map[rollout.Split]int{rollout.Train: 24, rollout.Eval: 10}},
	}, nil, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		for j := range 4 {
			reward := float64((i+j)%2) / 2
			rec := &rollout.Record{Item: fmt.Sprint("q", i), Split: rollout.Train, Sample: j, Source: rollout.Live, Outcome: rollout.Graded, Reward: &reward}
			if err := w.Append(rec); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := analysis.DefaultSettings()
	s.GroupSize = 4
	r, err := judge.Analyze(t.Context(), run, rollout.ReadOptions{}, s, gate.All())
	if err != nil {
		t.Fatal(err)
	}
	eval := r.Splits[rollout.Eval]
	if eval == nil || eval.Missing.NotRun == nil || *eval.Missing.NotRun != 40 {
		t.Fatalf("the eval split is %+v, want 40 rollouts not run", eval)
	}
	if r.Verdict != analysis.Undecided || !strings.Contains(r.Note.String(), "40 planned rollouts not made yet, including all of 10 items") || eval.Items.NotRun != 10 {
		t.Errorf("verdict is %s with note %q", r.Verdict, r.Note)
	}
}

// Failures at addresses that hold a session's id were each a cause of their own.
func TestSessionsMakeNoCauseApart(t *testing.T) {
	var lines []string
	for i := range 6 {
		lines = append(lines, fmt.Sprintf(`{"item":"q%d","outcome":"tool","error":"tool cat: http://localhost/session/session_%032x/cat: status 503"}`, i, i+1))
	}
	causes := analyze(t, analysis.DefaultSettings(), lines).Splits[rollout.Train].Failures
	if len(causes) != 1 || causes[0].Count != 6 || causes[0].Error != "tool cat: http://localhost/session/SESSION/cat: status 503" {
		t.Errorf("causes %+v", causes)
	}
}

// What an agent printed names its call, which made each such failure a cause of its
// own. Statuses tell causes apart.
func TestLongNumbersMakeNoCauseApart(t *testing.T) {
	var lines []string
	for i := range 6 {
		lines = append(lines, fmt.Sprintf(`{"item":"q%d","outcome":"tool","error":"the agent wrote {'id': 'call_20160995%d', 'status': %d}"}`, i, 1000+i, 500+i/3))
	}
	causes := analyze(t, analysis.DefaultSettings(), lines).Splits[rollout.Train].Failures
	if len(causes) != 2 || causes[0].Count != 3 || causes[0].Error != "the agent wrote {'id': 'call_201609951000', 'status': 500}" {
		t.Errorf("causes %+v", causes)
	}
}

// facts are those of the findings that a gate or a part makes.
func facts(r *analysis.Result, name string) []analysis.Finding {
	return slices.DeleteFunc(analysis.ByFact(r.Findings), func(f analysis.Finding) bool { return f.Gate != name })
}

// Four samples bracket the best of eight: that is an interval, not too few rollouts
// to estimate anything.
func TestABracketIsAnEstimate(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), rows(10, 4, func(i, j int) float64 {
		if i == 0 && j == 0 {
			return 1
		}
		return 0
	}))
	unknown := 0
	for _, f := range slices.Concat(facts(r, "baseline.reachable"), facts(r, "exploration.lift")) {
		if f.Status != analysis.Unknown || f.Value != nil {
			continue
		}
		unknown++
		if said, advice := f.Title.String(), f.Remedy.String(); !strings.Contains(said, " to ") || !strings.Contains(advice, "with 8 samples each would settle it") {
			t.Errorf("%s: %s. %s", f.Gate, said, advice)
		}
	}
	if unknown == 0 {
		t.Error("nothing is open")
	}
}

// Dropping items does not help where their rewards differ by the grader's chance.
func TestNoiseIsNoReasonToDropItems(t *testing.T) {
	for _, flip := range []float64{0.97, 1} {
		r := analyze(t, analysis.DefaultSettings(), gradedTwice(200, 8, flip, rand.New(rand.NewPCG(3, 1))))
		failed := 0
		for _, f := range facts(r, "signal.informative") {
			if f.Status == analysis.Fail {
				failed++
			}
			if f.Status == analysis.Fail && (strings.Contains(f.Remedy.String(), "Drop") || !strings.Contains(f.Remedy.String(), "grader steadier")) {
				t.Errorf("%s: %s. %s", f.Severity, f.Title, f.Remedy)
			}
		}
		if failed == 0 {
			t.Errorf("flip %g: nothing fails", flip)
		}
	}
}

// Rollouts that were made again until they had a grade have no cause of failure now.
func TestFailuresOfBeforeHaveNoCauseNow(t *testing.T) {
	quick := analysis.DefaultSettings()
	quick.Boot = 20
	for again, want := range map[bool]string{true: "less patiently.", false: "Most frequent cause now: tool: "} {
		r, seen := analyze(t, quick, failingBy(3, again, few)), false
		for _, f := range facts(r, "infra.failures") {
			said := f.Remedy.String()
			seen = seen || strings.Contains(said, want)
			if strings.Contains(said, "now: none") {
				t.Error(said)
			}
		}
		if !seen {
			t.Errorf("made again: %t: not said: %s", again, want)
		}
	}
}

// A fact is drawn against its threshold: both are in the same unit, and where either of
// two would fail there is none to draw.
func TestAThresholdIsInTheUnitOfItsValue(t *testing.T) {
	rng, s := seeded(9), analysis.DefaultSettings()
	_, found := judge.CheckItems(append(asked(rng, rollout.Train, 60), asked(rng, rollout.Eval, 60)...), s)
	s.Thresholds = analysis.Thresholds{"tools.tail.limit": 15}
	var lines []string
	for i := range 40 {
		for j := range 8 {
			lines = append(lines, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%d,"elapsed_s":%d,"answer":"%s"}`, i, j, j%2, 10+i%7, strings.Repeat("word ", 1+rng.IntN(9))))
		}
	}
	seen := map[string]int{}
	for _, f := range append(analysis.ByFact(found), analysis.ByFact(analyze(t, s, lines).Findings)...) {
		switch limit := stat.ValueOr(f.Threshold, -1); {
		case f.Value == nil:
		case f.Unit == "AUC":
			if seen["AUC"]++; limit != -1 && limit != 0.70 {
				t.Errorf("%s %s: AUC %g against %g (%s)", f.Severity, f.Gate, *f.Value, limit, f.Want)
			}
		case f.Gate == "latency.limit":
			if seen[f.Gate]++; limit != 0.05 || f.Want.String() != "≤ 5 % longer than 15 s" {
				t.Errorf("a share of %g against %g (%s)", *f.Value, limit, f.Want)
			}
		case f.Gate == "grader.length":
			if seen[f.Gate]++; limit != -1 {
				t.Errorf("a correlation of %g against %g (%s)", *f.Value, limit, f.Want)
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("judged are %v", seen)
	}
}
