package compare_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

// opened writes lines as a run directory, with further files, and opens it.
func opened(t *testing.T, lines []string, files ...[2]string) *rollout.Run {
	t.Helper()
	return openedIn(t, t.TempDir(), lines, files...)
}

func openedIn(t testing.TB, dir string, lines []string, files ...[2]string) *rollout.Run {
	t.Helper()
	text := strings.Join(lines, "\n") + "\n"
	for _, f := range append(files, [2]string{rollout.RolloutsFile, text}) {
		if err := os.WriteFile(filepath.Join(dir, f[0]), []byte(f[1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func compared(t *testing.T, base, new *rollout.Run, splits ...rollout.Split) *compare.Comparison {
	t.Helper()
	return comparedWith(t, analysis.DefaultSettings(), base, new, splits...)
}

func comparedWith(t *testing.T, s analysis.Settings, base, new *rollout.Run, splits ...rollout.Split) *compare.Comparison {
	t.Helper()
	c, err := compare.Runs(t.Context(), base, new, rollout.ReadOptions{}, s, splits...)
	if err != nil {
		t.Fatal(err)
	}
	saidInChinese(t, c)
	return c
}

// graded makes lines of m items of n rewards each from a function.
func graded(split string, m, n int, reward func(item, sample int) float64) []string {
	var out []string
	for i := range m {
		for j := range n {
			out = append(out, fmt.Sprintf(`{"item":"q%d","split":%q,"sample":%d,"reward":%g}`, i+1, split, j, reward(i, j)))
		}
	}
	return out
}

// steps gives items all means from 0 to 1; more samples of all but every fourth
// item earn 1.
func steps(n, more int) func(i, j int) float64 {
	return func(i, j int) float64 {
		if j < (i*5)%(n-1)+more*one(i%4 > 0) {
			return 1
		}
		return 0
	}
}

func TestTheFourAnswers(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 1))
	coin := func(p float64) func(int, int) float64 {
		return func(int, int) float64 {
			if noise.Float64() < p {
				return 1
			}
			return 0
		}
	}
	for _, c := range []struct {
		about     string
		base, new []string
		want      compare.Answer
		code      int
	}{
		{"items lose one sample of eight", graded("eval", 40, 8, steps(8, 1)), graded("eval", 40, 8, steps(8, 0)), compare.Regressed, 3},
		{"items win one sample of eight", graded("eval", 40, 8, steps(8, 0)), graded("eval", 40, 8, steps(8, 1)), compare.Improved, 0},
		{"a large set and no change", graded("eval", 600, 16, coin(0.5)), graded("eval", 600, 16, coin(0.5)), compare.Equivalent, 0},
		{"a small set and no change", graded("eval", 25, 4, coin(0.5)), graded("eval", 25, 4, coin(0.5)), compare.CannotTell, 4},
		{"five items that all fall: sign flips cannot show it", graded("eval", 5, 8, steps(8, 1)), graded("eval", 5, 8, steps(8, 0)), compare.CannotTell, 4},
	} {
		got := compared(t, opened(t, c.base), opened(t, c.new))
		if got.Answer != c.want || got.ExitCode != c.code || got.Split == nil || *got.Split != rollout.Eval {
			t.Errorf("%s: %s, exit code %d: %s", c.about, got.Answer, got.ExitCode, got.Sentence)
		}
		if got.Sentence.IsEmpty() || strings.ContainsAny(got.Sentence.String(), "{}") {
			t.Errorf("%s: sentence is %q", c.about, got.Sentence)
		}
	}
}

// Expected numbers by hand: items rise by 0.5, 0, 0.25 and 0.25, so the
// mean is 0.25, sd = √(1/24) = 0.2041, se = 0.1021, t(3) = 3.1824.
func TestDifferencesArePairedByItem(t *testing.T) {
	base := []string{
		`{"item":"a","reward":0}`, `{"item":"a","reward":0}`, `{"item":"b","reward":1}`, `{"item":"b","reward":1}`,
		`{"item":"c","reward":0.5}`, `{"item":"c","reward":0.5}`, `{"item":"d","reward":0.25}`, `{"item":"d","reward":0.25}`,
		`{"item":"gone","reward":1}`,
	}
	new := []string{
		`{"item":"a","reward":0.5}`, `{"item":"b","reward":1}`, `{"item":"c","reward":0.75}`, `{"item":"d","reward":0.5}`,
		`{"item":"fresh","reward":0}`, `{"item":"lost","reward":null}`,
	}
	c := compared(t, opened(t, base), opened(t, new))
	sc := c.Splits[rollout.Train]
	near(t, "difference", sc.Reward.Value, 0.25)
	near(t, "se", sc.Reward.SE, 0.10206207261596575)
	near(t, "low", sc.Reward.Low, 0.25-3.182446305284263*0.10206207261596575)
	near(t, "base", sc.Reward.Base, 0.4375)
	near(t, "new", sc.Reward.New, 0.6875)
	near(t, "sign flips", sc.Reward.P, 0.25)
	if sc.Items.Common != 4 || !slices.Equal(sc.Items.OnlyBase, []string{"gone"}) || !slices.Equal(sc.Items.OnlyNew, []string{"fresh", "lost"}) {
		t.Errorf("items are %+v", sc.Items)
	}
	if sc.Interaction != nil || sc.SameModel == nil {
		t.Error("one sample an item in the new run: its within-variance is not 0, it is not known")
	}
}

// Every item gains about 0.05 while items lie all over the range: paired there
// is no doubt, unpaired nothing is seen.
func TestPairedRunsAreNotComparedUnpaired(t *testing.T) {
	run := func(gain float64) *rollout.Run {
		return opened(t, graded("eval", 40, 4, func(i, j int) float64 { return float64(i)/50 + 0.01*float64(j) + gain*(1+0.2*float64(i%3-1)) }))
	}
	c := compared(t, run(0), run(0.05))
	if sc := c.Splits[rollout.Eval]; c.Answer != compare.Improved || !sc.Paired {
		t.Errorf("%s, paired %v: %s", c.Answer, sc.Paired, c.Sentence)
	}
}

// A harder item of the new run must not count as a drop, nor an easier one as
// a gain: the mix of items is the same on both sides.
func TestTheItemMixCannotMakeAChange(t *testing.T) {
	base := graded("eval", 30, 4, steps(4, 0))
	new := append(slices.Clone(base), graded("eval", 90, 4, func(i, _ int) float64 { return 1 })[30*4:]...)
	c := compared(t, opened(t, base), opened(t, new))
	near(t, "difference", c.Splits[rollout.Eval].Reward.Value, 0)
	if c.Answer == compare.Improved {
		t.Errorf("60 easy items of the new run made it %s", c.Answer)
	}
}

// What pairing is worth: the same small gain on items that differ much is found
// by pairs and lost between unlike items.
func TestUnpairedOnlyWithoutCommonItems(t *testing.T) {
	base, new := graded("eval", 40, 8, steps(8, 0)), graded("eval", 40, 8, steps(8, 1))
	paired := compared(t, opened(t, base), opened(t, new))
	for i := range new {
		new[i] = strings.Replace(new[i], `"q`, `"other`, 1)
	}
	unpaired := compared(t, opened(t, base), opened(t, new))
	sc := unpaired.Splits[rollout.Eval]
	if sc.Paired || !strings.Contains(unpaired.Sentence.String(), "unpaired") || !strings.Contains(sc.Reward.Method, "unpaired") {
		t.Errorf("no item is common, and it is not said: %s", unpaired.Sentence)
	}
	if paired.Answer != compare.Improved || unpaired.Answer != compare.CannotTell {
		t.Errorf("paired %s, unpaired %s", paired.Answer, unpaired.Answer)
	}
	if *sc.Reward.SE < 5**paired.Splits[rollout.Eval].Reward.SE {
		t.Error("pairing is worth little here: the test shows nothing")
	}
}

func TestSplitThatAnswers(t *testing.T) {
	base := slices.Concat(graded("train", 30, 4, steps(4, 0)), graded("eval", 30, 4, steps(4, 1)))
	new := slices.Concat(graded("train", 30, 4, steps(4, 1)), graded("eval", 30, 4, steps(4, 0)))
	c := compared(t, opened(t, base), opened(t, new))
	if *c.Split != rollout.Eval || c.Answer != compare.Regressed || c.Splits[rollout.Train].Answer != compare.Improved {
		t.Errorf("%v: %s", *c.Split, c.Answer)
	}
	c = compared(t, opened(t, base), opened(t, new), rollout.Train)
	if *c.Split != rollout.Train || c.Answer != compare.Improved || c.Splits[rollout.Eval] != nil {
		t.Errorf("only train was asked for: %v: %s", *c.Split, c.Answer)
	}
	c = compared(t, opened(t, base[:120]), opened(t, new))
	if *c.Split != rollout.Train {
		t.Errorf("the base has no eval, and %v answers", *c.Split)
	}
	c = compared(t, opened(t, base[:120]), opened(t, new[120:]))
	if c.Split != nil || c.Answer != compare.CannotTell || !strings.Contains(c.Sentence.String(), "no split in common") {
		t.Errorf("no split in common: %s %s", c.Answer, c.Sentence)
	}
}

func TestARunComparedWithItselfCannotTell(t *testing.T) {
	lines := graded("eval", 100, 4, steps(4, 0))
	run := opened(t, lines)
	agree := func(why string, c *compare.Comparison, text string) {
		if sc := c.Splits[rollout.Eval]; c.Answer != compare.CannotTell || !strings.Contains(c.Sentence.String(), text) || sc.Answer != c.Answer || !strings.Contains(sc.Why.String(), text) || sc.Equivalence.Shown {
			t.Errorf("%s: %s: %s; its split: %s: %s", why, c.Answer, c.Sentence, sc.Answer, sc.Why)
		}
	}
	agree("the same file", compared(t, run, run), "same file")
	for i := range lines {
		lines[i] = strings.Replace(lines[i], "}", fmt.Sprintf(`,"elapsed_s":%d.5}`, i), 1)
	}
	agree("a copy", compared(t, opened(t, lines), opened(t, lines)), "same rollouts")
	c := compared(t, opened(t, graded("eval", 100, 4, steps(4, 0))), opened(t, graded("eval", 100, 4, steps(4, 0))))
	if c.Answer != compare.Equivalent || len(c.Notes) == 0 || !strings.Contains(c.Notes[0].String(), "every reward is the same") {
		t.Errorf("equal rewards, perhaps of a model that never varies: %s %v", c.Answer, c.Notes)
	}
	sc := c.Splits[rollout.Eval]
	if sc.Reward.SE != nil || sc.Reward.Low == nil || *sc.Reward.Low >= 0 {
		t.Error("100 differences of 0 are 0 ± 0")
	}
}

func TestFailuresAreNoDrop(t *testing.T) {
	base := graded("eval", 40, 4, steps(4, 1))
	loseTo := func(share int, outcomes ...string) []string {
		new := slices.Clone(base)
		for i := range new {
			if i%100 < share {
				new[i] = strings.Replace(new[i][:strings.Index(new[i], `,"reward"`)], "}", "", 1) + `,"outcome":"` + outcomes[i%len(outcomes)] + `","error":"connection refused"}`
			}
		}
		return new
	}
	lose := func(share int) []string { return loseTo(share, "tool") }
	for _, row := range []struct {
		share    int
		outcomes []string
		want     string
	}{
		{15, []string{"tool"}, "lost to failing endpoints and are left out"},
		{15, []string{"grader"}, "lost to failures of the grader and are left out"},
		{15, []string{"grader", "tool"}, "lost to failing endpoints and failures of the grader and are left out"},
		{30, []string{"grader"}, "lost to failures of the grader, more than"},
		{30, []string{"model_api"}, "lost to failing endpoints, more than"},
	} {
		if c := compared(t, opened(t, base), opened(t, loseTo(row.share, row.outcomes...))); !strings.Contains(c.Sentence.String(), row.want) {
			t.Errorf("%d %% lost to %v: %s, want %q", row.share, row.outcomes, c.Sentence, row.want)
		}
	}
	c := compared(t, opened(t, base), opened(t, lose(15)))
	sc := c.Splits[rollout.Eval]
	if c.Answer == compare.Regressed || sc.Missing.New.Tool == 0 || len(sc.Outcomes) != 1 || sc.Outcomes[0].New != sc.Missing.New.Tool {
		t.Errorf("15 %% lost: %s, missing %+v, outcomes %+v", c.Answer, sc.Missing, sc.Outcomes)
	}
	if !strings.Contains(c.Sentence.String(), "left out") || len(sc.Causes) != 1 || sc.Causes[0].Error != "connection refused" {
		t.Errorf("the lost rollouts are not told of: %s %v", c.Sentence, sc.Causes)
	}
	for outcome, want := range map[string]compare.Answer{"tool": compare.NotBetter, "grader": compare.NotBetter, "model_api": compare.CannotTell} {
		c := compared(t, opened(t, base), opened(t, loseTo(30, outcome)))
		in := map[string]string{"tool": "a tool", "grader": "the grader"}[outcome] // nothing failed in the other
		rise := strings.Contains(c.Sentence.String(), "failed in "+in+", up from 0 %")
		if c.Answer != want || rise != (want == compare.NotBetter) || !strings.Contains(c.Sentence.String(), "not a fair sample") {
			t.Errorf("30 %% lost to %s: %s: %s", outcome, c.Answer, c.Sentence)
		}
	}
}

const manifest = `{"schema":"gonogo/run/1","id":%q,"tool_version":"v1","source":"live","seed":%d,"model":%q,"data":[{"split":"eval","file":"eval.jsonl","sha256":%q,"rows":40,"items":40}],` +
	`"grader":{"kind":"python","hash":%q},"binding":{"job":%q,"model.temperature":"1","seed":"1"}}`

func TestWhatDiffersBetweenTheRunsIsNamedFirst(t *testing.T) {
	lines := graded("eval", 40, 4, steps(4, 0))
	base := opened(t, lines, [2]string{"run.json", fmt.Sprintf(manifest, "a", 1, "small", "aaaa", "g1", "j1")})
	new := opened(t, lines, [2]string{"run.json", fmt.Sprintf(manifest, "b", 2, "large", "bbbb", "g2", "j2")})
	c := compared(t, base, new)
	var keys []string
	for _, d := range c.Differs {
		keys = append(keys, d.Key)
		if d.Confounds != slices.Contains([]string{"data.eval", "grader", "job"}, d.Key) {
			t.Errorf("%s: confounds is %v", d.Key, d.Confounds)
		}
	}
	if want := []string{"data.eval", "grader", "job", "model.name", "seed"}; !slices.Equal(keys, want) {
		t.Errorf("differences are %v, want %v", keys, want)
	}
}

// Line numbers of two files are ids too: an id alone does not make an item.
func TestSameIDsOfOtherConversationsAreNotPaired(t *testing.T) {
	items := func(question string) [2]string {
		var b strings.Builder
		for i := range 30 {
			fmt.Fprintf(&b, `{"id":"q%d","split":"eval","row":{"messages":[{"role":"user","content":"%s %d"}],"reference":"%d"}}`+"\n", i+1, question, i, len(question))
		}
		return [2]string{"items.jsonl", b.String()}
	}
	lines := graded("eval", 30, 4, steps(4, 0))
	c := compared(t, opened(t, lines, items("who")), opened(t, lines, items("what")))
	sc := c.Splits[rollout.Eval]
	if sc.Paired || len(sc.Items.Changed) != 30 || len(c.Differs) == 0 || !c.Differs[0].Confounds {
		t.Errorf("paired %v, changed %d, differs %v", sc.Paired, len(sc.Items.Changed), c.Differs)
	}
	c = compared(t, opened(t, lines, items("who")), opened(t, lines, items("who")))
	if sc := c.Splits[rollout.Eval]; !sc.Paired || len(sc.Items.Changed) > 0 {
		t.Error("the same items are not paired")
	}
}

// One sample an item and two grades: exact McNemar. Expected: 9 gained and 1
// lost, scipy 1.10, stats.binomtest(1, 10, .5).pvalue.
func TestOneSampleAnItemIsMcNemar(t *testing.T) {
	base := graded("eval", 40, 1, func(i, _ int) float64 { return []float64{0, 1}[one(i >= 9 && i < 20)] })
	new := graded("eval", 40, 1, func(i, _ int) float64 { return []float64{0, 1}[one(i < 19)] })
	near(t, "McNemar", compared(t, opened(t, base), opened(t, new)).Splits[rollout.Eval].Reward.McNemar, 0.021484375)
}

// 9 gained and 2 lost of 40: the t interval alone is above 0, [0.015, 0.335], and
// the answer was improved, exit 0. scipy 1.10, stats.binomtest(2, 11, .5).pvalue.
func TestOneSampleAnItemIsDecidedByExactTests(t *testing.T) {
	base := graded("eval", 40, 1, func(i, _ int) float64 { return float64(one(i >= 9 && i < 11)) })
	for _, shown := range []struct {
		gained int
		p      float64
		want   compare.Answer
	}{{9, 0.0654296875, compare.CannotTell}, {20, 0.00012111663818359375, compare.Improved}} {
		lost := 2
		new := graded("eval", 40, 1, func(i, _ int) float64 {
			switch {
			case i < 9:
				return 1
			case i < 9+lost:
				return 0
			}
			return float64(one(i < shown.gained+lost))
		})
		c := compared(t, opened(t, base), opened(t, new))
		r := c.Splits[rollout.Eval].Reward
		near(t, "McNemar", r.McNemar, shown.p)
		if *r.Low <= 0 || c.Answer != shown.want {
			t.Errorf("%d gained: %s [%g, %g], flips %g: %s", shown.gained, c.Answer, *r.Low, *r.High, *r.P, c.Sentence)
		}
		saidInChinese(t, c)
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// The order of lines does not matter, the same runs give the same bytes, and
// swapping the runs changes the sign.
func TestComparisonIsDeterministicAndSymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	draw := func() []string {
		return graded("eval", 50, 5, func(i, j int) float64 { return float64(rng.IntN(5)) / 4 })
	}
	a, b := draw(), draw()
	shuffled := slices.Clone(b)
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	encode := func(c *compare.Comparison) string {
		c.Base.File, c.New.File = "", ""
		for _, sc := range c.Splits {
			for _, m := range sc.Moved {
				for _, refs := range [][]compare.SampleRef{m.BaseRollouts, m.NewRollouts} {
					for i := range refs {
						refs[i].Line = 0
					}
				}
			}
		}
		var text bytes.Buffer
		if err := c.Encode(&text); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	first := compared(t, opened(t, a), opened(t, b))
	if encode(first) != encode(compared(t, opened(t, a), opened(t, shuffled))) {
		t.Error("the order of lines changes the comparison")
	}
	back := compared(t, opened(t, b), opened(t, a)).Splits[rollout.Eval].Reward
	r := first.Splits[rollout.Eval].Reward
	near(t, "swapped", back.Value, -*r.Value)
	near(t, "swapped low", back.Low, -*r.High)
	near(t, "swapped p", back.P, *r.P)
}

// The threshold moves the answer: what is less than tolerance is not a change.
func TestToleranceAndDelta(t *testing.T) {
	base, new := graded("eval", 100, 8, steps(8, 1)), graded("eval", 100, 8, steps(8, 0))
	s := analysis.DefaultSettings()
	s.Thresholds = analysis.Thresholds{"compare.tolerance": 0.2, "compare.delta": 0.2}
	if c := comparedWith(t, s, opened(t, base), opened(t, new)); c.Answer != compare.Equivalent {
		t.Errorf("a drop of a tenth is within the tolerance: %s", c.Sentence)
	}
	s.Thresholds = analysis.Thresholds{"compare.delta": 0.2}
	if c := comparedWith(t, s, opened(t, base), opened(t, new)); c.Answer != compare.Regressed || !strings.Contains(c.Sentence.String(), "smaller than") {
		t.Errorf("a drop that is shown is a regression, however small: %s", c.Sentence)
	}
}

func TestComparisonRoundTrip(t *testing.T) {
	c := compared(t, opened(t, graded("eval", 30, 4, steps(4, 1))), opened(t, graded("eval", 30, 4, steps(4, 0))))
	var first, second bytes.Buffer
	if err := c.Encode(&first); err != nil {
		t.Fatal(err)
	}
	var again compare.Comparison
	if err := json.Unmarshal(first.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	if err := again.Encode(&second); err != nil || first.String() != second.String() {
		t.Errorf("comparison.json does not read back: %v", err)
	}
	for _, word := range []string{"NaN", "Inf"} {
		if strings.Contains(first.String(), word) {
			t.Errorf("comparison.json holds %s", word)
		}
	}
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is not estimated, want %g", what, want)
	} else if math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s = %.12g, want %.12g", what, *got, want)
	}
}
