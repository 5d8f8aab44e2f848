package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// TestTraps walks the mistakes that tools for this question are seen to make.
// Each row fails if the numbers are those of somebody who fell in. Traps of
// reading files stand in TestTrapsOfReading.
func TestTraps(t *testing.T) {
	for _, trap := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"sigma with n instead of n-1 at three samples", trapSigma},
		{"max over all n instead of an unbiased E[max_k]", trapMaxOfAll},
		{"iid error bars on repeated samples", trapIID},
		{"a failure of the infrastructure scored as zero", trapFailureAsZero},
		{"an agent that ran out of its own steps left out of the mean", trapOwnFailure},
		{"an item mix that changes along the k axis", trapItemMix},
		{"single-sample items given variance 0", trapSingleSample},
		{"ties", trapTies},
		{"negative rewards and rewards above 1", trapRange},
		{"float noise counted as variance", trapFloatNoise},
		{"a difference that the trainer's epsilon drowns", trapEpsilon},
		{"all-zero and all-one sets", trapConstantSets},
		{"fixed cut-offs of the population stability index", trapFixedPSI},
		{"a classifier's accuracy with unbalanced classes", trapAccuracy},
		{"a permutation p of 0", trapZeroP},
		{"many tests without correction", trapManyTests},
		{"a pooled length correlation of the opposite sign", trapPooledLength},
		{"one seed or a response cache making all rollouts alike", trapIdentical},
		{"a cache of short answers, by the marks of the log", trapCopiesByMarks},
		{"short answers that are equal by right", trapEqualByRight},
		{"one id for several prompts", trapPooledPrompts},
		{"one name for two models", trapTwoModels},
	} {
		t.Run(trap.name, trap.test)
	}
}

func train(t *testing.T, lines []string) *analysis.SplitResult {
	t.Helper()
	s := analysis.DefaultSettings()
	s.Boot = 100
	return analyze(t, s, lines).Splits[rollout.Train]
}

// 0, 0, 1 has the variance 1/3; with n it would be 2/9.
func trapSigma(t *testing.T) {
	sr := train(t, rows(30, 3, func(_, j int) float64 { return float64(j / 2) }))
	near(t, "variance within", sr.Variance.Within, 1.0/3)
	near(t, "an item's sd", sr.Classes.Items[0].SD, math.Sqrt(1.0/3))
	near(t, "mean sd", sr.SignalRewardSD.Value, math.Sqrt(1.0/3))
}

// One success in four: two draws hold it with probability 1/2. The best of the
// first two is 1 or 0 by their order, and the best of all is 1.
func trapMaxOfAll(t *testing.T) {
	sr := train(t, rows(30, 4, func(i, j int) float64 { return float64(one(j == i%4)) }))
	for _, p := range sr.BestOf {
		near(t, fmt.Sprintf("best of %d", p.K), p.Value, float64(p.K)/4)
	}
	for _, p := range sr.WorstOf {
		near(t, fmt.Sprintf("worst of %d", p.K), p.Value, float64(one(p.K == 1))/4)
	}
}

// Ten items of 100 samples that agree within each item are ten numbers, not
// 1,000: sd √(10/36) over √10 is 1/6, where the iid error bar says 0.016.
func trapIID(t *testing.T) {
	sr := train(t, rows(10, 100, func(i, _ int) float64 { return float64(i % 2) }))
	near(t, "se", sr.Reward.SE, 1.0/6)
	if *sr.Reward.High-*sr.Reward.Low < 0.5 {
		t.Errorf("the interval %g to %g is that of 1,000 rollouts", *sr.Reward.Low, *sr.Reward.High)
	}
	near(t, "se of the pooled mean", sr.Reward.Pooled.SE, 1.0/6)
}

// Half of the rollouts lost to a tool leave the mean where it was.
func trapFailureAsZero(t *testing.T) {
	lines := rows(30, 4, func(int, int) float64 { return 0.8 })
	for i := range lines {
		if i%2 == 0 {
			lines[i] = strings.Replace(lines[i], `"reward":0.8`, `"outcome":"tool","error":"status 503"`, 1)
		}
	}
	sr := train(t, lines)
	near(t, "mean", sr.Reward.Mean, 0.8)
	near(t, "share missing", sr.Missing.Share, 0.5)
}

// Half of the rollouts ran out of steps: they earned nothing, and count.
func trapOwnFailure(t *testing.T) {
	for _, outcome := range []string{"step_limit", "no_answer"} {
		lines := rows(30, 4, func(int, int) float64 { return 0.8 })
		for i := range lines {
			if i%2 == 0 {
				lines[i] = strings.Replace(lines[i], `"reward":0.8`, `"outcome":"`+outcome+`"`, 1)
			}
		}
		sr := train(t, lines)
		near(t, outcome+": mean", sr.Reward.Mean, 0.4)
		near(t, outcome+": share missing", sr.Missing.Share, 0)
	}
}

// Easy items were sampled four times and hard ones eight: past four samples a
// curve over what is left would fall.
func trapItemMix(t *testing.T) {
	var lines []string
	for i := range 30 {
		easy := i%2 == 0
		for j := range 4 + 4*one(!easy) {
			lines = append(lines, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%d}`, i, j, one(easy)))
		}
	}
	sr := train(t, lines)
	for i, p := range sr.BestOf {
		if p.Items != 30 || p.K > 4 {
			t.Errorf("best of %d is over %d items of 30", p.K, p.Items)
		}
		if i > 0 && *p.Value < *sr.BestOf[i-1].Value {
			t.Errorf("best of %d falls from %g to %g", p.K, *sr.BestOf[i-1].Value, *p.Value)
		}
	}
}

// 29 items sampled once, whose variance is not known, do not thin that of the
// one sampled twice: (0.5² + 0.5²)/1 = 0.5.
func trapSingleSample(t *testing.T) {
	lines := rows(29, 1, func(int, int) float64 { return 0.5 })
	lines = append(lines, `{"item":"twice","reward":0}`, `{"item":"twice","reward":1}`)
	sr := train(t, lines)
	near(t, "variance within", sr.Variance.Within, 0.5)
	if sr.Classes.Items[0].SD != nil || sr.Classes.Items[0].Class != analysis.Unclassed {
		t.Errorf("one sample makes %+v", sr.Classes.Items[0])
	}
}

// Of the rewards 0, 0, 1, 1 a pair differs with probability 4/6, whichever of
// the equal ones comes first.
func trapTies(t *testing.T) {
	sr := train(t, rows(30, 4, func(i, j int) float64 { return float64((i + j) / 2 % 2) }))
	for _, s := range sr.Signal {
		if s.GroupSize == 2 {
			near(t, "informative pairs", s.Value, 4.0/6)
			near(t, "strictly", s.Strict, 4.0/6)
		}
	}
	near(t, "best of 2", sr.BestOf[1].Value, 5.0/6)
}

// Rewards from -2 to 3 are as good as any, once the range is declared, and
// refused before: nothing is clipped.
func trapRange(t *testing.T) {
	lines := rows(30, 4, func(i, j int) float64 { return float64((i+j)%6) - 2 })
	if _, err := tryAnalyze(t, analysis.DefaultSettings(), lines); err == nil || !strings.Contains(err.Error(), "reward_range") {
		t.Errorf("error is %v", err)
	}
	s := analysis.DefaultSettings()
	s.RewardRange = stat.Range{Lo: -2, Hi: 3}
	sr := analyze(t, s, lines).Splits[rollout.Train]
	near(t, "mean", sr.Reward.Mean, 0.5)
	if *sr.Reward.Low < -2 || *sr.Reward.High > 3 || *sr.BestOf[0].Value != *sr.Reward.Mean {
		t.Errorf("the mean lies within %g to %g, best of 1 is %g", *sr.Reward.Low, *sr.Reward.High, *sr.BestOf[0].Value)
	}
}

// TRL divides by the standard deviation + 1e-4, verl by it + 1e-6, and prime-rl by nothing.
// Of rewards of 0.5 and 0.50001 (s = 5.3e-6) 5 %, 84 % and nothing worth is left.
func trapEpsilon(t *testing.T) {
	for _, trainer := range []struct {
		about     string
		normalize string
		epsilon   float64
		step      float64
		want      float64 // share of informative groups
	}{
		{"TRL", analysis.NormalizeStd, 1e-4, 0.00001, 0},
		{"TRL, a difference of ten times epsilon", analysis.NormalizeStd, 1e-4, 0.001, 1},
		{"verl", analysis.NormalizeStd, 1e-6, 0.00001, 1},
		{"prime-rl", analysis.NormalizeNone, 1e-4, 0.009, 0},
		{"prime-rl, 1 % of the range", analysis.NormalizeNone, 1e-4, 0.01, 1},
	} {
		s := analysis.DefaultSettings()
		s.Normalize, s.Epsilon, s.Boot = trainer.normalize, trainer.epsilon, 100
		sr := analyze(t, s, rows(30, 8, func(_, j int) float64 { return 0.5 + trainer.step*float64(j%2) })).Splits[rollout.Train]
		signal, _ := sr.SignalAt(8)
		near(t, trainer.about, signal.Informative, trainer.want)
		if mixed := sr.Classes.Counts[analysis.Mixed]; mixed != 30*int(trainer.want) {
			t.Errorf("%s: %d items vary", trainer.about, mixed)
		}
	}
	// One reward of sixteen that differs by 3 epsilon: the group has s = 0.75 epsilon, and pairs
	// with that reward have s = 2.1 epsilon.
	s := analysis.DefaultSettings()
	s.GroupSize, s.Epsilon, s.Boot = 16, 1e-4, 100
	sr := analyze(t, s, rows(40, 16, func(_, j int) float64 {
		if j == 5 {
			return 0.5003
		}
		return 0.5
	})).Splits[rollout.Train]
	for size, want := range map[int]float64{16: 0, 2: 2.0 / 16} {
		signal, _ := sr.SignalAt(size)
		near(t, fmt.Sprintf("one of sixteen, in groups of %d", size), signal.Informative, want)
	}
}

// 0.1+0.2 and 0.3 are the same grade.
func trapFloatNoise(t *testing.T) {
	sum := 0.1
	sum += 0.2
	sr := train(t, rowsExactly(30, 8, func(_, j int) float64 { return []float64{sum, 0.3}[j%2] }))
	for _, s := range sr.Signal {
		if s.Value != nil && (*s.Value != 0 || *s.Strict != 0) {
			t.Errorf("groups of %d are informative in %g", s.GroupSize, *s.Value)
		}
	}
	if n := sr.Classes.Counts[analysis.Flat]; n != 30 {
		t.Errorf("classes are %v, want 30 flat", sr.Classes.Counts)
	}
	for about, pair := range map[string][2]float64{"64 bits": {sum, 0.3}, "32 bits": {float64(float32(0.3)), float64(float32(0.1) + float32(0.2))}} {
		sr := train(t, rowsExactly(30, 8, func(i, j int) float64 { return pair[(i+j/4)%2] }))
		if v := sr.Variance; v.ICC.Known() || len(v.ICC.Warnings) == 0 || *v.Within != 0 || *v.Between != 0 {
			t.Errorf("%s: within %g, between %g, ICC %v", about, *v.Within, *v.Between, v.ICC.Value)
		}
	}
}

// rowsExactly is rows with every digit of the rewards.
func rowsExactly(m, n int, reward func(i, j int) float64) []string {
	var out []string
	for i := range m {
		for j := range n {
			out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%.17g}`, i, j, reward(i, j)))
		}
	}
	return out
}

// 30 items that never succeed may be 30 of a file in which 11 % do: 1 -
// 0.025^(1/30) by Clopper and Pearson. Never 0 ± 0.
func trapConstantSets(t *testing.T) {
	bound := 1 - math.Pow(0.025, 1.0/30)
	for _, level := range []float64{0, 1} {
		sr := train(t, rows(30, 8, func(int, int) float64 { return level }))
		near(t, "low", sr.Reward.Low, level*(1-bound))
		near(t, "high", sr.Reward.High, level+(1-level)*bound)
		if sr.Reward.SE != nil {
			t.Errorf("the standard error is %g", *sr.Reward.SE)
		}
	}
}

// spread makes rows with one number from one population.
func spread(rng *rand.Rand, n int, moved float64) []shift.Row {
	out := make([]shift.Row, n)
	for i := range out {
		out[i] = shift.Row{ID: fmt.Sprint(i), Numbers: map[string]float64{"x": rng.NormFloat64() + moved}}
	}
	return out
}

// quick is enough for p at 1 %.
var quick = shift.Options{Permutations: 99, Others: 99, Refits: 99}

func tested(t *testing.T, results []shift.Result, test string) shift.Result {
	t.Helper()
	i := slices.IndexFunc(results, func(r shift.Result) bool { return r.Test == test })
	if i < 0 {
		t.Fatalf("no %s among the results", test)
	}
	return results[i]
}

// Tenths of 25 against 25 rows have an index of 9·2/25 = 0.72 by chance, thrice
// the 0.25 that is commonly called a shift.
func trapFixedPSI(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	r := tested(t, shift.Compare(shift.Sample{Name: "a", Rows: spread(rng, 25, 0)}, shift.Sample{Name: "b", Rows: spread(rng, 25, 0)}, quick), shift.PopStability)
	if *r.Statistic < 0.25 {
		t.Fatalf("the index is %g: this sample shows nothing", *r.Statistic)
	}
	near(t, "chance", r.Chance, 9*2.0/25)
	near(t, "effect", r.Effect.Value, max(0, *r.Statistic-*r.Chance))
	if *r.Effect.Low != 0 {
		t.Errorf("the shift is %g to %g, want 0 within", *r.Effect.Low, *r.Effect.High)
	}
}

// Who calls every row the larger side's is right in 95 %. The AUC is a half.
func trapAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	r := tested(t, shift.Compare(shift.Sample{Name: "a", Rows: spread(rng, 380, 0)}, shift.Sample{Name: "b", Rows: spread(rng, 20, 0)}, quick), shift.C2ST)
	if math.Abs(*r.Effect.Value-0.5) > 0.2 || *r.P <= 0.05 {
		t.Errorf("AUC %g with p %g without any shift", *r.Effect.Value, *r.P)
	}
}

// Of 99 permutations none is as extreme: p is 1/100.
func trapZeroP(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, r := range shift.Compare(shift.Sample{Name: "a", Rows: spread(rng, 40, 0)}, shift.Sample{Name: "b", Rows: spread(rng, 40, 50)}, quick) {
		if r.Test != shift.PopStability {
			near(t, "p of "+r.Test, r.P, 0.01)
		}
	}
	gains := slices.Repeat([]float64{1}, 40)
	near(t, "p of sign flips", stat.SignFlip(gains, 99, rand.NewPCG(1, 1)), 0.01)
}

// A p of 0.004 among others is 0.02 after Holm: above the 0.01 that a gate
// about shift asks for.
func trapManyTests(t *testing.T) {
	results := make([]*shift.Result, 5)
	for i := range results {
		results[i] = &shift.Result{Primary: true, P: stat.FiniteOrNil(0.5)}
	}
	results[2].P = stat.FiniteOrNil(0.004)
	shift.Adjust(results)
	near(t, "adjusted p", results[2].PHolm, 0.02)

	effect := stat.Estimate{Value: stat.FiniteOrNil(0.9), Low: stat.FiniteOrNil(0.8), High: stat.FiniteOrNil(0.95)}
	pair := analysis.ShiftPair{A: rollout.Train, B: rollout.Eval, On: analysis.OnLastUser, Effect: effect, P: results[2].P, PHolm: results[2].PHolm}
	energy, auc := pair, pair
	energy.Test, energy.Primary = shift.Energy, true
	auc.Test = shift.C2ST
	r := &analysis.Result{
		Confidence: 0.95, Splits: map[rollout.Split]*analysis.SplitResult{},
		Shift: &analysis.Shift{
			Pairs:     []analysis.ShiftPair{energy, auc},
			Crossings: []analysis.Crossing{{A: rollout.Train, B: rollout.Eval, RowsA: 50, RowsB: 50}},
		},
	}
	judge.Judge(r, nil, gate.All())
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Gate == "shift.text" && f.Severity == analysis.Blocking {
			t.Errorf("shift.text decides by the p before correction: %s %s", f.Status, f.Title.String())
		}
	}
	if f := finding(t, r, "shift.text", analysis.Advisory); f.Status != analysis.Fail {
		t.Errorf("p = 0.02 is no caution: %s %s", f.Status, f.Title.String())
	}
	energy.PHolm = stat.FiniteOrNil(0.005)
	r.Shift.Pairs[0] = energy
	judge.Judge(r, nil, gate.All())
	if f := finding(t, r, "shift.text", analysis.Blocking); f.Status != analysis.Fail {
		t.Errorf("shift.text is %s where it must fail: %s", f.Status, f.Title.String())
	}
}

// Hard items get long answers and little reward, and at each item the longer
// answer earns more.
func trapPooledLength(t *testing.T) {
	f := &folder{}
	for i := range 30 {
		for j := range 4 {
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"answer":%q}`, i, j, float64(30-i)/40+0.02*float64(j), strings.Repeat("a", 10*(i+1)+3*j)))
		}
	}
	l := f.analyze(t).Grader.Length
	if !(*l.Within.Low > 0) || !(*l.Pooled.High < 0) {
		t.Errorf("correlation within items %g to %g, pooled %g to %g", *l.Within.Low, *l.Within.High, *l.Pooled.Low, *l.Pooled.High)
	}
}

// Eight samples with one text each are one sample.
func trapIdentical(t *testing.T) {
	f := &folder{}
	for i := range 30 {
		for j := range 8 {
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%d,"answer":"the very same long answer to question %d"}`, i, j, i%2, i))
		}
	}
	r := f.analyze(t)
	if got := finding(t, r, "sampling.identical", analysis.Advisory); got.Status != analysis.Fail {
		t.Errorf("sampling.identical is %s: %s", got.Status, got.Title.String())
	}
	if !slices.Contains(r.Cautions, "rollouts.independent") {
		t.Errorf("cautions are %q", r.Cautions)
	}
	wantReason(t, r, "rollouts.independent", analysis.Fail) // before "nothing to learn from"
}

// wantReason checks the gate that a verdict gives as its reason.
func wantReason(t *testing.T, r *analysis.Result, gate string, status analysis.Status) {
	t.Helper()
	if got := stringOr(r.Reason, ""); got != gate {
		t.Errorf("the verdict is %s because of %s, not of %s", r.Verdict, got, gate)
	}
	if got, title := blocking(r, gate); got != status {
		t.Errorf("%s is %s: %s", gate, got, title)
	}
}

// blocking is the answer of a whole gate, and its title.
func blocking(r *analysis.Result, gate string) (analysis.Status, string) {
	for _, f := range r.Findings {
		if f.Gate == gate && f.Severity == analysis.Blocking && f.Status != analysis.Skipped {
			return f.Status, f.Title.String()
		}
	}
	return analysis.Skipped, ""
}

// lines makes rollouts of 30 items with 8 samples each.
func linesOf(line func(i, j int) string) *folder {
	f := &folder{}
	for i := range 30 {
		for j := range 8 {
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,%s}`, i, j, line(i, j)))
		}
	}
	return f
}

func trapCopiesByMarks(t *testing.T) {
	for mark, said := range map[string]string{"ids": `"trace_id":"t%d"`, "times": `"elapsed_s":1.23%d`, "cache": `"cached":true,"n":%d`} {
		r := linesOf(func(i, _ int) string { return fmt.Sprintf(`"reward":%d,"answer":"%d",`+said, i%2, i, i) }).analyze(t)
		wantReason(t, r, "rollouts.independent", analysis.Fail)
		if got := r.Splits[rollout.Train].Copies.Signs; !slices.Equal(got, []string{mark}) {
			t.Errorf("signs of %s are %q", mark, got)
		}
	}
}

// A sure model gives a short answer every time: that is no cache.
func trapEqualByRight(t *testing.T) {
	r := linesOf(func(i, j int) string {
		return fmt.Sprintf(`"reward":%d,"answer":"%d","elapsed_s":%g`, i%2, i, 1+float64(j)/8)
	}).analyze(t)
	wantReason(t, r, "signal.informative", analysis.Unknown) // of 30 items
}

// Each prompt always earns the same, but an item holds an easy one and a hard one.
func trapPooledPrompts(t *testing.T) {
	for about, line := range map[string]string{
		"as a key of the line": `"reward":%d,"prompt":"Add %d to %d."`,
		"as messages":          `"reward":%d,"messages":[{"role":"user","content":"Add %d to %d."},{"role":"assistant","content":"ok"}]`,
	} {
		r := linesOf(func(i, j int) string { return fmt.Sprintf(line, j%2, i, j%2) }).analyze(t)
		wantReason(t, r, "rollouts.independent", analysis.Unknown)
		_, title := blocking(r, "rollouts.independent")
		if r.Verdict != analysis.Undecided || !strings.Contains(title, "30 items hold") || !strings.Contains(title, "Add 0 to 1.") {
			t.Errorf("%s: %s: %s", about, r.Verdict, title)
		}
	}
	one := linesOf(func(i, j int) string { // below 5 % of items
		return fmt.Sprintf(`"reward":%d,"prompt":"Add %d to %d."`, j%2, i, (j%2)*(1-min(i, 1)))
	}).analyze(t)
	if got, _ := blocking(one, "rollouts.independent"); got != analysis.Pass {
		t.Errorf("one item of 30 that holds two prompts: %s", got)
	}
	if !slices.Contains(one.Cautions, "rollouts.independent") {
		t.Errorf("cautions are %q", one.Cautions)
	}
}

func trapTwoModels(t *testing.T) {
	r := linesOf(func(_, j int) string { return fmt.Sprintf(`"reward":%d,"served_by":"step-%d"`, j/4, 100+j%2) }).analyze(t)
	wantReason(t, r, "rollouts.independent", analysis.Unknown)
	if _, title := blocking(r, "rollouts.independent"); r.Verdict != analysis.Undecided || !strings.Contains(title, "step-100 (120 rollouts)") || !strings.Contains(title, "step-101 (120 rollouts)") {
		t.Errorf("%s: %s", r.Verdict, title)
	}
	update := linesOf(func(i, j int) string { return fmt.Sprintf(`"reward":%d,"served_by":"step-%d"`, j/4, i/15) }).analyze(t)
	if got, _ := blocking(update, "rollouts.independent"); got != analysis.Pass || !slices.Contains(update.Cautions, "rollouts.independent") {
		t.Errorf("an update between items: %s, cautions %q", got, update.Cautions)
	}
	machines := linesOf(func(_, j int) string { return fmt.Sprintf(`"reward":%d,"served_by":"m-2025-11-01 fp_%d"`, j/4, j%2) }).analyze(t)
	if got, _ := blocking(machines, "rollouts.independent"); got != analysis.Pass || !slices.Contains(machines.Cautions, "rollouts.independent") {
		t.Errorf("two fingerprints of one model: %s, cautions %q", got, machines.Cautions)
	}
	for _, f := range machines.Findings {
		for _, fact := range append([]analysis.Fact{f.Fact}, f.Others...) {
			if title := fact.Title.String(); fact.ID == "rollouts.models" && f.Severity == analysis.Advisory && (!strings.HasSuffix(title, "30 items have rollouts of more than one") || *fact.Value != 1) {
				t.Errorf("two fingerprints on every item: %q, measured %g", title, *fact.Value)
			}
		}
	}
	if alias := linesOf(func(_, j int) string { return fmt.Sprintf(`"reward":%d,"served_by":"m-2025-11-01"`, j/4) }).analyze(t); alias.Splits[rollout.Train].Served != nil {
		t.Error("one name, though another than was asked for, is no second model")
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
