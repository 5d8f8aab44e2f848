package stat

import (
	"math"
	"slices"

	"gonogo/analysis/message"
)

// Quantile returns the p-quantile of x by linear interpolation of the order statistics at (n-1)p:
// type 7 of Hyndman & Fan (1996, Am. Stat. 50:361), the default of R and NumPy. x need not be
// sorted and is not changed. An empty x has no quantile: NaN, which FiniteOrNil turns into nil. It
// panics unless 0 <= p <= 1.
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

// bound sets an interval by ranks, which must be from 1 to n; an end with another rank stays nil.
func (e *Estimate) bound(sorted []float64, low, high int, values message.Arg, enough int) {
	if low >= 1 {
		e.Low = FiniteOrNil(min(sorted[low-1], *e.Value))
	} else {
		e.warn(noLowerBound.With(message.Args{"values": values, "enough": message.Int(enough)}))
	}
	if high <= len(sorted) {
		e.High = FiniteOrNil(max(sorted[high-1], *e.Value))
	} else {
		e.warn(noUpperBound.With(message.Args{"values": values, "enough": message.Int(enough)}))
	}
}

// enough returns the smallest n whose extremes bound the p-quantile on both sides.
func enough(p, conf float64) int {
	tail := (1 - conf) / 2
	return int(math.Ceil(math.Log(tail) / math.Log(max(p, 1-p))))
}

func checkP(p float64) {
	if !(0 < p && p < 1) {
		panic("stat: the interval of a quantile needs 0 < p < 1")
	}
}

// QuantileItems estimates the p-quantile of all values of all items, such as tool calls per
// rollout, where the values of one item depend on each other. The interval is Woodruff's (1952,
// JASA 47:635): the quantiles at both ends of the interval for p itself, which is Korn–Graubard's
// with the error, clustered by item, of the share of values up to the estimate. With tied values
// both ends may be equal. An end that the values cannot bound is nil, and a warning says how many
// would. Empty items are left out. It panics unless 0 < p < 1.
func QuantileItems(items [][]float64, p, conf float64) Estimate {
	checkConf(conf)
	checkP(p)
	const method = "quantile, type 7 (Hyndman & Fan 1996); Woodruff (1952) interval clustered by item"
	var all []float64
	m := 0
	for _, item := range items {
		all = append(all, item...)
		m += min(1, len(item))
	}
	n := len(all)
	if n == 0 {
		return unknown(0, 0, method, noValues.With(message.Args{"enough": message.Count(enough(p, conf), "item")}))
	}
	slices.Sort(all)
	e := Estimate{Value: FiniteOrNil(quantile(all, p)), N: n, Items: m, Method: method, Warnings: []message.Text{}}
	size := worth(items, *e.Value, p, m, n, conf)
	lo, hi := ClopperPearson(p*size, size, conf)
	low, high, tail := 0, n+1, (1-conf)/2
	if math.Pow(1-p, size) <= tail {
		low = max(1, int(lo*float64(n)))
	}
	if math.Pow(p, size) <= tail {
		high = min(n, int(math.Ceil(hi*float64(n))))
	}
	e.bound(all, low, high,
		message.Nested(valuesOfItems.With(message.Args{
			"values": message.Count(n, "value"),
			"items":  message.Count(m, "item"),
		})), enough(p, conf))
	return e
}

// worth returns the effective number of independent values among the n values of m items with
// regard to the p-quantile: at most n, and m if the items show no spread.
func worth(items [][]float64, value, p float64, m, n int, conf float64) float64 {
	up, all := make([]float64, len(items)), make([]float64, len(items))
	for i, item := range items {
		for _, y := range item {
			all[i]++
			if y <= value {
				up[i]++
			}
		}
	}
	share := RatioOfSums(up, all, n, conf)
	if share.SE == nil {
		return float64(m)
	}
	ratio := tQuantile(conf, n-1) / tQuantile(conf, m-1)
	return min(float64(n), p*(1-p)/(*share.SE**share.SE)*ratio*ratio)
}
