package stat

import (
	"math"
	"slices"
)

// Mean estimates the mean reward of items like these. Each item has the same weight, however often
// it was sampled: the mean of item means, with se = sd/√m, which is the error clustered by item
// (Miller 2024, arXiv 2411.00640). items holds the rewards of one item each; empty items are left
// out. FixedSE = √(Σ s_i²/n_i)/m, nil if an item has one sample.
//
// The interval follows ItemMeans. The order of rewards within an item does not matter, not even to
// the last bit. Cost: one sort per item.
func Mean(items [][]float64, r *Range, conf float64) Estimate {
	s := summarize(items)
	return ItemMeans(s.means, s.errors(), s.total, r, conf, "mean of item means (Miller 2024)")
}

// ItemMeans estimates the mean over items of any quantity that is one number per item: it is the
// rule behind Mean, BestOf, WorstOf and Signal.
//
// values[i] is item i's value, within[i] the estimated sampling variance of that value given the
// item (a nil slice: unknown), n the number of rollouts behind all values. FixedSE = √(Σ within)/m.
//
// With a range the interval is Korn–Graubard's (1998): Clopper–Pearson at the effective size
// p(1-p)/(se/R)² · (t(n-1)/t(m-1))², which keeps its coverage near the ends where t intervals lose
// it, widened for unseen items and for few items that dominate the sum (see widen). Without a range
// it is t(m-1). If all values agree it is Clopper–Pearson on m at either end of the range and
// Hoeffding's inside; SE is then nil, because the data do not determine it. One item gives the
// whole range. It panics if within and values differ in length.
func ItemMeans(values []float64, within []float64, n int, r *Range, conf float64, method string) Estimate {
	return groupMeans(values, within, n, 0, r, conf, method)
}

// GroupMeans is ItemMeans for a quantity of groups of k rollouts: it uses t(d-1) instead of t(n-1),
// with d = Σ ⌊n_i/k⌋ disjoint groups, since there are no more independent observations of it. sizes
// holds n_i.
func GroupMeans(values, within []float64, sizes []int, k int, r *Range, conf float64, method string) Estimate {
	n, draws := 0, 0
	for _, size := range sizes {
		n += size
		draws += size / k
	}
	return groupMeans(values, within, n, draws, r, conf, method)
}

func groupMeans(values, within []float64, n, draws int, r *Range, conf float64, method string) Estimate {
	checkConf(conf)
	m := len(values)
	if within != nil && len(within) != m {
		panic("stat: as many within-item variances as values are needed")
	}
	if m == 0 {
		return unknown(0, n, method, noItems.Text())
	}
	mean, dev := moments(values)
	s := spread{mean: mean, clusters: m, equal: float64(m), n: n, draws: draws, r: r, conf: conf}
	if m > 1 {
		s.se = math.Sqrt(dev / float64(m-1) / float64(m))
	}
	e := s.estimate(m, fixedSE(within), method)
	e.widen(values, r, conf)
	return e
}

// fixedSE returns √(Σ within)/m, nil if it is unknown.
func fixedSE(within []float64) *float64 {
	if len(within) == 0 {
		return nil
	}
	var sum float64
	for _, v := range within {
		sum += v
	}
	return FiniteOrNil(math.Sqrt(sum) / float64(len(within)))
}

// MeanVariance returns the mean of at least one value and the variance with n-1, which is 0 for a
// single value.
func MeanVariance(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	return mean, variance / float64(len(x)-1)
}

// moments returns the mean of x and the sum of squared deviations from it. Values are taken
// relative to the first, so that equal values have exactly that value as their mean and exactly no
// deviation.
func moments(x []float64) (mean, dev float64) {
	for _, v := range x {
		mean += v - x[0]
	}
	mean = x[0] + mean/float64(len(x))
	for _, v := range x {
		dev += (v - mean) * (v - mean)
	}
	return mean, dev
}

// summary holds the numbers of each item that means and variances need.
type summary struct {
	means []float64 // item means
	devs  []float64 // sums of squared deviations from the item mean
	ns    []int     // rewards per item
	index []int     // position in the caller's slice
	total int       // all rewards
}

// summarize reduces items to their moments and leaves out the empty ones. It sums in ascending
// order of the rewards, in its own buffer.
func summarize(items [][]float64) summary {
	m := len(items)
	s := summary{
		means: make([]float64, 0, m), devs: make([]float64, 0, m), ns: make([]int, 0, m),
		index: make([]int, 0, m),
	}
	var buffer []float64
	for i, item := range items {
		if len(item) == 0 {
			continue
		}
		buffer = append(buffer[:0], item...)
		slices.Sort(buffer)
		mean, dev := moments(buffer)
		s.means = append(s.means, mean)
		s.devs = append(s.devs, dev)
		s.ns = append(s.ns, len(item))
		s.index = append(s.index, i)
		s.total += len(item)
	}
	return s
}

// errors returns s_i²/n_i per item, nil if an item has a single reward.
func (s summary) errors() []float64 {
	within := make([]float64, len(s.ns))
	for i, n := range s.ns {
		if n < 2 {
			return nil
		}
		within[i] = s.devs[i] / float64(n-1) / float64(n)
	}
	return within
}
