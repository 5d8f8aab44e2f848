package stat

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// estimator is an estimate of rewards, and how it answers to them: whether a
// constant added moves it, how much a factor stretches it, and whether it is a
// mean over items, whose standard error every item twice shrinks by a known
// factor. k is a group size of at least 2.
type estimator struct {
	name     string
	moves    bool
	power    int
	overItem bool
	make     func(items [][]float64, k int, r *Range) Estimate
}

var estimators = []estimator{
	{"Mean", true, 1, true, func(items [][]float64, _ int, r *Range) Estimate { return Mean(items, r, 0.95) }},
	{"Pooled", true, 1, false, func(items [][]float64, _ int, r *Range) Estimate { return Pooled(items, r, 0.95) }},
	{"FamilyMean", true, 1, false, func(items [][]float64, _ int, r *Range) Estimate {
		return FamilyMean(items, families(len(items)), r, 0.95)
	}},
	{"BestOf", true, 1, true, func(items [][]float64, k int, r *Range) Estimate {
		return BestOf(items, []int{k}, r, 0.95)[0].Estimate
	}},
	{"WorstOf", true, 1, true, func(items [][]float64, k int, r *Range) Estimate {
		return WorstOf(items, []int{k}, r, 0.95)[0].Estimate
	}},
	{"Signal", false, 0, true, func(items [][]float64, k int, r *Range) Estimate {
		return Signal(items, k, 0.03*r.Width(), 0.95) // no sixteenth is as far as that from another
	}},
	{"ICC", false, 0, false, func(items [][]float64, _ int, _ *Range) Estimate { return ICC(items, 0.95, 100, seeded(1)) }},
	{"QuantileItems", true, 1, false, func(items [][]float64, _ int, _ *Range) Estimate { return QuantileItems(items, 0.5, 0.95) }},
}

// families puts every three items into one.
func families(m int) []string {
	out := make([]string, m)
	for i := range out {
		out[i] = fmt.Sprint(i / 3)
	}
	return out
}

// sixteenths draws 3 to 9 items of as many rewards each, in sixteenths from 0
// to 1.
func sixteenths(t *rapid.T) (items [][]float64, k int) {
	n := rapid.IntRange(2, 6).Draw(t, "n")
	step := rapid.SampledFrom([]int{1, 4, 16}).Draw(t, "step")
	for range rapid.IntRange(3, 9).Draw(t, "items") {
		item := make([]float64, n)
		for j := range item {
			item[j] = float64(step*rapid.IntRange(0, 16/step).Draw(t, "reward")) / 16
		}
		items = append(items, item)
	}
	return items, rapid.IntRange(2, n).Draw(t, "k")
}

func each(items [][]float64, f func(y float64) float64) [][]float64 {
	out := make([][]float64, len(items))
	for i, item := range items {
		for _, y := range item {
			out[i] = append(out[i], f(y))
		}
	}
	return out
}

// through is an estimate after the rewards were stretched and moved.
func (e estimator) through(was Estimate, scale, move float64) Estimate {
	stretch := math.Pow(scale, float64(e.power))
	to := func(p *float64, moves bool) *float64 {
		if p == nil {
			return nil
		}
		x := *p * stretch
		if moves {
			x += move
		}
		return &x
	}
	return Estimate{Value: to(was.Value, e.moves), Low: to(was.Low, e.moves), High: to(was.High, e.moves), SE: to(was.SE, false), FixedSE: to(was.FixedSE, false)}
}

func TestEstimatorsFollowTheRewards(t *testing.T) {
	for _, e := range estimators {
		t.Run(e.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				items, k := sixteenths(t)
				was := e.make(items, k, &unit)
				scale := rapid.SampledFrom([]float64{0.5, 1, 4}).Draw(t, "scale")
				move := float64(rapid.IntRange(-3, 3).Draw(t, "move"))
				now := e.make(each(items, func(y float64) float64 { return scale*y + move }), k, &Range{move, scale + move})
				same(t, "stretched and moved", now, e.through(was, scale, move), 1e-7)

				for _, item := range items {
					slices.Reverse(item)
				}
				same(t, "samples in another order", e.make(items, k, &unit), was, 1e-9)
				if e.name == "FamilyMean" || e.name == "ICC" { // items carry families; resamples draw items by place
					return
				}
				same(t, "items in another order", e.make(rapid.Permutation(items).Draw(t, "order"), k, &unit), was, 1e-9)
			})
		})
	}
}

// Every item twice: the value stays, S/(m(m-1)) becomes 2S/(2m(2m-1)).
func TestEstimatorsOfEveryItemTwice(t *testing.T) {
	for _, e := range estimators {
		if !e.overItem {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				items, k := sixteenths(t)
				once, twice := e.make(items, k, &unit), e.make(slices.Concat(items, items), k, &unit)
				if math.Abs(*once.Value-*twice.Value) > 1e-12 {
					t.Fatalf("%g, and of every item twice %g", *once.Value, *twice.Value)
				}
				if (once.SE == nil) != (twice.SE == nil) {
					t.Fatalf("se is %v, and of every item twice %v", once.SE, twice.SE)
				}
				m := float64(len(items))
				if once.SE != nil && math.Abs(*twice.SE-*once.SE*math.Sqrt((m-1)/(2*m-1))) > 1e-12 {
					t.Fatalf("se is %g, and of every item twice %g", *once.SE, *twice.SE)
				}
				if *twice.High-*twice.Low > *once.High-*once.Low+1e-9 {
					t.Fatalf("the interval grows from %g..%g to %g..%g", *once.Low, *once.High, *twice.Low, *twice.High)
				}
			})
		})
	}
}

// Differences of runs: the order of items, a factor, and a sign.
func TestPairedEstimatesFollowTheDifferences(t *testing.T) {
	both := Range{-1, 1}
	rapid.Check(t, func(t *rapid.T) {
		items, _ := sixteenths(t)
		d := make([]float64, len(items))
		for i, item := range items {
			d[i] = item[0] - item[1]
		}
		was := PairedMean(d, nil, len(d), &both, 0.95)
		same(t, "items in another order", PairedMean(rapid.Permutation(d).Draw(t, "order"), nil, len(d), &both, 0.95), was, 1e-9)
		doubled := each([][]float64{d}, func(x float64) float64 { return 2 * x })[0]
		same(t, "twice the differences", PairedMean(doubled, nil, len(d), &Range{-2, 2}, 0.95), estimator{power: 1}.through(was, 2, 0), 1e-9)
		turned := PairedMean(each([][]float64{d}, func(x float64) float64 { return -x })[0], nil, len(d), &both, 0.95)
		for _, p := range [][2]*float64{{turned.Value, was.Value}, {turned.Low, was.High}, {turned.High, was.Low}} {
			if (p[0] == nil) != (p[1] == nil) || p[0] != nil && math.Abs(*p[0]+*p[1]) > 1e-9 {
				t.Fatalf("with base and new exchanged: %v against %v", ValueOr(p[0], math.NaN()), ValueOr(p[1], math.NaN()))
			}
		}
		if p, q := *SignFlip(d, 0, nil), *SignFlip(doubled, 0, nil); math.Abs(p-q) > 1e-12 {
			t.Fatalf("p is %g, and of twice the differences %g", p, q)
		}
	})
}
