package judge_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// ladder is 24 items x 6 rewards by a fixed rule: 3 dead, 3 saturated, 1 flat
// and 17 mixed items on the levels 0, 0.3, 0.6 and 1.
func ladder() [][]float64 {
	levels := []float64{0, 0.3, 0.6, 1}
	items := make([][]float64, 24)
	for i := range items {
		for j := range 6 {
			y := 0.0
			switch x := (i*7 + j*j*3 + i*j*5) % 11; {
			case i < 3:
			case i >= 21:
				y = 1
			case i == 10:
				y = 0.6
			case x >= 8:
				y = levels[3]
			case x >= 6:
				y = levels[2]
			case x >= 4:
				y = levels[1]
			}
			items[i] = append(items[i], y)
		}
	}
	return items
}

func lines(items [][]float64) []string {
	var out []string
	for i, ys := range items {
		for j, y := range ys {
			out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g}`, i+1, j, y))
		}
	}
	return out
}

func analyze(t *testing.T, s analysis.Settings, lines []string) *analysis.Result {
	t.Helper()
	r, err := tryAnalyze(t, s, lines)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tryAnalyze(t *testing.T, s analysis.Settings, lines []string) (*analysis.Result, error) {
	t.Helper()
	dir := t.TempDir()
	text := strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "rollouts.jsonl"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return judge.Analyze(t.Context(), run, rollout.ReadOptions{}, s, gate.All())
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is not estimated, want %g", what, want)
	} else if math.Abs(*got-want) > 1e-9 {
		t.Errorf("%s = %.12g, want %.12g", what, *got, want)
	}
}

// Expected numbers: an independent implementation in Python that averages over
// all subsets with itertools.combinations, variances by statistics.stdev and
// Korn–Graubard intervals by scipy.stats.beta.ppf and t.ppf (scipy 1.10), groups
// of k being ⌊6/k⌋ observations of an item. Where the same in plain Python puts
// Garwood's end for a Poisson count of the same skewness (stat.skewed) farther out,
// the number is that one.
func TestNumbersOfTheLadder(t *testing.T) {
	s := analysis.DefaultSettings()
	s.GroupSize = 4
	r := analyze(t, s, lines(ladder()))
	sr := r.Splits[rollout.Train]

	near(t, "reward.mean", sr.Reward.Mean, 0.43888888888888883)
	near(t, "reward.se", sr.Reward.SE, 0.06355721510620037)
	near(t, "reward.low", sr.Reward.Low, 0.3061322793564139)
	near(t, "reward.high", sr.Reward.High, 0.5783745225703558)
	near(t, "reward.fixed_se", sr.Reward.FixedSE, 0.02444207690554938)
	near(t, "variance.within", sr.Variance.Within, 0.08602777777777772)
	near(t, "variance.between", sr.Variance.Between, 0.08261050724637681)
	near(t, "lift", sr.Lift.Value, 0.265)
	near(t, "lift.low", sr.Lift.Low, 0.18107286177306636)
	near(t, "lift.high", sr.Lift.High, 0.3552716385097659)

	want := map[string][4]float64{ // value, se, low, high
		"best of 2":  {0.5758333333333333, 0.06670990445696205, 0.42948760547390413, 0.7130526165190461},
		"best of 4":  {0.7038888888888888, 0.07206178761707138, 0.5329158566885303, 0.8372514648856527},
		"best of 6":  {0.75, 0.07518094115561123, 0.5671216122310014, 0.8833485432745044},
		"worst of 2": {0.3019444444444444, 0.06706700949608724, 0.1722507043561511, 0.4660451057653626},
		"worst of 6": {0.1875, 0.07104614238525614, 0.06944994429028888, 0.3797604808369293},
		"signal 2":   {0.5388888888888889, 0.07409319398972147, 0.3697751559322534, 0.6935694248310339},
		"signal 4":   {0.7027777777777778, 0.09410816802657623, 0.481197502692655, 0.87114481095528},
		"signal 6":   {0.7083333333333334, 0.09477598811252413, 0.4837934296440463, 0.8767947895565111},
	}
	got := make(map[string]stat.Estimate)
	for _, p := range sr.BestOf {
		got[fmt.Sprintf("best of %d", p.K)] = p.Estimate
	}
	for _, p := range sr.WorstOf {
		got[fmt.Sprintf("worst of %d", p.K)] = p.Estimate
	}
	for _, p := range sr.Signal {
		if p.Bound == "exact" {
			got[fmt.Sprintf("signal %d", p.GroupSize)] = p.Estimate
		}
	}
	for name, w := range want {
		e, ok := got[name]
		if !ok {
			t.Errorf("%s is missing", name)
			continue
		}
		near(t, name, e.Value, w[0])
		near(t, name+" se", e.SE, w[1])
		near(t, name+" low", e.Low, w[2])
		near(t, name+" high", e.High, w[3])
	}

	counts := sr.Classes.Counts
	if counts["dead"] != 3 || counts["saturated"] != 3 || counts["flat"] != 1 || counts["mixed"] != 17 {
		t.Errorf("classes are %v", counts)
	}
}

func TestVerdicts(t *testing.T) {
	repeat := func(items int, rewards ...float64) [][]float64 {
		out := make([][]float64, items)
		for i := range out {
			out[i] = rewards
		}
		return out
	}
	failing := func(ls []string, every int, outcome string) []string {
		out := slices.Clone(ls)
		for i := range out {
			if i%every == 0 {
				head, _, _ := strings.Cut(out[i], `,"reward"`)
				out[i] = head + `,"outcome":"` + outcome + `","error":"status 503"}`
			}
		}
		return out
	}
	healthy := repeat(100, 0, 1, 0.5, 0, 1, 0, 0, 1)
	// Of 160 items that agree 1 - 0.025^(1/160) = 2.3 % may be others: 18 of the 800 groups assumed.
	tests := []struct {
		name    string
		lines   []string
		verdict analysis.Verdict
		reason  string
	}{
		{"items that vary are worth training on", lines(healthy), analysis.Go, ""},
		{"a model that never succeeds has nothing to strengthen", lines(repeat(160, 0, 0, 0, 0, 0, 0, 0, 0)), analysis.NoGo, "signal.informative"},
		{"a model that always succeeds has nothing to gain", lines(repeat(200, 1, 1, 1, 1, 1, 1, 1, 1)), analysis.NoGo, "baseline.headroom"},
		{"items that never vary teach nothing", lines(slices.Concat(repeat(80, 0, 0, 0, 0, 0, 0, 0, 0), repeat(80, 1, 1, 1, 1, 1, 1, 1, 1))), analysis.NoGo, "signal.informative"},
		{"a dozen items cannot decide", lines(repeat(12, 0, 1, 0.5, 0, 1, 0, 0, 1)), analysis.Undecided, "data.enough"},
		{"a quarter of rollouts lost says nothing", failing(lines(healthy), 4, "tool"), analysis.NoGo, "infra.failures"},
		{"a tenth of rollouts lost cannot decide", failing(lines(healthy), 10, "model_api"), analysis.Undecided, "infra.failures"},
		{"the model's own failures are zeros, not missing", failing(lines(healthy), 4, "no_answer"), analysis.Go, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := analyze(t, analysis.DefaultSettings(), test.lines)
			if r.Verdict != test.verdict {
				t.Errorf("verdict is %s, want %s", r.Verdict, test.verdict)
			}
			if got := stringOr(r.Reason, ""); got != test.reason {
				t.Errorf("reason is %q, want %q", got, test.reason)
			}
			if r.ExitCode != test.verdict.ExitCode() {
				t.Errorf("exit code is %d", r.ExitCode)
			}
		})
	}
}

// Rewards of two values a hair apart teach: where they are is a caution, unless nothing is left to
// gain as the trainer counts it.
func TestCompressedRewardsAreJudgedByWhatTheTrainerNormalizes(t *testing.T) {
	var hair [][]float64
	for range 300 {
		hair = append(hair, []float64{0.5, 0.515, 0.5, 0.5, 0.5, 0.5, 0.515, 0.5}, []float64{0.3, 0.31, 0.3, 0.3, 0.3, 0.3, 0.31, 0.3})
	}
	high := slices.Clone(hair)
	for i := range high {
		high[i] = []float64{0.98, 1, 0.98, 1, 0.98, 0.98, 1, []float64{0.98, 1}[i%2]}
	}
	low := slices.Clone(hair)
	for i := range low {
		low[i] = []float64{0, 0.01, 0, 0.01, 0, 0, 0, []float64{0, 0.02}[i%2]}
	}
	tests := []struct {
		about     string
		items     [][]float64
		normalize string
		verdict   analysis.Verdict
		gate      string // that decides, or cautions
	}{
		{"a hair apart, by standard deviation", hair, analysis.NormalizeStd, analysis.Go, "exploration.lift"},
		{"a hair apart, as they are", hair, analysis.NormalizeNone, analysis.Go, "exploration.lift"},
		{"near the bottom, by standard deviation", low, analysis.NormalizeStd, analysis.Go, "baseline.reachable"},
		{"near the bottom, as they are", low, analysis.NormalizeNone, analysis.Go, "baseline.reachable"},
		{"near the top, by standard deviation", high, analysis.NormalizeStd, analysis.Go, "baseline.headroom"},
		{"near the top, as they are", high, analysis.NormalizeNone, analysis.NoGo, "baseline.headroom"},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			s := analysis.DefaultSettings()
			s.Normalize = test.normalize
			r := analyze(t, s, lines(test.items))
			if r.Verdict != test.verdict || r.Normalize != test.normalize {
				t.Fatalf("%s (%s) with normalize %q, want %s", r.Verdict, stringOr(r.Reason, ""), r.Normalize, test.verdict)
			}
			if test.verdict == analysis.Go && !slices.Contains(r.Cautions, test.gate) {
				t.Errorf("cautions are %q, want %s among them", r.Cautions, test.gate)
			}
			if test.verdict == analysis.NoGo && stringOr(r.Reason, "") != test.gate {
				t.Errorf("the reason is %s, want %s", stringOr(r.Reason, ""), test.gate)
			}
		})
	}
	s := analysis.DefaultSettings()
	s.Normalize = "variance"
	if _, err := tryAnalyze(t, s, lines(hair)); err == nil || !strings.Contains(err.Error(), "trainer.normalize") {
		t.Errorf("an unknown normalization: error %v", err)
	}
}

// All answers the same every time: a trainer of either kind learns nothing.
func TestDividingByNoSpreadTeachesNothing(t *testing.T) {
	var items [][]float64
	for range 160 {
		items = append(items, []float64{0, 0, 0, 0, 0, 0, 0, 0})
	}
	if r := analyze(t, analysis.DefaultSettings(), lines(items)); r.Verdict != analysis.NoGo || stringOr(r.Reason, "") != "signal.informative" {
		t.Errorf("%s by %s, want NO-GO by signal.informative", r.Verdict, stringOr(r.Reason, ""))
	}
}

func stringOr(p *string, otherwise string) string {
	if p == nil {
		return otherwise
	}
	return *p
}

func TestMissingRolloutsBoundTheMean(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), []string{
		`{"item":"a","reward":1}`, `{"item":"a","outcome":"tool","error":"x"}`,
		`{"item":"b","reward":0.5}`, `{"item":"b","reward":0.5}`,
		`{"item":"c","outcome":"grader"}`,
	})
	sr := r.Splits[rollout.Train]
	near(t, "mean leaves the missing out", sr.Reward.Mean, 0.75)        // (1 + 0.5) / 2
	near(t, "low bound scores them 0", sr.Reward.Bounds.Low, 1.0/3)     // (0.5 + 0.5 + 0) / 3
	near(t, "high bound scores them 1", sr.Reward.Bounds.High, 2.5/3.0) // (1 + 0.5 + 1) / 3
	if !slices.Equal(sr.Items.Lost, []string{"c"}) {
		t.Errorf("lost items are %v", sr.Items.Lost)
	}
	if sr.Missing.Tool != 1 || sr.Missing.Grader != 1 || sr.Missing.ModelAPI != 0 {
		t.Errorf("missing is %+v", sr.Missing)
	}
}

func TestOneSampleAnItemHasNoVarianceAndNoClass(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), []string{`{"item":"a","reward":1}`, `{"item":"b","reward":0}`})
	sr := r.Splits[rollout.Train]
	if sr.Variance.Within != nil {
		t.Errorf("within-item variance is %g, want none", *sr.Variance.Within)
	}
	if n := sr.Classes.Counts[analysis.Unclassed]; n != 2 {
		t.Errorf("%d items are unclassed, want 2", n)
	}
	for _, e := range sr.Signal {
		if e.Known() || e.GroupSize != 8 || len(e.Warnings) == 0 {
			t.Errorf("signal holds %+v, want only what says that groups of 8 are not known, and why", e)
		}
	}
	if len(sr.Signal) != 2 {
		t.Errorf("signal has %d entries, want the two ends of the bracket", len(sr.Signal))
	}
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == "signal.informative" && (f.Status != analysis.Unknown || f.Needs == nil || f.Needs.Samples != 8) {
			t.Errorf("%s %s is %s and needs %v, want unknown for want of 8 samples", f.Severity, f.Gate, f.Status, f.Needs)
		}
	}
	if r.Verdict != analysis.Undecided {
		t.Errorf("verdict is %s", r.Verdict)
	}
}

func TestAnEvalRunHasNoVerdictOnTraining(t *testing.T) {
	var ls []string
	for i := range 60 {
		for j := range 4 {
			ls = append(ls, fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"reward":%d}`, i, j, (i+j)%2))
		}
	}
	r := analyze(t, analysis.DefaultSettings(), ls)
	if r.Verdict != analysis.Go || r.Note.String() != "no verdict on training" {
		t.Errorf("verdict is %s with note %q", r.Verdict, r.Note)
	}
	for _, f := range analysis.ByFact(r.Findings) {
		train := strings.HasPrefix(f.Gate, "signal.") || f.Gate == "baseline.reachable" || f.Gate == "exploration.lift"
		if train && f.Status != analysis.Skipped {
			t.Errorf("%s is %s on an evaluation set, want skipped", f.Gate, f.Status)
		}
	}
}

func TestTooFewEvalItemsDecideNothing(t *testing.T) {
	for items, want := range map[int]analysis.Verdict{3: analysis.Undecided, 19: analysis.Undecided, 20: analysis.Go} {
		var ls []string
		for i := range items {
			for j := range 4 {
				ls = append(ls, fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"reward":%d}`, i, j, (i+j)%2))
			}
		}
		if r := analyze(t, analysis.DefaultSettings(), ls); r.Verdict != want {
			t.Errorf("%d items of eval alone are %s, want %s", items, r.Verdict, want)
		}
	}
}

func TestARewardOutsideTheRangeNamesTheKeyToSet(t *testing.T) {
	_, err := tryAnalyze(t, analysis.DefaultSettings(), []string{`{"item":"a","reward":0.5}`, `{"item":"a","reward":1.5}`})
	if err == nil || !strings.Contains(err.Error(), "reward_range") || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error is %v", err)
	}
	s := analysis.DefaultSettings()
	s.RewardRange = stat.Range{Lo: -1, Hi: 2}
	if _, err := tryAnalyze(t, s, []string{`{"item":"a","reward":-0.5}`, `{"item":"a","reward":1.5}`}); err != nil {
		t.Errorf("inside the range: %v", err)
	}
}

func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	ls := lines(ladder())
	want := encode(t, ofAnyOrder(analyze(t, analysis.DefaultSettings(), ls)))
	shuffled := slices.Clone(ls)
	src := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		src.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if got := encode(t, ofAnyOrder(analyze(t, analysis.DefaultSettings(), shuffled))); !bytes.Equal(got, want) {
			t.Fatal("the same records in another order give another result.json")
		}
	}
}

// ofAnyOrder removes the checksums of the files, which differ with the order of their lines.
func ofAnyOrder(r *analysis.Result) *analysis.Result {
	r.Run.Inputs = nil
	return r
}

func encode(t *testing.T, r *analysis.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestResultRoundTrips(t *testing.T) {
	want := encode(t, analyze(t, analysis.DefaultSettings(), lines(ladder())))
	r, err := analysis.Decode(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if got := encode(t, r); !bytes.Equal(got, want) {
		t.Error("a result that is read and written again differs")
	}
	if bytes.Contains(want, []byte("NaN")) || bytes.Contains(want, []byte("null,\n      \"warnings\": null")) {
		t.Error("the result holds NaN or a missing list of warnings")
	}
	if _, err := analysis.Decode(strings.NewReader(`{"schema":"gonogo/result/9"}`)); err == nil {
		t.Error("a result of another schema is read without complaint")
	}
}
