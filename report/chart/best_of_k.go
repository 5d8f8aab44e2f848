package chart

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func drawBestOfK(r *analysis.Result, split rollout.Split, s *analysis.SplitResult) (Figure, error) {
	l := r.Lang
	best, worst := bestWorst(s)
	right, drawn := allRight(r, s)
	if len(best.x) == 0 {
		return noData(l, "chart.best.none", "no item has a reward, so there is no best of k")
	}
	p := newPlot(l.Text("chart.best.k", "k, samples to choose from"), l.Text("chart.best.axis", "expected reward"))
	fits := beyond(l, s, analysis.BestOfK, best, math.Inf(1))
	low, high := extent(best, worst)
	rewardAxis(p, r, low, high)
	last := best.x[len(best.x)-1]
	for _, v := range []curve{worst, fits.band} {
		if n := len(v.x); n > 0 {
			last = math.Max(last, v.x[n-1])
		}
	}
	kAxis(p, 1, last, 64)
	g := float64(r.GroupSize)
	inside := r.GroupSize >= 1 && g <= last && last > 1
	if inside {
		p.Add(groupRule(r, slices.Concat(around(best, g), around(worst, g), around(fits.band, g))...))
	}
	if line, ok := ceilingLine(r); ok {
		p.Add(line)
	}
	p.Add(fits.plotters()...)
	if drawn {
		p.Add(right)
	}
	p.Add(worst, best)
	if inside && s.Lift.Known() && *s.Lift.Value > 0 {
		p.Add(liftLabel(r, p, s, best, g))
	}
	f := Figure{Plot: p, Table: bestTable(l, s, best, worst, right, fits)}
	top, ok := s.BestAt(r.GroupSize)
	// The best of one is the mean over exactly the items of the curve.
	one, found := s.BestAt(1)
	switch {
	case !ok || !found || one.Value == nil:
		f.Title = l.Text("chart.best.heading", "Best and worst of k samples")
	case top.K == 1:
		f.Title = l.Say("chart.best.single", "One sample per item: mean reward %s, best of more is unknown",
			message.Digits(*one.Value))
	case *top.Value-*one.Value < 1e-9:
		f.Title = l.Say("chart.best.equal", "The best of %d samples is no better than the mean of %s", top.K,
			message.Digits(*one.Value))
	default:
		f.Title = l.Say("chart.best.above", "The best of %d samples earns %s, %s above the mean of %s", top.K,
			message.Digits(*top.Value), message.Digits(*top.Value-*one.Value), message.Digits(*one.Value))
	}
	f.Subtitle = counted(l, split, s)
	if ok {
		f.Subtitle += l.Text("chart.bands", "; bands: ") + intervals(r, top.Estimate)
	}
	f.Subtitle += fits.caption(l, message.Digits)
	if r.GroupSize > 0 && ok && top.K < r.GroupSize {
		f.Subtitle += l.Say("chart.best.beyond", "; a group of %d is beyond the samples taken", r.GroupSize)
	}
	if ok && top.Items > 0 && top.Items != s.Items.Measured {
		f.Subtitle += l.Say("chart.best.over", "; over the %s with at least %s", l.Count(top.Items, "item"),
			l.Count(top.K, "sample"))
	}
	f.addEntry(l.Text("chart.best_of_k", "best of k"), best)
	if len(worst.x) > 0 {
		f.addEntry(l.Text("chart.worst_of_k", "worst of k"), worst)
	}
	if drawn {
		f.addEntry(l.Text("chart.pass_all", "pass^k, all k right"), right)
	}
	f.Legend = append(f.Legend, ceilingEntry(r)...)
	f.Brief = append(slices.Clip(f.Legend), fits.brief()...)
	f.Legend = append(f.Legend, fits.legend(r)...)
	return f, nil
}

func bestTable(l message.Language, s *analysis.SplitResult, best, worst, right curve, fits far) Table {
	fitHeads, curves := fits.columns()
	columns := heads(l, "chart.head.k", "k", "chart.head.best_of_k", "best of k", "chart.head.worst_of_k", "worst of k")
	if len(right.x) > 0 {
		columns = append(columns, l.Text("chart.head.pass_all", "pass^k"))
		curves = append([]curve{right}, curves...)
	}
	curves = append([]curve{best, worst}, curves...)
	measured := map[float64]analysis.AtK{}
	for _, e := range s.BestOf {
		measured[float64(e.K)] = e
	}
	marks := columnsAt(curves, func(x float64) []string {
		cells := cellsAt(x, curves)
		if e, ok := measured[x]; ok {
			return append(cells, message.Whole(e.Items), message.Whole(e.N))
		}
		return append(cells, "", "")
	})
	return Table{
		Columns: true,
		Head: slices.Concat(columns, fitHeads,
			heads(l, "chart.head.items", "items", "chart.head.rollouts", "rollouts")), Marks: marks,
	}
}

func bestWorst(s *analysis.SplitResult) (best, worst curve) {
	best, worst = mainCurve, secondCurve
	best.addAt(s.BestOf)
	worst.addAt(s.WorstOf)
	return best, worst
}

// allRight returns pass^k, the probability that all k rollouts are right. It is drawn where rewards are
// from 0 to 1, so that the axis fits, and where it is not the worst of k, as it is if every reward is
// either 0 or 1.
func allRight(r *analysis.Result, s *analysis.SplitResult) (right curve, drawn bool) {
	right = thirdCurve
	right.addAt(s.PassAll)
	_, worst := bestWorst(s)
	return right, r.RewardRange == [2]float64{0, 1} && len(right.x) > 0 && !slices.Equal(right.y, worst.y)
}

// addAt appends the points of list, which is in order of k. Points without a value are left out; a
// point without an interval gives the band no width.
func (v *curve) addAt(list []analysis.AtK) {
	for _, e := range list {
		if e.Known() && e.K > 0 {
			v.add(float64(e.K), e.Estimate)
		}
	}
}

func extent(curves ...curve) (low, high float64) {
	all := noReach()
	for _, v := range curves {
		all.add(slices.Concat(v.lo, v.y, v.hi)...)
	}
	return all.low, all.high
}

// around returns five values of Y, from the low to the high end of the interval of v at x; nil if v
// has no point there.
func around(v curve, x float64) []float64 {
	for i := range v.x {
		if v.x[i] == x {
			return []float64{
				v.lo[i], v.lo[i]*0.75 + v.hi[i]*0.25, (v.lo[i] + v.hi[i]) / 2,
				v.lo[i]*0.25 + v.hi[i]*0.75, v.hi[i],
			}
		}
	}
	return nil
}

// groupRule marks the trainer's group size. Its label keeps away from the values of Y in avoid.
func groupRule(r *analysis.Result, avoid ...float64) rule {
	return rule{
		avoid: avoid,
		value: float64(r.GroupSize), upward: true, label: r.Lang.Say("chart.group_size", "group size %d", r.GroupSize),
		line: draw.LineStyle{Color: Muted, Width: 0.8, Dashes: []vg.Length{2, 2}},
	}
}

// liftLabel labels the curve at the group size with how much more the best earns than the mean.
func liftLabel(r *analysis.Result, p *plot.Plot, s *analysis.SplitResult, best curve, g float64) labels {
	for i, x := range best.x {
		if x != g {
			continue
		}
		lift := label{
			x: g, y: best.y[i], dx: -5, dy: -7, xAlign: draw.XRight, yAlign: draw.YTop, color: Blue,
			text: r.Lang.Say("chart.lift", "lift %s", message.Digits(*s.Lift.Value)),
		}
		switch {
		case p.X.Norm(g) < 0.7: // there is room next to the line, and no curve
			lift.y, lift.dx, lift.dy, lift.xAlign, lift.yAlign = (best.y[0]+best.y[i])/2, 5, 0, draw.XLeft, draw.YCenter
		case p.Y.Norm(lift.y) < 0.3: // no room below: above the band
			lift.y, lift.dy, lift.yAlign = best.hi[i], 3, draw.YBottom
		}
		return labels{lift}
	}
	return nil
}
