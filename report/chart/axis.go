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

// rewardRange returns the reward range of the grader, or [0, 1] if that is empty or infinite (a
// Result made by hand).
func rewardRange(r *analysis.Result) (lo, hi float64) {
	lo, hi = r.RewardRange[0], r.RewardRange[1]
	if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return 0, 1
	}
	return lo, hi
}

// baseline returns where reward bars begin: at zero if the range contains it, else at the end of
// the range nearest to zero.
func baseline(r *analysis.Result) float64 {
	lo, hi := rewardRange(r)
	return math.Max(lo, math.Min(hi, 0))
}

// clip limits the end of a whisker to the reward range: no reward is outside it.
func clip(r *analysis.Result, x float64) float64 {
	lo, hi := rewardRange(r)
	return math.Max(lo, math.Min(hi, x))
}

// rewardAxis makes Y span the whole reward range, whatever part of it was earned, and more only if
// the data, from low to high, exceed it.
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
		p.Add(rule{value: base, line: draw.LineStyle{Color: Axis, Width: 0.8}})
	}
}

// ceilingLine returns a line that marks the ceiling on a reward axis, and false if the ceiling is
// an end of the range. The value is in the legend: a label could cover data anywhere on the line.
func ceilingLine(r *analysis.Result) (rule, bool) {
	lo, hi := rewardRange(r)
	hair := 1e-6 * (hi - lo)
	return rule{value: r.Ceiling, line: draw.LineStyle{Color: Ink, Width: 0.7, Dashes: dashed}}, r.Ceiling > lo+hair &&
		r.Ceiling < hi-hair
}

// ceilingEntry returns the legend entry of ceilingLine, if there is a line.
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

// kAxis makes X count from first to last; if last exceeds linear, the scale is logarithmic and the
// ticks double.
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

// logarithmic makes X logarithmic. gonum reserves room for the axis label as if it were centred on
// half of the largest value, far to the right of the middle, where it is drawn; unmeasured reserves
// none.
func logarithmic(p *plot.Plot) {
	p.X.Scale = plot.LogScale{}
	p.X.Label.TextStyle.Handler = unmeasured{p.X.Label.TextStyle.Handler}
}

// unmeasured is a text handler whose text takes no width.
type unmeasured struct{ text.Handler }

// Box implements text.Handler.
func (u unmeasured) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	_, height, depth = u.Handler.Box(txt, fnt)
	return 0, height, depth
}
