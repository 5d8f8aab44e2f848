package chart

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"

	"gonogo/analysis/message"
)

// percentTicks labels the ticks of shares as percentages.
func percentTicks(of plot.Ticker) plot.Ticker {
	return plot.TickerFunc(func(min, max float64) []plot.Tick {
		out := of.Ticks(min, max)
		for i := range out {
			out[i].Label = message.Percent(out[i].Value)
		}
		return out
	})
}

// doublings labels the powers of two.
func doublings(min, max float64) []plot.Tick {
	var out []plot.Tick
	for v := 1.0; v <= max; v *= 2 {
		if v >= min {
			out = append(out, plot.Tick{Value: v, Label: message.Whole(int(v))})
		}
	}
	return out
}

// roundTicks labels round values, about want of them, with one number of decimals.
type roundTicks struct {
	Want  int
	Whole bool // whole numbers only
}

// Ticks implements plot.Ticker.
func (t roundTicks) Ticks(min, max float64) []plot.Tick {
	step := niceStep((max - min) / float64(t.Want))
	if t.Whole && step < 1 {
		step = 1
	}
	decimals := 0
	if step < 1 {
		decimals = int(math.Ceil(-math.Log10(step) - 1e-9))
	}
	var out []plot.Tick
	for i := math.Ceil(min/step - 1e-9); i*step <= max+step*1e-6; i++ {
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

// withEnds adds ticks at both ends of [lo, hi] if no round value is near.
func withEnds(of plot.Ticker, lo, hi float64) plot.Ticker {
	return plot.TickerFunc(func(min, max float64) []plot.Tick {
		out := of.Ticks(min, max)
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

// between drops the ticks outside [lo, hi]: an axis may reach a little past its range
// without a label there.
func between(of plot.Ticker, lo, hi float64) plot.Ticker {
	return plot.TickerFunc(func(low, high float64) []plot.Tick { return of.Ticks(max(low, lo), min(high, hi)) })
}
