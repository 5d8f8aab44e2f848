package chart

import (
	"cmp"
	"math"
	"sort"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// columns is the maximum number of marks side by side. More items than crowded are drawn as means
// of neighbours: one mark per item would blur into a block.
const (
	crowded = 400
	columns = 100
)

func drawVariance(r *analysis.Result, split rollout.Split, s *analysis.SplitResult) (Figure, error) {
	l, items := r.Lang, measured(s)
	if len(items) == 0 {
		return noData(l, "chart.no.reward", "no rollout has a reward")
	}
	m := varianceMarks(r, items)
	p := newPlot(m.xLabel, l.Text("chart.reward", "reward"))
	p.Add(m.bars)
	spread := plot.Thumbnailer(m.sigma)
	if m.band != nil {
		p.Add(*m.band)
		spread = curve{lo: m.band.lo, band: m.band.band}
	} else {
		p.Add(m.sigma)
	}
	p.Add(m.best)
	if line, ok := ceilingLine(r); ok {
		p.Add(line)
	}
	n := float64(len(items))
	p.X.Min, p.X.Max = 0.5-n*0.005, n+0.5+n*0.005
	p.X.Tick.Marker = between(roundTicks{Want: 6, Whole: true}, 1, n)
	rewardAxis(p, r, m.low, m.high)
	mixed, classed := s.Classes.Counts[analysis.Mixed], 0
	for _, it := range items {
		classed += b2i(it.Class != analysis.Unclassed)
	}
	f := Figure{Plot: p, Table: Table{Columns: true, Items: true, Count: len(items), Each: m.each}}
	f.Subtitle = counted(l, split, s) + l.Text("chart.variance.sorted",
		"; sorted by mean reward; standard deviations with n − 1")
	switch {
	case classed == 0:
		f.Title = l.Text("chart.variance.single",
			"One sample per item: how much samples of an item differ is not known")
	case mixed == 0:
		f.Title = l.Say("chart.variance.none", "Samples differ in reward on none of %s",
			l.Count(classed, "item"))
	case mixed == classed && mixed > 1:
		f.Title = l.Say("chart.variance.all", "Samples differ in reward on all %s", l.Count(classed, "item"))
	default:
		f.Title = l.Say("chart.variance.some", "Samples differ in reward on %s of %s", message.Whole(mixed),
			l.Count(classed, "item"))
	}
	best := l.Say("chart.best_of", "best of %[1]s", samples(l, s.Samples))
	if m.each > 1 {
		best = l.Say("chart.variance.bests", "mean of the best of %[1]s", samples(l, s.Samples))
	}
	f.Legend = append([]Entry{
		entry(l.Text("chart.mean_reward", "mean reward"), m.bars),
		entry(l.Text("chart.variance.sd", "± 1 standard deviation"), spread),
		entry(best, m.best),
	}, ceilingEntry(r)...)
	return f, nil
}

// measured returns the items that have a mean, lowest first. Equal means are in order of item id,
// so that the picture is always the same.
func measured(s *analysis.SplitResult) []analysis.ItemResult {
	var items []analysis.ItemResult
	for _, it := range s.Classes.Items {
		if it.Mean != nil {
			items = append(items, it)
		}
	}
	sort.Slice(items, func(i, j int) bool {
		a, b := &items[i], &items[j]
		return cmp.Or(cmp.Compare(*a.Mean, *b.Mean), cmp.Compare(a.Item, b.Item)) < 0
	})
	return items
}

// variance holds the marks of the variance chart: one for each item, or one for every few
// neighbouring items.
type variance struct {
	reach  // the range of all marks
	bars   bars
	sigma  whiskers
	band   *curve // instead of sigma if items are pooled
	best   crosses
	each   int
	xLabel string
}

func varianceMarks(r *analysis.Result, items []analysis.ItemResult) variance {
	n := len(items)
	groups, each := n, 1
	if n > crowded {
		each = (n + columns - 1) / columns
		groups = (n + each - 1) / each
	}
	base := baseline(r)
	m := variance{each: each, reach: noReach()}
	m.bars.fill = Sky
	m.sigma.line = draw.LineStyle{Color: Steel, Width: 0.8}
	m.best = crosses{color: Red, slot: float64(each)}
	line := curve{line: draw.LineStyle{Color: Blue, Width: 1.2}, band: tint(Steel, 0.38)}
	gap := 0.1
	if n > 150 {
		gap, m.bars.joined = 0, true
	}
	for g := range groups {
		lo, hi := g*each, min((g+1)*each, n)
		mean, sd, best := average(items[lo:hi])
		x0, x1 := float64(lo)+0.5, float64(hi)+0.5
		x := (x0 + x1) / 2
		m.bars.list = append(m.bars.list, bar{x0 + gap, x1 - gap, base, mean})
		low, high := mean, mean
		if sd != nil {
			low, high = clip(r, mean-*sd), clip(r, mean+*sd)
			if each == 1 {
				m.sigma.put(x, mean, low, high)
			}
		}
		line.put(x, mean, low, high)
		if best != nil {
			m.best.x, m.best.y = append(m.best.x, x), append(m.best.y, *best)
			high = math.Max(high, *best)
		}
		m.add(low, high)
	}
	m.xLabel = r.Lang.Say("chart.variance.axis", "item, sorted by mean reward (%s)", r.Lang.Count(n, "item"))
	if each > 1 {
		m.band = &line
		m.xLabel = r.Lang.Say("chart.variance.axis_pooled",
			"item by mean reward (%s; a mark is the mean of %d)", r.Lang.Count(n, "item"), each)
	}
	return m
}

// average returns the means over items of their mean, standard deviation and best. sd or best is
// nil if no item has one.
func average(items []analysis.ItemResult) (mean float64, sd, best *float64) {
	var sds, bests []float64
	for _, it := range items {
		mean += *it.Mean
		if it.SD != nil {
			sds = append(sds, *it.SD)
		}
		if it.Best != nil {
			bests = append(bests, *it.Best)
		}
	}
	return mean / float64(len(items)), meanOf(sds), meanOf(bests)
}

func meanOf(x []float64) *float64 {
	if len(x) == 0 {
		return nil
	}
	mean, _ := stat.MeanVariance(x)
	return &mean
}
