package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// world is where rewards come from: item i succeeds at each of steps parts
// with a probability drawn from Beta(a, b), and earns the share that did. One
// step makes 0/1 rewards.
type world struct {
	about string
	a, b  float64
	steps int
}

var worlds = []world{
	{"alike", 8, 8, 1},
	{"even", 1, 1, 1},
	{"split", 0.3, 0.3, 1},
	{"hard", 0.5, 2, 1},
	{"near 0", 0.15, 2.85, 1},
	{"near 1", 5.7, 0.3, 1},
	{"graded", 1, 2, 4},
}

func (w world) mean() float64 { return w.a / (w.a + w.b) }

// power returns E[p^k] for p from Beta(a, b).
func power(a, b float64, k int) float64 {
	return math.Exp(mathext.Lbeta(a+float64(k), b) - mathext.Lbeta(a, b))
}

// average integrates f over the items' success probabilities.
func (w world) average(f func(p float64) float64) float64 {
	beta := distuv.Beta{Alpha: w.a, Beta: w.b}
	const steps = 20000
	var sum float64
	for i := range steps {
		sum += f(beta.Quantile((float64(i) + 0.5) / steps))
	}
	return sum / steps
}

// levels returns the probabilities of earning 0/steps ... steps/steps.
func (w world) levels(p float64) []float64 {
	chance := make([]float64, w.steps+1)
	for j := range chance {
		chance[j] = distuv.Binomial{N: float64(w.steps), P: p}.Prob(float64(j))
	}
	return chance
}

// best returns the true mean of E[max of k].
func (w world) best(k int) float64 {
	if w.steps == 1 {
		return 1 - power(w.b, w.a, k)
	}
	return w.average(func(p float64) float64 {
		var below, sum float64
		for _, c := range w.levels(p) {
			below += c
			sum += 1 - math.Pow(below, float64(k))
		}
		return sum / float64(w.steps)
	})
}

// informative returns the true share of groups of g whose rewards differ.
func (w world) informative(g int) float64 {
	if w.steps == 1 {
		return 1 - power(w.a, w.b, g) - power(w.b, w.a, g)
	}
	return w.average(func(p float64) float64 {
		share := 1.0
		for _, c := range w.levels(p) {
			share -= math.Pow(c, float64(g))
		}
		return share
	})
}

func (w world) draw(rng *rand.Rand, m, n int) [][]float64 {
	beta := distuv.Beta{Alpha: w.a, Beta: w.b, Src: rng}
	items := make([][]float64, m)
	for i := range items {
		p := beta.Rand()
		items[i] = make([]float64, n)
		for j := range items[i] {
			hits := 0
			for range w.steps {
				if rng.Float64() < p {
					hits++
				}
			}
			items[i][j] = float64(hits) / float64(w.steps)
		}
	}
	return items
}

// iid is the error bar that ignores items: s/√N over all rollouts, and t.
func iid(items [][]float64, conf float64) Estimate {
	var all []float64
	for _, item := range items {
		all = append(all, item...)
	}
	return ItemMeans(all, nil, len(all), nil, conf, "iid")
}

// A rule is an interval whose coverage is counted, with the truth it is about.
type rule struct {
	about string
	truth func(w world, k int) float64
	make  func(items [][]float64, k int) Estimate
}

var rules = []rule{
	{"mean", func(w world, _ int) float64 { return w.mean() },
		func(items [][]float64, _ int) Estimate { return Mean(items, &unit, 0.95) }},
	{"pooled", func(w world, _ int) float64 { return w.mean() },
		func(items [][]float64, _ int) Estimate { return Pooled(items, &unit, 0.95) }},
	{"mean, t", func(w world, _ int) float64 { return w.mean() },
		func(items [][]float64, _ int) Estimate { return Mean(items, nil, 0.95) }},
	{"iid", func(w world, _ int) float64 { return w.mean() },
		func(items [][]float64, _ int) Estimate { return iid(items, 0.95) }},
	{"best of k", world.best,
		func(items [][]float64, k int) Estimate { return BestOf(items, []int{k}, &unit, 0.95)[0].Estimate }},
	{"worst of k", func(w world, k int) float64 { return 1 - world{a: w.b, b: w.a, steps: w.steps}.best(k) },
		func(items [][]float64, k int) Estimate { return WorstOf(items, []int{k}, &unit, 0.95)[0].Estimate }},
	{"informative", world.informative,
		func(items [][]float64, k int) Estimate { return Signal(items, k, 1e-6, 0.95) }},
	{"lift", func(w world, k int) float64 { return w.best(k) - w.mean() },
		func(items [][]float64, k int) Estimate {
			values, within := LiftValues(items, k)
			return ItemMeans(values, within, len(items)*len(items[0]), &unit, 0.95, "lift")
		}},
}

// coverage counts how often each rule's interval holds the truth.
func coverage(w world, m, n, k, sets int) []float64 {
	rng := seeded(uint64(1000*m + n))
	covered := make([]float64, len(rules))
	truth := make([]float64, len(rules))
	for i, r := range rules {
		truth[i] = r.truth(w, k)
	}
	for range sets {
		items := w.draw(rng, m, n)
		for i, r := range rules {
			covered[i] += float64(hit(r.make(items, k), truth[i])) / float64(sets)
		}
	}
	return covered
}

func TestCalibration(t *testing.T) {
	if os.Getenv("GONOGO_CALIBRATE") != "1" {
		t.Skip()
	}
	fmt.Printf("%-8s %4s %3s %3s", "world", "m", "n", "k")
	for _, r := range rules {
		fmt.Printf(" %12s", r.about)
	}
	fmt.Println()
	for _, w := range worlds {
		for _, m := range []int{20, 50, 100, 200} {
			for _, n := range []int{2, 4, 8, 16} {
				k := min(n, 8)
				c := coverage(w, m, n, k, 2000)
				fmt.Printf("%-8s %4d %3d %3d", w.about, m, n, k)
				for i, r := range rules {
					tr := r.truth(w, k)
					_ = tr
					fmt.Printf(" %5.1f(%.3f)", 100*c[i], tr)
				}
				fmt.Println()
			}
		}
	}
}
