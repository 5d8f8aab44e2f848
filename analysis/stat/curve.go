package stat

import (
	"fmt"
	"math"
	"slices"
)

// AtK is an estimate at k rollouts per item.
type AtK struct {
	Estimate
	K int `json:"k"`
}

// BestOf returns the mean over items of E[max of k rewards], for each k of ks in order. All items
// must have at least max(ks) rewards (it panics otherwise), so that every k is about the same
// items: the caller passes the common set. Empty items are left out. Each point is unbiased
// (MaxOfK) and has the interval of GroupMeans; FixedSE comes from the jackknife and is nil if k is
// some item's n. Cost: O(items · n · len(ks)).
func BestOf(items [][]float64, ks []int, r *Range, conf float64) []AtK {
	return curve(items, ks, r, conf, MaxOfK, MaxOfKVar,
		"mean of unbiased E[max of k] (Chen et al. 2021, for real rewards)")
}

// WorstOf is BestOf for E[min of k rewards].
func WorstOf(items [][]float64, ks []int, r *Range, conf float64) []AtK {
	return curve(items, ks, r, conf, MinOfK, MinOfKVar,
		"mean of unbiased E[min of k] (Yao et al. 2024, for real rewards)")
}

func curve(items [][]float64, ks []int, r *Range, conf float64,
	value func([]float64, int) float64, variance func([]float64, int) *float64, method string,
) []AtK {
	sorted := sortedItems(items)
	points := make([]AtK, 0, len(ks))
	for _, k := range ks {
		values, within := perItem(sorted,
			func(y []float64) float64 { return value(y, k) },
			func(y []float64) *float64 { return variance(y, k) })
		e := GroupMeans(values, within, lengths(sorted), k, r, conf, method)
		points = append(points, AtK{K: k, Estimate: e})
	}
	return points
}

// Lift estimates E[max of g] - mean for items like these: the mean of LiftValues with the interval
// of GroupMeans, between 0 and the width of the rewards' range. It is unknown for g < 1; every item
// must have at least g rewards. Empty items are left out. values holds the values of the items.
func Lift(items [][]float64, g int, r Range, conf float64) (e Estimate, values []float64) {
	method := fmt.Sprintf("mean over items of E[max of %d] - mean", g)
	if g < 1 {
		return unknown(0, 0, method, noItems.Text()), nil
	}
	values, within := LiftValues(items, g)
	return GroupMeans(values, within, lengths(items), g, &Range{Hi: r.Width()}, conf, method), values
}

// perItem applies a statistic and its variance to each item. The variances
// are nil when one of them is.
func perItem(sorted [][]float64, value func([]float64) float64,
	variance func([]float64) *float64,
) (values, within []float64) {
	values, within = make([]float64, len(sorted)), make([]float64, len(sorted))
	for i, y := range sorted {
		values[i] = value(y)
		if within == nil {
			continue
		}
		if v := variance(y); v != nil {
			within[i] = *v
		} else {
			within = nil
		}
	}
	return values, within
}

// maxPoints is the number of points above which a curve is thinned out.
const maxPoints = 64

// Ks returns the group sizes at which to draw a curve, ascending: 1 to nMin, or, if these are more
// than 64, at most 64 sizes spread evenly on a log scale. They always include nMin and the sizes in
// keep between 1 and nMin.
func Ks(nMin int, keep ...int) []int {
	if nMin <= maxPoints {
		ks := make([]int, 0, max(0, nMin))
		for k := 1; k <= nMin; k++ {
			ks = append(ks, k)
		}
		return ks
	}
	fixed := []int{1, nMin}
	for _, k := range keep {
		if 1 <= k && k <= nMin {
			fixed = append(fixed, k)
		}
	}
	best := compact(fixed)
	for points := 2; ; points++ { // small k coincide once rounded, so more points are tried than wanted
		ks := slices.Clone(fixed)
		step := math.Log(float64(nMin)) / float64(points-1)
		for i := range points {
			ks = append(ks, min(nMin, int(math.Round(math.Exp(step*float64(i))))))
		}
		if ks = compact(ks); len(ks) > maxPoints {
			return best
		}
		best = ks
	}
}

func compact(ks []int) []int {
	slices.Sort(ks)
	return slices.Compact(ks)
}
