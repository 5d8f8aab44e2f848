package chart

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rewardRange returns the range of the grader. One that is not a range (a
// Result made by hand) counts as [0, 1].
func rewardRange(r *analysis.Result) (lo, hi float64) {
	lo, hi = r.RewardRange[0], r.RewardRange[1]
	if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return 0, 1
	}
	return lo, hi
}

// baseline is where bars of rewards begin: at zero if the range holds it,
// else at the end of the range nearest to zero.
func baseline(r *analysis.Result) float64 {
	lo, hi := rewardRange(r)
	return math.Max(lo, math.Min(hi, 0))
}

// clip keeps a whisker inside the reward range: no reward lies beyond it.
func clip(r *analysis.Result, x float64) float64 {
	lo, hi := rewardRange(r)
	return math.Max(lo, math.Min(hi, x))
}

// rewardAxis makes Y span the whole reward range, whatever part of it was
// earned, and more only where the data themselves lie outside.
func rewardAxis(p *plot.Plot, r *analysis.Result, low, high float64) {
	lo, hi := rewardRange(r)
	lo, hi = math.Min(lo, low), math.Max(hi, high)
	pad := (hi - lo) * 0.02
	p.Y.Min, p.Y.Max = lo, hi+pad
	if lo < baseline(r) {
		p.Y.Min -= pad
	}
	p.Y.Tick.Marker = withEnds(between(roundTicks{Want: 5}, lo, hi), lo, hi)
	if base := baseline(r); lo < base {
		p.Add(rule{at: base, line: draw.LineStyle{Color: Axis, Width: 0.8}})
	}
}

// ceilingLine marks the ceiling on an axis of rewards, where it is not the top of
// the range. The legend says its value: there are data wherever a label could be.
func ceilingLine(r *analysis.Result) (rule, bool) {
	lo, hi := rewardRange(r)
	hair := 1e-6 * (hi - lo)
	return rule{at: r.Ceiling, line: draw.LineStyle{Color: Ink, Width: 0.7, Dashes: dashed}}, r.Ceiling > lo+hair &&
		r.Ceiling < hi-hair
}

// ceilingEntry is ceilingLine's entry in a legend; nothing where there is none.
func ceilingEntry(r *analysis.Result) []Entry {
	line, ok := ceilingLine(r)
	if !ok {
		return nil
	}
	return []Entry{entry(r.Lang.Say("chart.ceiling", "ceiling %s", message.Digits(r.Ceiling)), line)}
}

// shareAxis makes Y span 0 to 1 in percent.
func shareAxis(p *plot.Plot) {
	p.Y.Min, p.Y.Max = 0, 1.02
	p.Y.Tick.Marker = percentTicks(between(roundTicks{Want: 5}, 0, 1))
}

// kAxis makes X count from first to last; when it would count past linear, it
// doubles instead.
func kAxis(p *plot.Plot, first, last, linear float64) {
	p.X.Min, p.X.Max = first, math.Max(last, first+1)
	pad := (p.X.Max - p.X.Min) * 0.015
	if last > linear {
		logarithmic(p)
		p.X.Tick.Marker = plot.TickerFunc(doublings)
		p.X.Min, p.X.Max = p.X.Min*0.98, p.X.Max*1.03
		return
	}
	p.X.Tick.Marker = between(roundTicks{Want: 10, Whole: true}, first, last)
	p.X.Min -= pad
	p.X.Max += pad
}

// logarithmic makes X a logarithm. gonum reserves room for the axis's name as though it
// was where half of the largest value does, far to the right of the middle where it is
// drawn: nothing is reserved for it here.
func logarithmic(p *plot.Plot) {
	p.X.Scale = plot.LogScale{}
	p.X.Label.TextStyle.Handler = unmeasured{p.X.Label.TextStyle.Handler}
}

// unmeasured draws text that takes no width.
type unmeasured struct{ text.Handler }

// Box implements text.Handler.
func (u unmeasured) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	_, height, depth = u.Handler.Box(txt, fnt)
	return 0, height, depth
}
