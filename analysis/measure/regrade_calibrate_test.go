package measure

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/calibration"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// noisyWorld makes runs whose within-item variance is the grader's noise to a
// known share.
type noisyWorld struct {
	share    float64
	fine     bool // rewards of any height with normal noise; else 0 or 1, flipped by chance
	items, n int
	regrades int
	heights  bool // outputs to regrade are picked by heights of reward in turn, not at random
}

func (w noisyWorld) String() string {
	return fmt.Sprintf("%s grader, share %g, %d x %d, %d regraded %s", w.kind(), w.share, w.items, w.n, w.regrades, w.picked())
}

func (w noisyWorld) kind() string {
	if w.fine {
		return "fine"
	}
	return "0/1"
}

func (w noisyWorld) picked() string {
	if w.heights {
		return "by heights"
	}
	return "at random"
}

// meanPQ is E[p(1-p)] of Beta(0.6, 0.9).
const meanPQ = 0.6 * 0.9 / (1.5 * 2.5)

// flip is the flip rate at which noise is the world's share of MSW.
func (w noisyWorld) flip() float64 {
	low, high := 0.0, 0.5
	for range 60 {
		e := (low + high) / 2
		noise := e * (1 - e)
		if noise/(noise+(1-2*e)*(1-2*e)*meanPQ) < w.share {
			low = e
		} else {
			high = e
		}
	}
	return low
}

// grader returns what grades an output of the given quality once.
func (w noisyWorld) grade(rng *rand.Rand, quality float64) float64 {
	if w.fine {
		return quality + 0.08*math.Sqrt(w.share)*rng.NormFloat64()
	}
	if rng.Float64() < w.flip() {
		return 1 - quality
	}
	return quality
}

func (w noisyWorld) quality(rng *rand.Rand, p float64) float64 {
	if w.fine {
		return 0.3 + 0.4*p + 0.08*math.Sqrt(1-w.share)*rng.NormFloat64()
	}
	if rng.Float64() < p {
		return 1
	}
	return 0
}

// run makes the items of one run with their regrades.
func (w noisyWorld) run(rng *rand.Rand, c *evidence) []*collect.Item {
	items := make([]*collect.Item, w.items)
	truth := make(map[*collect.Row]float64)
	for i := range items {
		it := &collect.Item{ID: fmt.Sprint(i)}
		of := &collect.ItemKey{Split: rollout.Train, ID: it.ID}
		p := calibration.Hardness(rng)
		for j := range w.n {
			q := w.quality(rng, p)
			r := &collect.Row{Of: of, Sample: j, Valid: true, Graded: true, Reward: w.grade(rng, q)}
			truth[r] = q
			it.Rows = append(it.Rows, r)
		}
		it.Settle()
		items[i] = it
	}
	for _, r := range w.pick(rng, items) {
		grades := []float64{r.Reward, w.grade(rng, truth[r])}
		slices.Sort(grades)
		r.SetRare(collect.Rare{Grades: grades})
	}
	return items
}

func (w noisyWorld) pick(rng *rand.Rand, items []*collect.Item) []*collect.Row {
	var rows []*collect.Row
	if !w.heights {
		for _, it := range items {
			rows = append(rows, it.Rows...)
		}
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		return rows[:w.regrades]
	}
	for _, i := range rng.Perm(len(items)) {
		if len(rows) == w.regrades {
			break
		}
		heights := make(map[float64][]*collect.Row)
		for _, r := range items[i].Rows {
			heights[r.Reward] = append(heights[r.Reward], r)
		}
		all := slices.Sorted(maps.Keys(heights))
		of := heights[all[rng.IntN(len(all))]]
		rows = append(rows, of[rng.IntN(len(of))])
	}
	return rows
}

// TestLongCalibrationOfGraderShare counts how often the interval of the grader's
// share of the within-item variance holds the true one: in 92 % or more, few
// regrades included. Without noise and at 100 regrades its high end must lie
// below the blocking threshold.
func TestLongCalibrationOfGraderShare(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	sets, full := calibration.Sets()
	s := analysis.DefaultSettings()
	table := calibration.New(64, "The grader's share of the variance",
		fmt.Sprintf("Runs of 100 items x 8 of which so many outputs are graded twice: how often, in per cent of %d runs a cell, the 95 %% interval of the grader's share of the variance within items holds the true one, its mean, "+
			"and how often grader.noise passes and fails at 0.50. Seeds 1000·share + regrades.", sets),
		"grader", "share", "regraded", "picked", "covers", "mean", "passes", "fails")
	defer table.Write(t)
	covers, sound := table.Target("covers 92 % or more"), table.Target("a grader without noise passes in 99 % or more, 100 regrades")
	for _, fine := range []bool{false, true} {
		for _, share := range []float64{0, 0.1, 0.25, 0.5, 0.9} {
			for _, k := range []int{20, 100} {
				for _, heights := range []bool{false, true} {
					w := noisyWorld{share: share, fine: fine, items: 100, n: 8, regrades: k, heights: heights}
					if !full && heights != (k == 100) {
						continue
					}
					rng := rand.New(rand.NewPCG(uint64(1000*share)+uint64(k), 7))
					c := &evidence{Collector: collect.New(stat.Range{Lo: 0, Hi: 1})}
					covered, passes, fails, mean := 0, 0, 0, 0.0
					for range sets {
						items := w.run(rng, c)
						var v analysis.Variance
						v.Within = stat.FiniteOrNil(1) // known
						splitWithin(&v, regrades(items, c, 0.05), nil, s)
						e := v.GraderShare
						mean += *e.Value / float64(sets)
						if *e.Low <= share+1e-12 && share <= *e.High {
							covered++
						}
						switch analysis.BoundOf(e).AtMost(0.5) {
						case analysis.Pass:
							passes++
						case analysis.Fail:
							fails++
						}
					}
					of := func(n int) float64 { return 100 * float64(n) / float64(sets) }
					passed := calibration.Percent(of(passes) / 100)
					if share == 0 && k == 100 {
						passed = sound.Hold(of(passes)/100, 0.99, 1, sets)
					}
					table.Row(w.kind(), share, k, w.picked(), covers.Hold(of(covered)/100, 0.92, 1, sets), fmt.Sprintf("%.3f", mean), passed, calibration.Percent(of(fails)/100))
					if least := 92 - 300*math.Sqrt(0.05*0.95/float64(sets)); of(covered) < least {
						t.Errorf("%s: covers %.1f %%", w, of(covered))
					}
					if share == 0 && k == 100 && of(passes) < 99 {
						t.Errorf("%s: a grader without noise passes in %.1f %% only", w, of(passes))
					}
				}
			}
		}
	}
}
