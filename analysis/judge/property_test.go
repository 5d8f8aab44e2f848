package judge_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/judge"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// attempt is one rollout of a random run. Rewards are sixteenths: sums with
// whole numbers and products with powers of two have no rounding.
type attempt struct {
	item     string
	sample   int
	sixteens int
	outcome  rollout.Outcome
	calls    int
	family   string
}

// infrastructure reports a failure that is not the model's own doing.
func (a attempt) infrastructure() bool {
	return a.outcome == rollout.ModelAPI || a.outcome == rollout.ToolFailed || a.outcome == rollout.GraderFailed
}

// randomRun draws up to 10 items of up to 6 rollouts, some of which failed.
func randomRun(t *rapid.T) []attempt {
	outcomes := []rollout.Outcome{
		rollout.Graded, rollout.Graded, rollout.Graded, rollout.Graded, rollout.Graded, rollout.Graded, rollout.Graded,
		rollout.NoAnswer, rollout.StepLimit, rollout.ModelAPI, rollout.ToolFailed, rollout.GraderFailed,
	}
	step := rapid.SampledFrom([]int{1, 4, 16}).Draw(t, "step") // fine, coarse or 0/1 rewards
	families := rapid.Bool().Draw(t, "families")
	var run []attempt
	for i := range rapid.IntRange(2, 10).Draw(t, "items") {
		for j := range rapid.IntRange(1, 6).Draw(t, "samples") {
			a := attempt{item: fmt.Sprintf("q%d", i), sample: j, outcome: rapid.SampledFrom(outcomes).Draw(t, "outcome")}
			a.sixteens = step * rapid.IntRange(0, 16/step).Draw(t, "reward")
			a.calls = rapid.IntRange(0, 2).Draw(t, "calls")
			if families {
				a.family = fmt.Sprint("f", i/3)
			}
			run = append(run, a)
		}
	}
	return run
}

// line writes an attempt with its reward scaled and moved.
func (a attempt) line(scale, move float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"item":%q,"sample":%d,"turns":%d,"elapsed_s":%d,"usage":{"input_tokens":%d,"output_tokens":9}`, a.item, a.sample, a.calls+1, 1+a.sample, 100*a.calls)
	if a.family != "" {
		fmt.Fprintf(&b, `,"family":%q`, a.family)
	}
	if a.outcome == rollout.Graded {
		fmt.Fprintf(&b, `,"reward":%.17g`, scale*float64(a.sixteens)/16+move)
	} else {
		fmt.Fprintf(&b, `,"outcome":%q`, a.outcome)
	}
	var calls []string
	for k := range a.calls {
		calls = append(calls, fmt.Sprintf(`{"turn":%d,"name":"search","arguments":"%d","status":"ok","elapsed_s":0.1}`, k, a.sixteens))
	}
	fmt.Fprintf(&b, `,"calls":[%s]}`, strings.Join(calls, ","))
	return b.String()
}

// laboratory analyses random runs.
type laboratory struct {
	dir string
	s   analysis.Settings
}

func newLaboratory(t *testing.T) *laboratory {
	s := analysis.DefaultSettings()
	s.GroupSize, s.Boot = 4, 0
	half := 0.5
	s.PassThreshold, s.BatchSize = &half, 4
	return &laboratory{t.TempDir(), s}
}

// analyze writes a run with rewards scaled and moved, and the range with them.
func (l *laboratory) analyze(t *rapid.T, run []attempt, scale, move float64) *analysis.Result {
	var text strings.Builder
	for _, a := range run {
		text.WriteString(a.line(scale, move) + "\n")
	}
	if err := os.WriteFile(filepath.Join(l.dir, rollout.RolloutsFile), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	opened, err := rollout.Open(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	s := l.s
	s.RewardRange = stat.Range{Lo: move, Hi: scale + move}
	pass := *s.PassThreshold*scale + move
	s.PassThreshold = &pass
	r, err := judge.Analyze(t.Context(), opened, rollout.ReadOptions{}, s, gate.All())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A figure of a result, and what becomes of it when every reward is multiplied
// and moved: it is multiplied by scale to the power, and moved if it is a
// reward.
type figure struct {
	power int
	moves bool
	value *float64
}

func (f figure) scaled(scale, move float64) *float64 {
	if f.value == nil {
		return nil
	}
	x := *f.value * math.Pow(scale, float64(f.power))
	if f.moves {
		x += move
	}
	return &x
}

// figures are the numbers of the training split that are about rewards.
func figures(r *analysis.Result) map[string]figure {
	sr := r.Splits[rollout.Train]
	out := map[string]figure{}
	add := func(name string, e stat.Estimate, power int, moves bool) {
		out[name] = figure{power, moves, e.Value}
		out[name+" low"] = figure{power, moves, e.Low}
		out[name+" high"] = figure{power, moves, e.High}
		out[name+" se"] = figure{power, false, e.SE}
	}
	add("reward", sr.Reward.Estimate, 1, true)
	add("pooled", sr.Reward.Pooled, 1, true)
	if sr.Reward.Family != nil {
		add("family", *sr.Reward.Family, 1, true)
	}
	out["fixed se"] = figure{1, false, sr.Reward.FixedSE}
	out["within"] = figure{2, false, sr.Variance.Within}
	out["between"] = figure{2, false, sr.Variance.Between}
	add("icc", sr.Variance.ICC, 0, false)
	for name, curve := range map[string][]analysis.AtK{"best": sr.BestOf, "worst": sr.WorstOf} {
		for _, p := range curve {
			add(fmt.Sprint(name, " of ", p.K), p.Estimate, 1, true)
		}
	}
	for name, curve := range map[string][]analysis.AtK{"pass at": sr.PassAt, "pass all": sr.PassAll} {
		for _, p := range curve {
			add(fmt.Sprint(name, " ", p.K), p.Estimate, 0, false)
		}
	}
	add("lift", sr.Lift, 1, false)
	add("headroom", sr.Headroom, 1, false)
	add("lift share", sr.LiftShare, 0, false)
	add("reward sd", sr.SignalRewardSD, 0, false)
	for _, g := range sr.Signal {
		add(fmt.Sprint("informative ", g.Bound, g.GroupSize), g.Estimate, 0, false)
		out[fmt.Sprint("strict ", g.Bound, g.GroupSize)] = figure{0, false, g.Strict}
	}
	for _, e := range sr.Extrapolated {
		out[fmt.Sprint(e.Quantity, e.K, e.Model)] = figure{0, false, e.Value}
	}
	for _, it := range sr.Classes.Items {
		if it.N > 0 {
			out["mean of "+it.Item] = figure{1, true, it.Mean}
			out["sd of "+it.Item] = figure{1, false, it.SD}
			out["stays of "+it.Item] = figure{0, false, it.Stays}
		}
	}
	return out
}

// alike compares figures by name.
func alike(t *rapid.T, about string, got, want map[string]figure, scale, move float64) {
	for name, w := range want {
		g, ok := got[name]
		x, y := g.value, w.scaled(scale, move)
		if !ok || (x == nil) != (y == nil) {
			t.Fatalf("%s: %s is there %v, %v against %v", about, name, ok, x, y)
		}
		if x != nil && !(math.Abs(*x-*y) <= 1e-6*max(1, math.Abs(*y))) {
			t.Fatalf("%s: %s is %.12g, want %.12g", about, name, *x, *y)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Fatalf("%s: %s was not there", about, name)
		}
	}
}

// statuses are the answers of all gates, fact by fact; those that had nothing to judge
// are of no split.
func statuses(r *analysis.Result, but ...string) []string {
	var out []string
	for _, f := range analysis.ByFact(r.Findings) {
		if f.Status == analysis.Skipped {
			f.Split = ""
		}
		if !slices.Contains(but, f.Gate) {
			out = append(out, fmt.Sprint(f.Gate, " ", f.Split, " ", f.Severity, " ", f.Status))
		}
	}
	slices.Sort(out)
	return out
}

func bytesOf(t *rapid.T, r *analysis.Result) []byte {
	var b bytes.Buffer
	if err := ofAnyOrder(r).Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The same records in another order are the same run, and processors only make
// it faster: the same bytes.
func TestResultHangsOnNoOrder(t *testing.T) {
	l := newLaboratory(t)
	rapid.Check(t, func(t *rapid.T) {
		run := randomRun(t)
		want := bytesOf(t, l.analyze(t, run, 1, 0))
		if got := bytesOf(t, l.analyze(t, rapid.Permutation(run).Draw(t, "order"), 1, 0)); !bytes.Equal(got, want) {
			t.Fatal("the records in another order give another result")
		}
		before := runtime.GOMAXPROCS(1 + 3*rapid.IntRange(0, 1).Draw(t, "processors"))
		got := bytesOf(t, l.analyze(t, run, 1, 0))
		runtime.GOMAXPROCS(before)
		if !bytes.Equal(got, want) {
			t.Fatal("another number of processors gives another result")
		}
	})
}

// Grades on another scale, declared so, say the same.
func TestResultOnAnotherScale(t *testing.T) {
	l := newLaboratory(t)
	rapid.Check(t, func(t *rapid.T) {
		run := randomRun(t)
		scale := rapid.SampledFrom([]float64{0.25, 1, 2, 1024}).Draw(t, "scale")
		move := float64(rapid.IntRange(-3, 3).Draw(t, "move"))
		want, got := l.analyze(t, run, 1, 0), l.analyze(t, run, scale, move)
		alike(t, "scaled and moved", figures(got), figures(want), scale, move)
		if !slices.Equal(statuses(got), statuses(want)) || got.Verdict != want.Verdict {
			t.Fatalf("%s %v\nwant\n%s %v", got.Verdict, statuses(got), want.Verdict, statuses(want))
		}
		if a, b := got.Splits[rollout.Train].Classes.Counts, want.Splits[rollout.Train].Classes.Counts; fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("classes are %v, want %v", a, b)
		}
	})
}

// Every item twice: the means are the same, the variance of a mean of m items
// is S/(m(m-1)) before and 2S/(2m(2m-1)) after, and fixed_se falls by √2.
func TestResultOfEveryItemTwice(t *testing.T) {
	l := newLaboratory(t)
	rapid.Check(t, func(t *rapid.T) {
		run := randomRun(t)
		twice := slices.Clone(run)
		for _, a := range run {
			a.item += "-again"
			twice = append(twice, a)
		}
		one, two := l.analyze(t, run, 1, 0).Splits[rollout.Train], l.analyze(t, twice, 1, 0).Splits[rollout.Train]
		same := func(about string, got, want *float64, factor float64) {
			if (got == nil) != (want == nil) || got != nil && math.Abs(*got-*want*factor) > 1e-9 {
				t.Fatalf("%s is %v, want %v times %g", about, stat.ValueOr(got, math.NaN()), stat.ValueOr(want, math.NaN()), factor)
			}
		}
		same("mean", two.Reward.Mean, one.Reward.Mean, 1)
		same("pooled mean", two.Reward.Pooled.Value, one.Reward.Pooled.Value, 1)
		same("low bound", two.Reward.Bounds.Low, one.Reward.Bounds.Low, 1)
		same("share missing", two.Missing.Share, one.Missing.Share, 1)
		same("within", two.Variance.Within, one.Variance.Within, 1)
		same("fixed se", two.Reward.FixedSE, one.Reward.FixedSE, math.Sqrt(0.5))
		if m := float64(one.Items.Measured); m > 1 && one.Reward.SE != nil {
			same("se", two.Reward.SE, one.Reward.SE, math.Sqrt((m-1)/(2*m-1)))
		}
		for i, p := range one.BestOf {
			same(fmt.Sprint("best of ", p.K), two.BestOf[i].Value, p.Value, 1)
		}
		for i, p := range one.Signal {
			same(fmt.Sprint("informative of ", p.GroupSize), two.Signal[i].Value, p.Value, 1)
		}
		for class, n := range one.Classes.Counts {
			if two.Classes.Counts[class] != 2*n {
				t.Fatalf("%d items are %s, want twice %d", two.Classes.Counts[class], class, n)
			}
		}
	})
}

// Rollouts that the infrastructure lost are as good as never made, but for what
// counts them: missing, bounds, items lost, and the gates about that.
func TestResultWithoutTheMissing(t *testing.T) {
	l := newLaboratory(t)
	rapid.Check(t, func(t *rapid.T) {
		run := randomRun(t)
		kept := slices.DeleteFunc(slices.Clone(run), attempt.infrastructure)
		if len(kept) == 0 {
			t.Skip("nothing is left")
		}
		with, without := l.analyze(t, run, 1, 0), l.analyze(t, kept, 1, 0)
		alike(t, "without the missing", figures(without), figures(with), 1, 0)
		sr := without.Splits[rollout.Train]
		if b := sr.Reward.Bounds; sr.Missing.Total() != 0 || len(sr.Items.Lost) != 0 || math.Abs(*b.Low-*sr.Reward.Mean)+math.Abs(*b.High-*sr.Reward.Mean) > 1e-9 {
			t.Fatalf("missing %+v, lost %v, bounds %g to %g of %g", sr.Missing, sr.Items.Lost, *b.Low, *b.High, *sr.Reward.Mean)
		}
		about := []string{"infra.failures", "data.enough", "sampling.identical"}
		for _, f := range analysis.ByFact(with.Findings) { // what tools and clocks did is told of lost rollouts too
			if strings.HasPrefix(f.Gate, "tools.") || strings.HasPrefix(f.Gate, "latency.") {
				about = append(about, f.Gate)
			}
		}
		if !slices.Equal(statuses(without, about...), statuses(with, about...)) {
			t.Fatalf("%v\nwant\n%v", statuses(without, about...), statuses(with, about...))
		}
	})
}
