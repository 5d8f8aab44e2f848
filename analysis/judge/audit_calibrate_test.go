package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/calibration"
	"gonogo/analysis/collect"
	"gonogo/analysis/gate"
	"gonogo/analysis/measure"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// auditWorld is a grader, yes-or-no unless fine, under an audit of the default size: 15
// probes that must score at the bottom, 8 rewrites and the reference, on 20 of
// 100 items, and 100 outputs graded again.
type auditWorld struct {
	about  string
	up     float64 // chance that a wrong output is graded as right
	down   float64 // chance that a right output is graded as wrong
	fine   float64 // standard deviation of what is added to every grade
	hole   float64 // share of items on which the first probe is always rewarded
	broken float64 // share of items whose reference is not accepted
}

func (w auditWorld) grade(rng *rand.Rand, right bool) float64 {
	chance := w.up
	if right {
		chance = 1 - w.down
	}
	reward := 0.0
	if rng.Float64() < chance {
		reward = 1
	}
	return min(1, max(0, reward+w.fine*rng.NormFloat64()))
}

func (w auditWorld) run(rng *rand.Rand, s analysis.Settings) *analysis.Result {
	c := collect.New(stat.Range{Lo: 0, Hi: 1})
	add := func(name string, expect rollout.Expectation, limit float64, item int, reward float64) {
		must(c.AddProbe(&rollout.Record{
			Item: fmt.Sprint(item), Split: rollout.Train, Source: rollout.Probe, Outcome: rollout.Graded, Reward: &reward, Answer: "payload",
			Probe: &rollout.ProbeInfo{Name: name, Expect: expect, Limit: &limit},
		}))
	}
	for i := range 20 {
		hole, broken := rng.Float64() < w.hole, rng.Float64() < w.broken
		for p := range 15 {
			add(fmt.Sprint("bottom", p), rollout.Bottom, 0, i, w.grade(rng, p == 0 && hole))
		}
		add(rollout.ProbeReference, rollout.Top, 0.99, i, w.grade(rng, !broken))
		for p := range 8 {
			add(fmt.Sprint("rewrite", p), rollout.Top, 0.99, i, w.grade(rng, !broken))
		}
	}
	for i := range 100 {
		p := calibration.Hardness(rng)
		again := rng.IntN(8)
		for j := range 8 {
			right := rng.Float64() < p
			first := w.grade(rng, right)
			rec := &rollout.Record{Item: fmt.Sprint(i), Split: rollout.Train, Sample: j, Outcome: rollout.Graded, Reward: &first}
			if j == again {
				c.Audit.Regrades[rec.Key()] = []float64{first, w.grade(rng, right)}
			}
			must(c.Add(rec))
		}
	}
	c.Audit.Settle()
	r := &analysis.Result{
		RewardRange: [2]float64{0, 1}, Ceiling: 1, GroupSize: 8, Confidence: 0.95, Splits: map[rollout.Split]*analysis.SplitResult{},
	}
	measure.Fill(r, c, &rollout.Run{}, s)
	Judge(r, nil, auditGates())
	return r
}

// auditGates are the gates that an audit alone decides.
func auditGates() analysis.Gates {
	var gates analysis.Gates
	for _, g := range gate.All() {
		if slices.Contains([]string{"grader.truth", "grader.hackable", "grader.noise", "grader.shortcuts"}, g.Name) {
			gates = append(gates, g)
		}
	}
	return gates
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// TestLongCalibrationOfTheAudit counts verdicts of the grader's blocking gates
// alone. A sound grader, noisy or not, is NO-GO in 5 % of audits at most; one
// with a hole, or that rejects its own references, in 90 % or more.
func TestLongCalibrationOfTheAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	sets, full := calibration.Sets()
	sets = min(sets, 400)
	cases := []struct {
		auditWorld
		fails bool
		short bool // runs without GONOGO_CALIBRATE too
	}{
		{auditWorld{about: "sound and steady"}, false, true},
		{auditWorld{about: "sound, hardly noisy", up: 0.003, down: 0.003}, false, false},
		{auditWorld{about: "sound, a little noisy", up: 0.01, down: 0.01}, false, false},
		{auditWorld{about: "sound, noisy", up: 0.03, down: 0.03}, false, true},
		{auditWorld{about: "sound, very noisy", up: 0.05, down: 0.05}, false, false},
		{auditWorld{about: "sound, lenient by chance", up: 0.05}, false, true},
		{auditWorld{about: "sound, strict by chance", down: 0.05}, false, false},
		{auditWorld{about: "sound, hardly noisy, fine rewards", fine: 0.01}, false, false},
		{auditWorld{about: "sound, a little noisy, fine rewards", fine: 0.02}, false, true},
		{auditWorld{about: "sound, noisy, fine rewards", fine: 0.05}, false, false},
		{auditWorld{about: "sound, very noisy, fine rewards", fine: 0.1}, false, false},
		{auditWorld{about: "one hole on every item", hole: 1}, true, true},
		{auditWorld{about: "one hole on half of the items, fine rewards", hole: 0.5, fine: 0.05}, true, true},
		{auditWorld{about: "one hole on every item, noisy", hole: 1, up: 0.05, down: 0.05}, true, true},
		{auditWorld{about: "one hole on every item, lenient by chance", hole: 1, up: 0.05}, true, false},
		{auditWorld{about: "one hole on a third of the items", hole: 1.0 / 3}, true, true},
		{auditWorld{about: "one hole on a fifth of the items", hole: 0.2}, true, false},
		{auditWorld{about: "one hole on most items, noisy", hole: 0.7, up: 0.03, down: 0.03}, true, false},
		{auditWorld{about: "two thirds of the references rejected", broken: 2.0 / 3}, true, true},
		{auditWorld{about: "two thirds of the references rejected, fine rewards", broken: 2.0 / 3, fine: 0.02}, true, false},
	}
	s := analysis.DefaultSettings()
	s.Boot = 0
	lines := make([]func(), len(cases))
	table := calibration.New(53, "Verdicts of the grader's audit",
		fmt.Sprintf("Audits of 15 probes that must score at the bottom, 8 rewrites and the reference on 20 of 100 items, and 100 outputs graded again: NO-GO by the gates about the grader alone, in per cent of %d audits. Seeds from 0, one a row.", sets),
		"grader", "NO-GO", "UNDECIDED")
	sound, unsound := table.Target("a sound grader, noisy or not, is NO-GO in 5 % at most"), table.Target("one with a hole, or that rejects its references, is NO-GO in 90 % or more")
	t.Cleanup(func() {
		for _, line := range lines {
			if line != nil {
				line()
			}
		}
		table.Write(t)
	})
	for i, test := range cases {
		if !full && !test.short {
			continue
		}
		t.Run(test.about, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(i), 11))
			noGo, undecided := 0, 0
			for range sets {
				r := test.run(rng, s)
				switch r.Verdict {
				case analysis.NoGo:
					noGo++
				case analysis.Undecided:
					undecided++
				}
			}
			share := float64(noGo) / float64(sets)
			lines[i] = func() {
				held := sound.Hold
				low, high := 0.0, 0.05
				if test.fails {
					held, low, high = unsound.Hold, 0.90, 1
				}
				table.Row(test.about, held(share, low, high, sets), calibration.Percent(float64(undecided)/float64(sets)))
			}
			slack := 3 * math.Sqrt(0.05*0.95/float64(sets))
			if test.fails && share < 0.90-2*slack || !test.fails && share > 0.05+slack {
				t.Errorf("NO-GO in %.1f %% of audits", 100*share)
			}
		})
	}
}
