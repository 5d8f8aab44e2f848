package stat

import (
	"math/rand/v2"
	"slices"

	"gonogo/analysis/message"
)

// QuantileDifference estimates the p-quantile of all values of new minus that of all values of
// base; each item is a list of values. Its interval is the percentile bootstrap's over items (Efron
// & Tibshirani 1993, An Introduction to the Bootstrap, §13.3): if paired, items are drawn for both
// sides at once, else for each side separately. The p-value is twice the smaller share of draws on
// either side of 0, with draws at 0 counted on both. With fewer than 20 items on a side both are
// nil: the bootstrap is too narrow there. It panics unless 0 < p < 1.
// Cost: O(values log values + draws · (items + min(p, 1-p) · values)).
func QuantileDifference(base, new [][]float64, paired bool, p, conf float64, draws int,
	src rand.Source,
) (Estimate, *float64) {
	checkConf(conf)
	checkP(p)
	const method = "difference of quantiles over all rollouts, type 7 (Hyndman & Fan 1996); percentile bootstrap " +
		"over items"
	b, n := weighted(base), weighted(new)
	if len(b.values) == 0 || len(n.values) == 0 {
		return Estimate{Method: method, Warnings: []message.Text{}}, nil
	}
	e := Estimate{
		Value: FiniteOrNil(n.quantile(nil, p) - b.quantile(nil, p)), N: len(b.values) + len(n.values),
		Items: min(len(base), len(new)), Method: method, Warnings: []message.Text{},
	}
	if e.Items < 20 || draws < 99 {
		return e, nil
	}
	r := rand.New(src)
	drawn := make([]float64, draws)
	below, above := 0, 0
	for i := range drawn {
		times := draw(r, len(base))
		timesNew := times
		if !paired {
			timesNew = draw(r, len(new))
		}
		d := n.quantile(timesNew, p) - b.quantile(times, p)
		drawn[i] = d
		if d <= 0 {
			below++
		}
		if d >= 0 {
			above++
		}
	}
	slices.Sort(drawn)
	e.Low, e.High = FiniteOrNil(quantile(drawn, (1-conf)/2)), FiniteOrNil(quantile(drawn, (1+conf)/2))
	return e, FiniteOrNil(min(1, 2*float64(min(below, above)+1)/float64(draws+1)))
}

// draw draws n items of n with replacement, and returns the number of draws of each.
func draw(r *rand.Rand, n int) []int {
	times := make([]int, n)
	for range n {
		times[r.IntN(n)]++
	}
	return times
}

// weightedValues are the values of items in ascending order, with their items.
type weightedValues struct {
	values []float64
	items  []int
	sizes  []int // the number of values of each item
}

func weighted(items [][]float64) weightedValues {
	w := weightedValues{sizes: make([]int, len(items))}
	var order []int
	for i, item := range items {
		w.sizes[i] = len(item)
		for _, x := range item {
			order = append(order, len(order))
			w.values, w.items = append(w.values, x), append(w.items, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := w.values[a], w.values[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	sorted := weightedValues{make([]float64, len(order)), make([]int, len(order)), w.sizes}
	for to, from := range order {
		sorted.values[to], sorted.items[to] = w.values[from], w.items[from]
	}
	return sorted
}

// quantile returns the p-quantile if the values of item i count times[i] times; nil counts each
// once.
func (w weightedValues) quantile(times []int, p float64) float64 {
	if times == nil {
		return quantile(w.values, p)
	}
	n := 0
	for item, size := range w.sizes {
		n += times[item] * size
	}
	if n == 0 {
		return 0
	}
	h := float64(n-1) * p
	rank := int(h)
	low, next := w.around(times, n, rank)
	if h == float64(rank) {
		return low
	}
	return low + (h-float64(rank))*(next-low)
}

// around returns the values at a rank and at the next one, of n. It walks from the nearer end.
func (w weightedValues) around(times []int, n, rank int) (low, next float64) {
	if rank < n/2 {
		i, found := 0, false // values up to k have the ranks below i
		for k, item := range w.items {
			i += times[item]
			if !found && i > rank {
				low, found = w.values[k], true
			}
			if i > rank+1 {
				return low, w.values[k]
			}
		}
		return low, w.values[len(w.values)-1]
	}
	i, found := n, false // values from k on have the ranks from i on
	next = w.values[len(w.values)-1]
	for k := len(w.items) - 1; k >= 0; k-- {
		i -= times[w.items[k]]
		if !found && i <= rank+1 {
			next, found = w.values[k], true
		}
		if i <= rank {
			return w.values[k], next
		}
	}
	return w.values[0], next
}
