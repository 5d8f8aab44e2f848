package chart

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func drawBestOfK(r *analysis.Result) (*plot.Plot, error) {
	_, s, err := shown(r)
	if err != nil {
		return nil, err
	}
	best, worst := bestWorst(s)
	if len(best.x) == 0 {
		return nil, noData(r.Lang, "no item has a reward, so there is no best of k")
	}
	p := newPlot(r.Lang.Text("k, samples to choose from"), r.Lang.Text("expected reward"))
	fits := beyond(s, analysis.BestOfK, best)
	low, high := extent(best, worst)
	rewardAxis(p, r, low, high)
	last := math.Max(best.x[len(best.x)-1], worstEnd(worst))
	if !fits.none() {
		last = math.Max(last, fits.band.x[len(fits.band.x)-1])
	}
	kAxis(p, 1, last, 64)
	g := float64(r.GroupSize)
	inside := r.GroupSize >= 1 && g <= last
	if inside && last > 1 {
		p.Add(groupRule(r, slices.Concat(around(best, g), around(worst, g), around(fits.band, g))...))
	}
	if line, ok := ceilingLine(r); ok {
		p.Add(line)
	}
	p.Add(fits.plotters()...)
	p.Add(worst, best)
	if inside && s.Lift.Known() && *s.Lift.Value > 0 && last > 1 {
		p.Add(liftLabel(r, p, s, best, g))
	}
	return p, nil
}

func captionBestOfK(r *analysis.Result) Caption {
	split, s, _ := Shown(r)
	l := r.Lang
	best, worst := bestWorst(s)
	top, ok := s.BestAt(r.GroupSize)
	c := Caption{Subtitle: counted(l, split, s)}
	if ok {
		c.Subtitle += l.Text("; bands: ") + intervals(r, top.Estimate)
	}
	fits := beyond(s, analysis.BestOfK, best)
	c.Subtitle += fits.caption(l, message.Digits)
	if r.GroupSize > 0 && ok && top.K < r.GroupSize {
		c.Subtitle += l.Say("; a group of %d is beyond the samples taken", r.GroupSize)
	}
	if ok && top.Items > 0 && top.Items != s.Items.Measured {
		c.Subtitle += l.Say("; over the %s with at least %s", l.Count(top.Items, "item"), l.Count(top.K, "sample"))
	}
	// The best of one is the mean of the very items that the curve is over.
	var mean *float64
	if one, found := s.BestAt(1); found {
		mean = one.Value
	}
	switch {
	case !ok || mean == nil:
		c.Title = l.Text("Best and worst of k samples")
	case top.K == 1:
		c.Title = l.Say("One sample per item: mean reward %s, best of more is unknown", message.Digits(*mean))
	case *top.Value-*mean < 1e-9:
		c.Title = l.Say("The best of %d samples is no better than the mean of %s", top.K, message.Digits(*mean))
	default:
		c.Title = l.Say("The best of %d samples earns %s, %s above the mean of %s", top.K, message.Digits(*top.Value), message.Digits(*top.Value-*mean), message.Digits(*mean))
	}
	c.Legend = []Entry{{l.Text("best of k"), []plot.Thumbnailer{best}}}
	if len(worst.x) > 0 {
		c.Legend = append(c.Legend, Entry{l.Text("worst of k"), []plot.Thumbnailer{worst}})
	}
	c.Legend = append(c.Legend, ceilingEntry(r)...)
	c.Brief = append(slices.Clip(c.Legend), fits.brief(l)...)
	c.Legend = append(c.Legend, fits.legend(r)...)
	return c
}

func bestWorst(s *analysis.SplitResult) (best, worst curve) {
	best = atCurve(s.BestOf)
	best.line = draw.LineStyle{Color: Blue, Width: 1.6}
	best.band, best.glyph, best.radius = tint(Blue, 0.18), draw.CircleGlyph{}, 2.2
	worst = atCurve(s.WorstOf)
	worst.line = draw.LineStyle{Color: Orange, Width: 1.4, Dashes: dashed}
	worst.band, worst.glyph, worst.radius = tint(Orange, 0.16), draw.BoxGlyph{}, 2
	return best, worst
}

// atCurve is the curve of a quantity at k, in the order of k; points without
// a value are left out, and a missing interval is no band there.
func atCurve(list []analysis.AtK) curve {
	var v curve
	for _, e := range list {
		if e.Known() {
			v.add(float64(e.K), e.Estimate)
		}
	}
	return v
}

func extent(curves ...curve) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range curves {
		for i := range v.y {
			low, high = math.Min(low, math.Min(v.lo[i], v.y[i])), math.Max(high, math.Max(v.hi[i], v.y[i]))
		}
	}
	return low, high
}

func worstEnd(v curve) float64 {
	if len(v.x) == 0 {
		return 1
	}
	return v.x[len(v.x)-1]
}

// around lists what a curve covers at x.
func around(v curve, x float64) []float64 {
	for i := range v.x {
		if v.x[i] == x {
			return []float64{v.lo[i], v.lo[i]*0.75 + v.hi[i]*0.25, (v.lo[i] + v.hi[i]) / 2, v.lo[i]*0.25 + v.hi[i]*0.75, v.hi[i]}
		}
	}
	return nil
}

// groupRule marks the trainer's group size, with its label where it keeps
// clear of the values of Y.
func groupRule(r *analysis.Result, clear ...float64) rule {
	return rule{
		clear: clear,
		at:    float64(r.GroupSize), upward: true, label: r.Lang.Say("group size %d", r.GroupSize),
		line: draw.LineStyle{Color: Muted, Width: 0.8, Dashes: []vg.Length{2, 2}},
	}
}

// liftLabel says at the group size what the best earns above the mean.
func liftLabel(r *analysis.Result, p *plot.Plot, s *analysis.SplitResult, best curve, g float64) labels {
	for i, x := range best.x {
		if x != g {
			continue
		}
		at := label{x: g, y: best.y[i], dx: -5, dy: -7, xAlign: draw.XRight, yAlign: draw.YTop, color: Blue, text: r.Lang.Say("lift %s", message.Digits(*s.Lift.Value))}
		switch {
		case p.X.Norm(g) < 0.7: // room beside the line, where no curve runs
			at.y, at.dx, at.dy, at.xAlign, at.yAlign = (best.y[0]+best.y[i])/2, 5, 0, draw.XLeft, draw.YCenter
		case p.Y.Norm(at.y) < 0.3: // no room below: above the band
			at.y, at.dy, at.yAlign = best.hi[i], 3, draw.YBottom
		}
		return labels{at}
	}
	return nil
}
