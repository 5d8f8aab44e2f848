package stat

import (
	"math"
	"slices"

	"gonogo/analysis/message"
)

// QuantileItems estimates the p-quantile of all values of all items, such as
// tool calls per rollout, where the values of one item depend on each other.
// The interval is Woodruff's (1952, JASA 47:635): the quantiles at both ends of
// the interval for p itself, Korn–Graubard's with the error, clustered by
// item, of the share of values up to the estimate. Ends that cannot be bounded,
// ties and panics are as in QuantileCI. Empty items are left out.
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
	e := Estimate{Value: Some(quantile(all, p)), N: n, Items: m, Method: method, Warnings: []message.Text{}}
	size := worth(items, *e.Value, p, m, n, conf)
	lo, hi := ClopperPearson(p*size, size, conf)
	low, high, tail := 0, n+1, (1-conf)/2
	if math.Pow(1-p, size) <= tail {
		low = max(1, int(lo*float64(n)))
	}
	if math.Pow(p, size) <= tail {
		high = min(n, int(math.Ceil(hi*float64(n))))
	}
	e.bound(all, low, high, message.Nested(valuesOfItems.With(message.Args{"values": message.Count(n, "value"), "items": message.Count(m, "item")})), enough(p, conf))
	return e
}

// worth returns as how many independent values the n values of m items count
// where the p-quantile is concerned: at most n, and m where the items show no
// spread.
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
