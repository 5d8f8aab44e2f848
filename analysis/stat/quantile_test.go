package stat

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"testing"

	"gonogo/analysis/message"

	"gonum.org/v1/gonum/stat/distuv"
)

// python3 -c "import numpy as np; print(np.quantile([15,20,35,40,50,3.5,-2], p))"
func TestQuantile(t *testing.T) {
	x := []float64{15, 20, 35, 40, 50, 3.5, -2}
	for _, test := range []struct{ p, want float64 }{
		{0, -2}, {0.05, -0.35}, {0.25, 9.25}, {0.5, 20}, {0.9, 44}, {0.95, 47}, {1, 50},
	} {
		near(t, fmt.Sprintf("quantile %g", test.p), Quantile(x, test.p), test.want, 1e-12)
	}
	if FiniteOrNil(Quantile(nil, 0.5)) != nil {
		t.Error("nothing has a quantile")
	}
	if Quantile([]float64{4}, 0.3) != 4 {
		t.Error("the quantile of one value is that value")
	}
}

// Ranks for the median of 20 values: 6 and 15, coverage 0.9586 (David &
// Nagaraja 2003, table 7.1.1; python3 -c "from scipy.stats import binom;
// print(binom.cdf(5,20,.5), binom.cdf(14,20,.5))": 0.0207, 0.9793).
func TestQuantileCI(t *testing.T) {
	x := make([]float64, 20)
	for i := range x {
		x[i] = float64(20 - i)
	}
	e := quantileCI(x, 0.5, 0.95)
	if *e.Value != 10.5 || *e.Low != 6 || *e.High != 15 || len(e.Warnings) != 0 {
		t.Errorf("median %g in [%g, %g], want 10.5 in [6, 15]", *e.Value, *e.Low, *e.High)
	}
	// 0.95^20 = 0.36: the highest of 20 does not bound the 95th percentile.
	e = quantileCI(x, 0.95, 0.95)
	if e.High != nil || e.Low == nil || len(e.Warnings) != 1 {
		t.Errorf("95th percentile of 20: %+v, want no upper bound and one warning", e)
	}
	if e := quantileCI(x[:2], 0.5, 0.95); e.Low != nil || e.High != nil || len(e.Warnings) != 2 {
		t.Errorf("median of two: %+v, want no bounds", e)
	}
	if e := quantileCI(nil, 0.5, 0.95); e.Known() {
		t.Errorf("of nothing: %+v", e)
	}
	// ln 0.025 / ln 0.95 = 71.9
	if n := enough(0.95, 0.95); n != 72 {
		t.Errorf("enough = %d, want 72", n)
	}
}

func TestQuantileItems(t *testing.T) {
	e := QuantileItems([][]float64{{1, 2}, {3}, {}, {4, 5}}, 0.95, 0.95)
	near(t, "value", *e.Value, 4.8, 1e-12)
	if e.N != 5 || e.Items != 3 || e.High != nil || len(e.Warnings) == 0 {
		t.Errorf("too few items: %+v, want no upper bound", e)
	}
	if e := QuantileItems(nil, 0.5, 0.95); e.Known() {
		t.Errorf("of nothing: %+v", e)
	}
	counts := QuantileItems(repeat([]float64{3, 3, 3}, 40), 0.5, 0.95)
	if *counts.Low != 3 || *counts.High != 3 {
		t.Errorf("counts that tie: [%g, %g], want both ends 3", *counts.Low, *counts.High)
	}
}

// hit is 1 when the interval holds the truth; a missing end is not a bound.
func hit(e Estimate, truth float64) int {
	if ValueOr(e.Low, math.Inf(-1)) <= truth && truth <= ValueOr(e.High, math.Inf(1)) {
		return 1
	}
	return 0
}

// quantileCI estimates the p-quantile of independent x, with the interval
// between two order statistics whose ranks are binomial quantiles (David &
// Nagaraja 2003, Order Statistics, §7.1). It holds for any distribution,
// and where values tie, as counts do, both ends may be the same value. An end
// that n values cannot bound is nil, and a warning says how many would. It
// panics unless 0 < p < 1.
//
// Several rollouts of one item are not independent: QuantileItems is tested against it.
func quantileCI(x []float64, p, conf float64) Estimate {
	checkConf(conf)
	checkP(p)
	const method = "quantile, type 7 (Hyndman & Fan 1996); order-statistic interval"
	n := len(x)
	if n == 0 {
		return unknown(0, 0, method, noValues.With(message.Args{"enough": message.Int(enough(p, conf))}))
	}
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	e := Estimate{Value: FiniteOrNil(quantile(sorted, p)), N: n, Items: n, Method: method, Warnings: []message.Text{}}
	tail := (1 - conf) / 2
	below := distuv.Binomial{N: float64(n), P: p} // how many of n values lie below the quantile
	low := sort.Search(n, func(i int) bool { return below.CDF(float64(i)) > tail })
	high := 1 + sort.Search(n, func(i int) bool { return below.CDF(float64(i)) >= 1-tail })
	e.bound(sorted, low, high, message.Count(n, "value"), enough(p, conf))
	return e
}
