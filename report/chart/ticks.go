package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"

	"gonogo/analysis/message"
)

// percentTicks labels the ticks of shares as percentages.
func percentTicks(ticker plot.Ticker) plot.Ticker {
	return plot.TickerFunc(func(low, high float64) []plot.Tick {
		out := ticker.Ticks(low, high)
		for i := range out {
			out[i].Label = message.Percent(out[i].Value)
		}
		return out
	})
}

// doublings labels the powers of two.
func doublings(low, high float64) []plot.Tick {
	var out []plot.Tick
	for v := 1.0; v <= high; v *= 2 {
		if v >= low {
			out = append(out, plot.Tick{Value: v, Label: message.Whole(int(v))})
		}
	}
	return out
}

// roundTicks labels about Want round values, all with the same number of decimals.
type roundTicks struct {
	Want  int
	Whole bool // whole numbers only
}

// Ticks implements plot.Ticker.
func (t roundTicks) Ticks(low, high float64) []plot.Tick {
	step := niceStep((high - low) / float64(t.Want))
	if t.Whole && step < 1 {
		step = 1
	}
	decimals := 0
	if step < 1 {
		decimals = int(math.Ceil(-math.Log10(step) - 1e-9))
	}
	var out []plot.Tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-6; i++ {
		v := i * step
		if v == 0 {
			v = 0 // never "-0"
		}
		label := strconv.FormatFloat(v, 'f', decimals, 64)
		if step >= 1 {
			label = message.Grouped(label)
		}
		out = append(out, plot.Tick{Value: v, Label: label})
	}
	return out
}

// withEnds adds ticks at the ends of [lo, hi] that have no round value near them.
func withEnds(ticker plot.Ticker, lo, hi float64) plot.Ticker {
	return plot.TickerFunc(func(low, high float64) []plot.Tick {
		out := ticker.Ticks(low, high)
		if len(out) < 2 {
			return out
		}
		near := 0.45 * (out[1].Value - out[0].Value)
		if out[0].Value-lo > near {
			out = append([]plot.Tick{{Value: lo, Label: message.Digits(lo)}}, out...)
		}
		if hi-out[len(out)-1].Value > near {
			out = append(out, plot.Tick{Value: hi, Label: message.Digits(hi)})
		}
		return out
	})
}

// niceStep rounds a step up to 1, 2 or 5 times a power of ten.
func niceStep(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= x*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// between drops the ticks outside [lo, hi]: an axis may extend slightly beyond its range without a
// label there.
func between(ticker plot.Ticker, lo, hi float64) plot.Ticker {
	return plot.TickerFunc(func(low, high float64) []plot.Tick { return ticker.Ticks(max(low, lo), min(high, hi)) })
}
