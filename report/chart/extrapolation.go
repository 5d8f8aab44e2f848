package chart

import (
	"cmp"
	"maps"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// far holds the models fitted beyond the samples, and one band over the intervals of all of them,
// from the last measured point on.
type far struct {
	models []model // those that have values
	band   curve
}

// model is one fitted model, with its name in a legend, in a table head, and where there is little
// room.
type model struct {
	curve
	name, head, brief string
}

// beyond returns what the models say of one quantity for k up to last. It is empty without a
// measured curve to extend, or without a model.
func beyond(l message.Language, s *analysis.SplitResult, quantity string, measured curve, last float64) far {
	plain := model{brief: l.Text("chart.forecast", "forecast"), curve: curve{
		line: draw.LineStyle{Color: Charred, Width: 1.4, Dashes: dashed}, glyph: draw.PyramidGlyph{}, radius: 2.2,
	}}
	inflated := model{
		name:  l.Text("chart.fits.inflated", "fit, if some items never succeed"),
		head:  l.Text("chart.fits.with_dead", "if some items never succeed"),
		brief: l.Text("chart.forecast.dead", "if some items never succeed"),
		curve: curve{
			line: draw.LineStyle{Color: Charred, Width: 1.4, Dashes: dotted}, glyph: draw.RingGlyph{}, radius: 2,
		},
	}
	spans := map[float64]*reach{}
	for _, x := range s.Fits(quantity) {
		k, m := float64(x.K), &plain
		if k < 1 || k > last {
			continue
		}
		if x.Model == analysis.ZeroInflated {
			m = &inflated
		} else {
			m.name = l.Say("chart.fit", "%s fit", l.Text("chart.model."+x.Model, cmp.Or(modelNames[x.Model], x.Model)))
			m.head = m.name
		}
		y, lo, hi := spanOf(stat.Estimate{Value: x.Value, Low: x.Low, High: x.High})
		m.x, m.y = append(m.x, k), append(m.y, y)
		if spans[k] == nil {
			spans[k] = &reach{lo, hi}
		}
		spans[k].add(lo, hi)
	}
	if len(measured.x) == 0 || len(spans) == 0 {
		return far{}
	}
	// The band starts at the last measured point. The lines begin where the models have
	// values: drawn from the measured point they would seem to pass through it.
	end := len(measured.x) - 1
	_, lo, hi, _ := measured.at(measured.x[end])
	f := far{band: curve{band: tint(Charred, 0.13), x: []float64{measured.x[end]}, lo: []float64{lo}, hi: []float64{hi}}}
	for _, k := range slices.Sorted(maps.Keys(spans)) {
		f.band.x = append(f.band.x, k)
		f.band.lo, f.band.hi = append(f.band.lo, spans[k].low), append(f.band.hi, spans[k].high)
	}
	if len(plain.x) > 0 {
		f.models = append(f.models, plain)
		inflated.name = l.Text("chart.fits.same_inflated", "the same, if some items never succeed")
	}
	if len(inflated.x) > 0 {
		f.models = append(f.models, inflated)
	}
	if len(f.models) == 1 {
		f.models[0].brief = l.Text("chart.forecast.beyond", "forecast beyond the samples")
	}
	return f
}

// plotters returns what to draw, the band below the models.
func (f far) plotters() []plot.Plotter {
	var list []plot.Plotter
	if len(f.models) > 0 {
		list = append(list, f.band)
	}
	for _, m := range slices.Backward(f.models) {
		list = append(list, m.curve)
	}
	return list
}

// legend names the models and their band.
func (f far) legend(r *analysis.Result) []Entry {
	var list []Entry
	for _, m := range f.models {
		list = append(list, entry(m.name, m.curve))
	}
	share := message.Percent(r.Confidence)
	switch len(list) {
	case 1:
		list = append(list, entry(r.Lang.Say("chart.fits.share", "%s of refits", share), f.band))
	case 2:
		list = append(list, entry(r.Lang.Say("chart.fits.both", "both, %s of refits", share), f.band))
	}
	return list
}

// columns returns the heads and curves of the models, for a table.
func (f far) columns() (heads []string, curves []curve) {
	for _, m := range f.models {
		heads, curves = append(heads, m.head), append(curves, m.curve)
	}
	return heads, curves
}

// brief returns short legend entries of the models, for where there is little room.
func (f far) brief() []Entry {
	var list []Entry
	for _, m := range f.models {
		list = append(list, entry(m.brief, f.band, m.curve))
	}
	return list
}

// caption says how far apart the models are at their last k.
func (f far) caption(l message.Language, say func(float64) string) string {
	if len(f.models) < 2 {
		return ""
	}
	end := func(v curve) float64 { return v.y[len(v.y)-1] }
	plain, inflated := f.models[0].curve, f.models[1].curve
	k := message.Whole(int(plain.x[len(plain.x)-1]))
	first, second := say(end(plain)), say(end(inflated))
	if first != second {
		return l.Say("chart.models.gap", "; models at %s: %s or %s, a gap that the samples cannot close", k, first,
			second)
	}
	return l.Say("chart.models.at", "; models at %s: %s", k, first)
}

var modelNames = map[string]string{
	analysis.BetaBinomial: "beta-binomial", analysis.Dirichlet: "Dirichlet-multinomial",
}
