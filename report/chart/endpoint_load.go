package chart

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/wording"
)

// loadCurves is how many endpoints one picture shows: the slowest.
const loadCurves = 5

func drawEndpointLoad(r *analysis.Result) (Figure, error) {
	l, b, list := r.Lang, r.Burst, loadsOf(r)
	switch {
	case b == nil:
		return noData(l, "chart.load.none", "no training step was rehearsed: run gonogo burst")
	case len(list) == 0:
		return noData(l, "chart.load.unanswered", "no endpoint answered a request of the burst")
	}
	p := newPlot(l.Text("chart.load.axis", "rollouts at once"), l.Text("chart.load.p95", "P95, seconds"))
	all, last := noReach(), 1.0
	for _, v := range list {
		all.add(slices.Concat(v.lo, v.y, v.hi)...)
		last = max(last, slices.Max(v.x))
	}
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(roundDecades)
	p.Y.Min, p.Y.Max = below(all.low), above(all.high)
	kAxis(p, 1, last, 8)
	f := Figure{Plot: p, Table: Table{Columns: true, Head: heads(l, "chart.head.rollouts_at_once", "rollouts at once")}}
	f.Subtitle = l.Say("chart.load.about", "waves of 1, 2, 4, … up to the step's %s%s",
		l.Count(b.Rollouts, "rollout"), loadBands(r, list))
	if more := len(b.Endpoints) - len(list); more > 0 {
		f.Subtitle += l.Say("chart.load.more", "; %s not shown", l.Count(more, "endpoint"))
	}
	var curves []curve
	var worst *load
	slowest := 0.0
	for i := range list {
		one := &list[i]
		p.Add(one.curve)
		curves = append(curves, one.curve)
		f.Table.Head = append(f.Table.Head, l.Say("chart.load.p95_of", "%s, P95 s", one.name))
		label := one.name
		if one.doubles != nil {
			label += l.Say("chart.load.doubles", ", doubles at %s", message.Digits(*one.doubles))
		}
		f.addEntry(label, one.curve)
		last := one.y[len(one.y)-1]
		slowest = max(slowest, last)
		if last < quickAnswer {
			continue // twice almost nothing does not delay a training step
		}
		if one.doubles != nil && (worst == nil || *one.doubles < *worst.doubles) {
			worst = one
		}
	}
	f.Table.Marks = columnsAt(curves, func(x float64) []string { return cellsAt(x, curves) })
	switch {
	case slowest < quickAnswer:
		f.Title = l.Say("chart.load.within", "95 %% of answers come within %s s with %s at once",
			message.Digits(slowest), l.Count(b.Rollouts, "rollout"))
	case worst != nil:
		f.Title = l.Say("chart.load.worst", "%s takes twice as long from about %s at once", worst.name,
			l.Count(int(math.Round(*worst.doubles)), "rollout"))
	default:
		f.Title = l.Say("chart.load.even", "No endpoint takes twice as long with %s as with one",
			l.Count(b.Rollouts, "rollout"))
	}
	return f, nil
}

// loadBands says which bands are drawn: those of endpoints with an interval at every point, which
// needs enough answers.
func loadBands(r *analysis.Result, list []load) string {
	drawn := 0
	for _, l := range list {
		if l.lo != nil {
			drawn++
		}
	}
	switch drawn {
	case 0:
		return r.Lang.Text("chart.load.few", "; too few answers for intervals")
	case len(list):
		return r.Lang.Say("chart.load.bands", "; bands: %s intervals, clustered by rollout",
			message.Percent(r.Confidence))
	}
	return r.Lang.Say("chart.load.bands_partly",
		"; bands, where there are enough answers: %s intervals, clustered by rollout", message.Percent(r.Confidence))
}

// load is the latency of one endpoint against the number of rollouts at once.
type load struct {
	curve
	name    string
	doubles *float64 // rollouts at once at which the latency has doubled; nil: not reached or unknown
}

// loadStyles distinguish endpoints, even in grey.
var loadStyles = []struct {
	color  color.RGBA
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}{
	{Blue, nil, draw.CircleGlyph{}},
	{Orange, dashed, draw.BoxGlyph{}},
	{Green, dotted, draw.PyramidGlyph{}},
	{Charred, []vg.Length{7, 2, 1.4, 2}, draw.RingGlyph{}},
	{Steel, []vg.Length{2.5, 2.5}, draw.SquareGlyph{}},
}

// quickAnswer is the latency, in seconds, below which an endpoint is not judged.
const quickAnswer = 0.1

// leastLatency is the smallest latency drawn, in seconds: a logarithmic axis has no zero.
const leastLatency = 1e-4

// loadsOf returns the slowest endpoints of those that answered, slowest first.
func loadsOf(r *analysis.Result) []load {
	if r.Burst == nil {
		return nil
	}
	var list []load
	for _, e := range r.Burst.Endpoints {
		l := load{name: visibleName(e.Name), doubles: e.Doubles.At}
		bounded := true
		for _, p := range e.Load {
			if p.Size >= 1 && p.P95.Known() {
				y, lo, hi := spanOf(p.P95)
				l.put(float64(p.Size), max(leastLatency, y), max(leastLatency, lo), max(leastLatency, hi))
				bounded = bounded && p.P95.Low != nil && p.P95.High != nil
			}
		}
		if !bounded {
			l.lo, l.hi = nil, nil
		}
		if len(l.x) > 0 {
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(a, b load) int { return cmp.Compare(slices.Max(b.y), slices.Max(a.y)) })
	list = list[:min(len(list), loadCurves)]
	for i := range list {
		s := loadStyles[i]
		l := &list[i]
		l.line = draw.LineStyle{Color: s.color, Width: 1.5, Dashes: s.dashes}
		l.band, l.glyph, l.radius = tint(s.color, 0.14), s.glyph, 2.2
	}
	return list
}

// visibleName shortens a name to fit a legend.
func visibleName(name string) string { return wording.Clip(name, 30) }

// below and above return the largest of 1, 2 and 5 times the powers of ten up to x, and the
// smallest above x. The inverse of such a number has the same form.
func below(x float64) float64 { return 1 / niceStep(1/x) }
func above(x float64) float64 { return niceStep(x * (1 + 1e-8)) }

// roundDecades labels 1, 2 and 5 times the powers of ten; over more decades 1 and 3 times, or only
// the powers.
func roundDecades(low, high float64) []plot.Tick {
	marks := []float64{1, 2, 5}
	switch {
	case high/low > 1e3:
		marks = []float64{1}
	case high/low > 11:
		marks = []float64{1, 3}
	}
	var out []plot.Tick
	for e := math.Floor(math.Log10(low)); math.Pow(10, e) <= high*1.001; e++ {
		for _, m := range marks {
			if v := m * math.Pow(10, e); v >= low*0.999 && v <= high*1.001 {
				out = append(out, plot.Tick{Value: v, Label: message.Digits(v)})
			}
		}
	}
	return out
}
