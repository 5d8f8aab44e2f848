package stat

import (
	"math"
	"slices"
	"sort"

	"gonogo/analysis/message"

	"gonum.org/v1/gonum/stat/distuv"
)

// Quantile returns the p-quantile of x by linear interpolation of the order
// statistics at (n-1)p: type 7 of Hyndman & Fan (1996, Am. Stat. 50:361), as
// R and NumPy do by default. x need not be sorted and is left as it is. An
// empty x has no quantile: NaN, which Some turns into nil. It panics unless
// 0 <= p <= 1.
func Quantile(x []float64, p float64) float64 {
	if !(0 <= p && p <= 1) {
		panic("stat: a quantile needs 0 <= p <= 1")
	}
	if len(x) == 0 {
		return math.NaN()
	}
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	return quantile(sorted, p)
}

func quantile(sorted []float64, p float64) float64 {
	h := float64(len(sorted)-1) * p
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// QuantileCI estimates the p-quantile of independent x, with the interval
// between two order statistics whose ranks are binomial quantiles (David &
// Nagaraja 2003, Order Statistics, §7.1). It holds for any distribution,
// and where values tie, as counts do, both ends may be the same value. An end
// that n values cannot bound is nil, and a warning says how many would. It
// panics unless 0 < p < 1.
//
// Several rollouts of one item are not independent: use QuantileItems.
func QuantileCI(x []float64, p, conf float64) Estimate {
	checkConf(conf)
	checkP(p)
	const method = "quantile, type 7 (Hyndman & Fan 1996); order-statistic interval"
	n := len(x)
	if n == 0 {
		return unknown(0, 0, method, noValues.With(message.Args{"enough": message.Int(enough(p, conf))}))
	}
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	e := Estimate{Value: Some(quantile(sorted, p)), N: n, Items: n, Method: method, Warnings: []message.Text{}}
	tail := (1 - conf) / 2
	below := distuv.Binomial{N: float64(n), P: p} // how many of n values lie below the quantile
	low := sort.Search(n, func(i int) bool { return below.CDF(float64(i)) > tail })
	high := 1 + sort.Search(n, func(i int) bool { return below.CDF(float64(i)) >= 1-tail })
	e.bound(sorted, low, high, message.Count(n, "value"), enough(p, conf))
	return e
}

// bound sets an interval by ranks from 1 to n; others cannot be attained.
func (e *Estimate) bound(sorted []float64, low, high int, values message.Arg, enough int) {
	if low >= 1 {
		e.Low = Some(min(sorted[low-1], *e.Value))
	} else {
		e.warn(noLowerBound.With(message.Args{"values": values, "enough": message.Int(enough)}))
	}
	if high <= len(sorted) {
		e.High = Some(max(sorted[high-1], *e.Value))
	} else {
		e.warn(noUpperBound.With(message.Args{"values": values, "enough": message.Int(enough)}))
	}
}

// enough returns the least n whose extremes bound the p-quantile both ways.
func enough(p, conf float64) int {
	tail := (1 - conf) / 2
	return int(math.Ceil(math.Log(tail) / math.Log(max(p, 1-p))))
}

func checkP(p float64) {
	if !(0 < p && p < 1) {
		panic("stat: the interval of a quantile needs 0 < p < 1")
	}
}
