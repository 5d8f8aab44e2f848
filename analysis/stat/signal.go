package stat

import (
	"math"

	"gonogo/analysis/message"
)

// Signal estimates the share of groups of size g whose rewards span more than delta, for items like
// these: the mean of Informative with the interval of GroupMeans on [0, 1]. It is unknown if an
// item has fewer than g rewards; SignalBracket then gives bounds. Empty items are left out.
func Signal(items [][]float64, g int, delta float64, conf float64) Estimate {
	const method = "mean of the unbiased share of informative groups"
	sorted := sortedItems(items)
	least, _, n := counts(sorted)
	if len(sorted) > 0 && least < g {
		return unknown(len(sorted), n, method,
			needsGroup.With(message.Args{"samples": message.Count(least, "sample"), "size": message.Int(g)}))
	}
	return signal(sorted, g, delta, conf, method)
}

func signal(sorted [][]float64, g int, delta float64, conf float64, method string) Estimate {
	values, within := perItem(sorted,
		func(y []float64) float64 { return Informative(y, g, delta) },
		func(y []float64) *float64 { return InformativeVar(y, g, delta) })
	return GroupMeans(values, within, lengths(sorted), g, &unit, conf, method)
}

// SignalBracket bounds Signal for groups larger than the number of samples n (the smallest of any
// item), without a model. A group's probability to be informative grows with its size. The
// probability that any two rewards differ at all is 0 for one draw and also concave in the size, 1
// - Σ_v p_v^g, so
//
//	s_n(delta) <= s_g(delta) <= s_g(0) <= min(1, s_n(0)·(g-1)/(n-1)).
//
// The probability to span more than a delta > 0 is not concave: if rewards are close together, none
// of the small groups may span it, and all of the large ones. The upper estimate therefore uses
// strict, a delta that only excludes float noise, and is scaled. For g <= n both are Signal. With n
// = 1 nothing is known.
func SignalBracket(items [][]float64, g int, delta, strict, conf float64) (lower, upper Estimate) {
	sorted := sortedItems(items)
	n, _, total := counts(sorted)
	if len(sorted) == 0 || g <= n {
		e := Signal(items, g, delta, conf)
		return e, e
	}
	if n < 2 {
		e := unknown(len(sorted), total, "bracket by concavity",
			needsTwoSamples.With(message.Args{"size": message.Int(g)}))
		return e, e
	}
	lower = signal(sorted, n, delta, conf,
		"share of informative groups at the samples at hand: a lower bound, for it grows with the group")
	upper = signal(sorted, n, strict, conf, "share of groups with any difference at the samples at hand, scaled by "+
		"(g-1)/(n-1): an upper bound by concavity")
	upper.scale(float64(g-1) / float64(n-1))
	return lower, upper
}

// scale multiplies a share by a factor >= 1 and caps it at 1. If the whole interval would end up at
// 1, its low end stays unchanged.
func (e *Estimate) scale(factor float64) {
	capped := *e.Value*factor >= 1
	low := *e.Low
	for _, p := range []**float64{&e.Value, &e.Low, &e.High} {
		*p = FiniteOrNil(math.Min(1, **p*factor))
	}
	if *e.Low == *e.High {
		e.Low = FiniteOrNil(low)
	}
	if capped {
		e.SE, e.FixedSE = nil, nil
		e.warn(cutAtOne.Text())
		return
	}
	if e.SE != nil {
		e.SE = FiniteOrNil(*e.SE * factor)
	}
	if e.FixedSE != nil {
		e.FixedSE = FiniteOrNil(*e.FixedSE * factor)
	}
}

// lengths returns the number of rewards of each item.
func lengths(items [][]float64) []int {
	ns := make([]int, len(items))
	for i, item := range items {
		ns[i] = len(item)
	}
	return ns
}

// counts returns the smallest and largest number of rewards of an item, and the total.
func counts(items [][]float64) (least, most, total int) {
	for i, item := range items {
		if i == 0 || len(item) < least {
			least = len(item)
		}
		most = max(most, len(item))
		total += len(item)
	}
	return least, most, total
}
