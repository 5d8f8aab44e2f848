package chart

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// far are the models fitted beyond the samples: a dashed line with triangles, a
// dotted one with rings, and one band that holds the intervals of both, from
// where what was measured ends.
type far struct {
	plain, inflated curve
	band            curve
	model           string // for the caption
}

// beyond gathers what the models say of one quantity. It is empty if there
// is not a measured curve to go on from, or no model.
func beyond(s *analysis.SplitResult, quantity string, measured curve) far {
	var f far
	low, high := map[float64]float64{}, map[float64]float64{}
	if len(measured.x) == 0 {
		return far{}
	}
	for _, x := range s.Fits(quantity) {
		if x.K < 1 {
			continue
		}
		k, at := float64(x.K), &f.plain
		if x.Model == analysis.ZeroInflated {
			at = &f.inflated
		} else {
			f.model = x.Model
		}
		y, lo, hi := spanOf(stat.Estimate{Value: x.Value, Low: x.Low, High: x.High})
		at.x, at.y = append(at.x, k), append(at.y, y)
		if l, ok := low[k]; ok {
			lo, hi = math.Min(lo, l), math.Max(hi, high[k])
		}
		low[k], high[k] = lo, hi
	}
	if len(low) == 0 {
		return far{}
	}
	for k := range low {
		f.band.x = append(f.band.x, k)
	}
	slices.Sort(f.band.x)
	for _, k := range f.band.x {
		f.band.lo, f.band.hi = append(f.band.lo, low[k]), append(f.band.hi, high[k])
	}
	f.open(measured)
	f.plain.line = draw.LineStyle{Color: Charred, Width: 1.4, Dashes: dashed}
	f.plain.glyph, f.plain.radius = draw.PyramidGlyph{}, 2.2
	f.inflated.line = draw.LineStyle{Color: Charred, Width: 1.4, Dashes: dotted}
	f.inflated.glyph, f.inflated.radius = draw.RingGlyph{}, 2
	f.band.band = tint(Charred, 0.13)
	return f
}

// open starts the band from the last measured point. The lines begin where the
// models have values: drawn from there they would seem to meet what was measured.
func (f *far) open(measured curve) {
	last := len(measured.x) - 1
	lo, hi := measured.y[last], measured.y[last]
	if measured.lo != nil {
		lo, hi = measured.lo[last], measured.hi[last]
	}
	f.band.x = slices.Insert(f.band.x, 0, measured.x[last])
	f.band.lo, f.band.hi = slices.Insert(f.band.lo, 0, lo), slices.Insert(f.band.hi, 0, hi)
}

// until leaves out what the models say beyond x.
func (f *far) until(x float64) {
	for _, v := range []*curve{&f.band, &f.plain, &f.inflated} {
		n := 0
		for n < len(v.x) && v.x[n] <= x {
			n++
		}
		v.x = v.x[:n]
		v.y, v.lo, v.hi = v.y[:min(n, len(v.y))], v.lo[:min(n, len(v.lo))], v.hi[:min(n, len(v.hi))]
	}
}

// none reports whether there is nothing to draw.
func (f far) none() bool { return len(f.band.x) == 0 }

func (f far) plotters() []plot.Plotter {
	if f.none() {
		return nil
	}
	return []plot.Plotter{f.band, f.inflated, f.plain}
}

// legend names both models and their band.
func (f far) legend(r *analysis.Result) []Entry {
	var list []Entry
	if len(f.plain.x) > 0 {
		list = append(list, entry(f.fit(r.Lang), f.plain))
	}
	if len(f.inflated.x) > 0 {
		list = append(list, entry(f.fitInflated(r.Lang), f.inflated))
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

// fit names the model of the first line.
func (f far) fit(l message.Language) string {
	return l.Say("chart.fit", "%s fit", l.Text("chart.model."+f.model, modelName(f.model)))
}

// fitInflated names the model of the second line, which may be alone.
func (f far) fitInflated(l message.Language) string {
	if len(f.plain.x) == 0 {
		return l.Text("chart.fits.inflated", "fit with items that never succeed")
	}
	return l.Text("chart.fits.same_inflated", "the same with items that never succeed")
}

// columns are the models that have values, for a table.
func (f far) columns(l message.Language) (heads []string, curves []curve) {
	if len(f.plain.x) > 0 {
		heads, curves = append(heads, f.fit(l)), append(curves, f.plain)
	}
	if len(f.inflated.x) > 0 {
		heads, curves = append(heads, l.Text("chart.fits.with_dead", "with items that never succeed")),
			append(curves, f.inflated)
	}
	return heads, curves
}

// brief names them shortly, for where there is little room.
func (f far) brief(l message.Language) []Entry {
	if f.none() {
		return nil
	}
	var list []Entry
	for _, v := range []struct {
		name string
		curve
	}{{l.Text("chart.model", "model"), f.plain}, {
		l.Text("chart.model.inflated", "with items that never succeed"),
		f.inflated,
	}} {
		if len(v.x) > 0 {
			list = append(list, entry(v.name, f.band, v.curve))
		}
	}
	if len(list) == 1 {
		list[0].Label = l.Text("chart.model.beyond", "model beyond the samples")
	}
	return list
}

// caption says how far the models lie apart at the end.
func (f far) caption(l message.Language, say func(float64) string) string {
	if len(f.plain.x) == 0 || len(f.inflated.x) == 0 {
		return ""
	}
	end := len(f.plain.x) - 1
	k, first, second := message.Whole(int(f.plain.x[end])), say(f.plain.y[end]), say(f.inflated.y[len(f.inflated.y)-1])
	if first != second {
		return l.Say("chart.models.gap", "; models at %s: %s or %s, a gap that the samples cannot close", k, first,
			second)
	}
	return l.Say("chart.models.at", "; models at %s: %s", k, first)
}

func modelName(model string) string {
	switch model {
	case analysis.BetaBinomial:
		return "beta-binomial"
	case analysis.Dirichlet:
		return "Dirichlet-multinomial"
	}
	return model
}
