package chart

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot/vg/draw"
)

// The quantities that can be limited.
var (
	callCap = cost{
		analysis.CostCalls, message.New("chart.limit.calls", "call limit per rollout"),
		message.New("chart.limited.calls", "tool calls"), callCost.without,
	}
	tokenCap = cost{analysis.CapTokens, message.New("chart.limit.tokens", "limit of output tokens per rollout, "+
		"reasoning included"), message.New("chart.limited.tokens", "output tokens"), tokenCost.without}
)

// limits is the chart of a WhatIf; only a report that has one includes it.
func (q cost) limits(name, doc, read string) Chart {
	return Chart{
		Name: name, Doc: doc, Read: read, Draw: ofSplit(q.drawLimits), OnRewards: true,
		Only: func(r *analysis.Result) bool {
			_, s, ok := ShownSplit(r)
			return ok && s.WhatIfOf(q.quantity) != nil
		},
	}
}

func (q cost) drawLimits(r *analysis.Result, split rollout.Split, s *analysis.SplitResult) (Figure, error) {
	l, w := r.Lang, s.WhatIfOf(q.quantity)
	if w == nil {
		return noData(l, q.without.ID, q.without.English)
	}
	caps := slices.DeleteFunc(slices.Clone(w.Caps), func(c analysis.Cap) bool {
		return !c.Reward.Known() ||
			!c.Cut.Known()
	})
	if len(caps) == 0 {
		return noData(l, q.without.ID, q.without.English)
	}
	reward, teach := mainCurve, secondCurve
	cut := curve{line: draw.LineStyle{Color: Muted, Width: 1, Dashes: dotted}}
	for _, c := range caps {
		reward.add(c.At, c.Reward)
		if c.Informative.Known() {
			teach.add(c.At, c.Informative)
		}
		cut.x, cut.y = append(cut.x, c.At), append(cut.y, *c.Cut.Value)
	}
	for _, values := range [][]float64{reward.y, reward.lo, reward.hi} { // as shares of the range
		for i := range values {
			values[i] = (values[i] - r.RewardRange[0]) / r.Range().Width()
		}
	}
	p := newPlot(q.axis.In(l), l.Text("chart.share", "share"))
	shareAxis(p)
	from, to := caps[0].At, caps[len(caps)-1].At
	within := w.Limit != nil && *w.Limit <= 2*to
	if within {
		to = math.Max(to, *w.Limit)
	}
	q.span(l, p, from, to)
	p.Add(cut, teach, reward)
	if within {
		var avoid []float64
		for _, v := range []curve{reward, teach, cut} {
			for i, x := range v.x { // the label is next to the line, over some of its neighbours
				if math.Abs(x-*w.Limit) <= 0.3*(to-from) {
					avoid = append(avoid, v.y[i])
				}
			}
			if v.lo != nil {
				avoid = append(avoid, around(v, *w.Limit)...)
			}
		}
		p.Add(rule{
			value: *w.Limit, upward: true, left: *w.Limit > (from+to)/2,
			label: l.Say("chart.limit.now", "limit now %s", message.Digits(*w.Limit)),
			avoid: avoid,
			line:  draw.LineStyle{Color: Ink, Width: 0.8, Dashes: dashed},
		})
	}
	next := 0 // index into caps, which are in the order of the curves
	marks := columnsAt([]curve{reward, teach, cut}, func(x float64) []string {
		c := caps[next]
		next++
		return []string{
			message.Digits(x), cut.percentCell(x),
			message.Interval(c.Reward.Value, c.Reward.Low, c.Reward.High),
			message.Difference(c.Change.Value, c.Change.Low, c.Change.High), teach.percentCell(x),
		}
	})
	f := Figure{
		Plot: p,
		Table: Table{Columns: true, Marks: marks, Head: heads(l, q.axis.ID, q.axis.English, "chart.head.cut_off",
			"cut off", "chart.head.mean_reward", "mean reward", "chart.head.change", "change",
			"chart.head.groups_that_teach", "groups that teach")},
	}
	f.Title = l.Say("chart.limit.costs", "Every lower limit of %s costs reward", q.name(l))
	if c, ok := w.Tightest(r.Range()); slices.Max(reward.y) == 0 {
		f.Title = l.Say("chart.limit.nothing", "Rollouts earn nothing, so no limit of %s costs reward", q.name(l))
	} else if ok && c.At < to && c.Cut.Known() && c.Change.Known() {
		f.Title = l.Say("chart.limit.cost", "A limit of %s %s would cut %s of rollouts off and cost %s of reward",
			message.Digits(c.At), q.name(l), message.Percent(*c.Cut.Value), message.Digits(math.Abs(*c.Change.Value)))
	}
	if k := s.LimitOf(q.quantity); k.Cliff() { // what a lower limit would cut off earns little only because of this one
		f.Title = limitTitle(l, k)
	}
	f.Subtitle = l.Say("chart.cost.about", "%s: %s, n = %s", split, l.Count(w.Items, "item"), l.Count(w.N, "rollout")) +
		l.Text("chart.limit.records", "; from the records: rollouts cut off count at the bottom of the range, the "+
			"others keep their reward") + l.Text("chart.bands", "; bands: ") + intervals(r, caps[len(caps)-1].Reward)
	f.addEntry(l.Say("chart.limit.reward", "mean reward, from %s to %s", message.Digits(r.RewardRange[0]),
		message.Digits(r.RewardRange[1])), reward)
	if len(teach.x) > 0 {
		f.addEntry(l.Say("chart.limit.groups", "groups of %s that teach", message.Whole(w.GroupSize)), teach)
	}
	f.addEntry(l.Text("chart.limit.lost", "rollouts cut off"), cut)
	return f, nil
}
