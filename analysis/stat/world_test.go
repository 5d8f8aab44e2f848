package stat

import (
	"math"
	"math/rand/v2"

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
	{"fine", 12, 4, 20},
}

// flipped is the world in which successes are failures.
func (w world) flipped() world { return world{about: w.about, a: w.b, b: w.a, steps: w.steps} }

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

// items draws success probabilities of m items.
func (w world) items(rng *rand.Rand, m int) []float64 {
	beta := distuv.Beta{Alpha: w.a, Beta: w.b, Src: rng}
	ps := make([]float64, m)
	for i := range ps {
		ps[i] = beta.Rand()
	}
	return ps
}

// rollouts draws n rewards for each item.
func (w world) rollouts(rng *rand.Rand, ps []float64, n int) [][]float64 {
	items := make([][]float64, len(ps))
	for i, p := range ps {
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
