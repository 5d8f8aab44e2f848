package stat

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// Refits fits Chances to boot resamples of whole items (Davison & Hinkley 1997, Bootstrap Methods,
// §3.8), each from fit, which FitChances made of the same counts. Resample b depends only on seed
// and b, so fits of the same counts with and without a point mass see the same resamples, and the
// result does not depend on the number of processors. A resample in which every rollout gave the
// same outcome is that outcome for certain. Cost: O(boot·(items + iterations·outcomes·rollouts of
// an item)), on all processors; it returns when the last refit is done.
func Refits(counts [][]int, fit Chances, inflated bool, boot int, seed uint64) []Chances {
	o := observe(counts)
	sizes := o.weights()
	draws := make([]Chances, max(0, boot))
	workers := min(runtime.GOMAXPROCS(0), len(draws))
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			weights, c := make([]float64, len(o.cells)), newClimb()
			for b := w; b < len(draws); b += workers {
				o.resample(weights, sizes, rand.NewPCG(seed, uint64(b)))
				draws[b] = o.tally(weights).refit(c, fit, inflated)
			}
		})
	}
	wait.Wait()
	return draws
}

// crowded is the average number of items per cell from which drawing the number of items in each
// cell is faster than drawing items.
const crowded = 50

// resample draws as many items as there are, with replacement: item by item, or, if few cells hold
// many items, cell by cell, each as a binomial of the items that remain after the cells before it.
func (o *observed) resample(weights, sizes []float64, src rand.Source) {
	clear(weights)
	if len(o.item) >= crowded*len(o.cells) {
		remaining, items := float64(len(o.item)), float64(len(o.item))
		for i, size := range sizes {
			weights[i] = remaining
			if size < items {
				weights[i] = distuv.Binomial{N: remaining, P: size / items, Src: src}.Rand()
			}
			remaining, items = remaining-weights[i], items-size
		}
		return
	}
	rng := rand.New(src)
	for range o.item {
		weights[o.item[rng.IntN(len(o.item))]]++
	}
}

func (t *tally) refit(c *climb, from Chances, inflated bool) Chances {
	if v := t.single(); v >= 0 {
		return certain(v, len(t.tails))
	}
	plain := from
	plain.Zero = 0
	if !inflated {
		return t.fit(c, plain, false)
	}
	if sum(t.zeros) == 0 {
		return t.fit(c, plain, false)
	}
	return t.fit(c, from, true)
}

// Percentiles returns the percentile interval at a confidence of f over refits, widened to include
// value. ok is false if there are fewer than 100 of them, or if they all agree: a model that is
// sure of 1 is not an interval of [1, 1].
func Percentiles(value float64, refits []Chances, f func(Chances) float64, conf float64) (low, high float64, ok bool) {
	const fewest = 100
	checkConf(conf)
	if len(refits) < fewest {
		return 0, 0, false
	}
	draws := make([]float64, len(refits))
	for i, c := range refits {
		draws[i] = f(c)
	}
	slices.Sort(draws)
	tail := (1 - conf) / 2
	low, high = min(quantile(draws, tail), value), max(quantile(draws, 1-tail), value)
	return low, high, high-low > rounding
}
