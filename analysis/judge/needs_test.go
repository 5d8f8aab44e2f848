package judge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/gate"
	"gonogo/analysis/measure"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Every unknown finding says how many items and samples would settle it, or
// that more data will not: an estimate on its threshold, and references of
// which so many are accepted that more of the same tell nothing new.
func TestEveryUnknownSaysWhatWouldSettleIt(t *testing.T) {
	seen := make(map[string]bool)
	for seed := range uint64(40) {
		for _, f := range analysis.ByFact(openRun(seed).Findings) {
			if f.Status != analysis.Unknown {
				continue
			}
			seen[f.Gate] = true
			switch {
			case f.Settleable && (f.Needs == nil || f.Needs.Items < 1 || f.Needs.Samples < 1):
				t.Errorf("seed %d: %s can be settled, by %+v", seed, f.Gate, f.Needs)
			case !f.Settleable && f.Needs != nil:
				t.Errorf("seed %d: %s cannot be settled, and %+v would", seed, f.Gate, f.Needs)
			}
		}
	}
	for _, gate := range []string{
		"data.enough", "infra.failures", "baseline.reachable", "baseline.headroom", "signal.informative", "exploration.lift",
		"grader.hackable", "grader.truth", "grader.noise", "grader.agreement", "grader.brittle", "grader.guessable", "latency.limit",
	} {
		if !seen[gate] {
			t.Errorf("%s is never unknown here: the test does not show what it says", gate)
		}
	}
}

// openRun is a judged run of few items in which much is open: some rollouts
// lost, some gradings of the audit failed, grades that stray, few labels.
func openRun(seed uint64) *analysis.Result {
	rng := rand.New(rand.NewPCG(seed, 3))
	items, n, p := 6+rng.IntN(60), 1+rng.IntN(10), 0.25*rng.Float64()
	if seed%3 == 0 {
		p = 1 - p/4
	}
	c := collect.New(stat.Range{Lo: 0, Hi: 1})
	coin := func(p float64) *float64 {
		if rng.Float64() < p {
			return stat.FiniteOrNil(1)
		}
		return stat.FiniteOrNil(0)
	}
	for i := range items {
		for j := range n {
			rec := rollout.Record{Item: fmt.Sprint(i), Split: rollout.Train, Sample: j, Outcome: rollout.Graded, Reward: coin(p), Elapsed: rollout.Seconds(rng.IntN(22) * 1e8)}
			switch {
			case rng.IntN(9) == 0:
				rec.Outcome, rec.Reward = rollout.ToolFailed, nil
			case seed%2 == 0:
				rec.Grades = []float64{*rec.Reward, *coin(p), *rec.Reward}
			}
			must(c.Add(&rec))
		}
		for _, name := range []string{"filler", "echo"} {
			addProbe(c, name, rollout.Bottom, i, coin(0.02), rng.IntN(3) > 0)
		}
		addProbe(c, rollout.ProbeReference, rollout.Top, i, coin(0.88), rng.IntN(8) > 0)
		addProbe(c, "case", rollout.Top, i, coin(0.93), true)
		addProbe(c, rollout.ProbeConstant, rollout.Note, i, coin(0.25), true)
		if i < 8 {
			sample := 0
			c.People = append(c.People, rollout.Label{Split: rollout.Train, Item: fmt.Sprint(i), Sample: &sample, Score: coin(0.5), Rater: "a"})
		}
	}
	c.Audit.Settle()
	s := analysis.DefaultSettings()
	s.Boot, s.Thresholds = 0, analysis.Thresholds{"tools.tail.limit": 2}
	r := &analysis.Result{RewardRange: [2]float64{0, 1}, Ceiling: 1, GroupSize: 8, Confidence: 0.95, Splits: map[rollout.Split]*analysis.SplitResult{}}
	measure.Fill(r, c, &rollout.Run{}, s)
	Judge(r, s.Thresholds, gate.All())
	return r
}

// addProbe adds one payload to the audit; graded tells whether the grader did
// not fail on it.
func addProbe(c *collect.Collector, name string, expect rollout.Expectation, item int, reward *float64, graded bool) {
	share := 0.9
	rec := &rollout.Record{
		Item: fmt.Sprint(item), Split: rollout.Train, Outcome: rollout.Graded, Reward: reward, Answer: "the payload of a probe",
		Probe: &rollout.ProbeInfo{Name: name, Expect: expect, Share: &share},
	}
	if !graded {
		rec.Outcome, rec.Reward, rec.Error = rollout.GraderFailed, nil, "the judge answered with prose"
	}
	must(c.AddProbe(rec))
}
