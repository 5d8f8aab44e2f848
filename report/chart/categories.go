package chart

import (
	"cmp"
	"slices"
	"sort"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot/vg/draw"
)

// itemGroup holds the measured items of one category or family.
type itemGroup struct {
	name   string
	means  []float64
	n      int // rollouts
	mixed  int
	reward stat.Estimate
}

// chart shows what each group of a kind earns.
func (g groups) chart(name, doc, read string) Chart {
	return Chart{
		Name: name, Doc: doc, Read: read, Draw: ofSplit(g.drawRewards), OnRewards: true,
		Only: func(r *analysis.Result) bool {
			_, s, ok := ShownSplit(r)
			return ok && len(slices.DeleteFunc(g.items(r, s), few)) > 1
		},
	}
}

// few reports whether a group has too few items to show anything.
func few(group itemGroup) bool { return len(group.means) < 3 }

// items returns the groups, the lowest mean first. Items without a name are left out.
func (g groups) items(r *analysis.Result, s *analysis.SplitResult) []itemGroup {
	index := map[string]int{}
	var list []itemGroup
	for _, it := range s.Classes.Items {
		name := g.label(&it)
		if it.Mean == nil || name == "" {
			continue
		}
		if _, ok := index[name]; !ok {
			index[name] = len(list)
			list = append(list, itemGroup{name: name})
		}
		one := &list[index[name]]
		one.means, one.n, one.mixed = append(one.means, *it.Mean), one.n+it.N, one.mixed+b2i(it.Class == analysis.Mixed)
	}
	for i := range list {
		one := &list[i]
		mean, _ := stat.MeanVariance(one.means)
		one.reward = stat.Estimate{Value: &mean}
		if lo, hi := rewardRange(r); r.Confidence > 0 && r.Confidence < 1 && slices.Min(one.means) >= lo &&
			slices.Max(one.means) <= hi {
			one.reward = stat.ItemMeans(one.means, nil, one.n, &stat.Range{Lo: lo, Hi: hi}, r.Confidence,
				"mean over items")
		}
	}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(*a.reward.Value, *b.reward.Value), cmp.Compare(a.name, b.name)) < 0
	})
	return list
}

func (g groups) drawRewards(r *analysis.Result, split rollout.Split, s *analysis.SplitResult) (Figure, error) {
	l, list := r.Lang, g.items(r, s)
	if len(list) == 0 {
		return noData(l, g.unnamed.ID, g.unnamed.English)
	}
	small := len(list)
	if list = slices.DeleteFunc(list, few); len(list) == 0 {
		return noData(l, "chart.group.few", "no group has 3 items or more, and fewer show nothing")
	}
	small -= len(list)
	var d dotRows
	hidden := max(0, len(list)-2*groupEnds)
	for i, one := range list {
		items := message.Whole(len(one.means))
		v := dotRow{
			name: l.Say("chart.group.name", "%s (%s)", one.name, items), look: discLook,
			hidden: i >= groupEnds && i < groupEnds+hidden,
			text:   message.Digits(*one.reward.Value),
			cells: []string{
				one.name, items, message.Interval(one.reward.Value, one.reward.Low, one.reward.High),
				message.Percent(float64(one.mixed) / float64(len(one.means))),
			},
		}
		v.place(one.reward)
		d.list = append(d.list, v)
	}
	lo, hi := rewardRange(r)
	lo, hi = d.span(lo, hi)
	pad := (hi - lo) * 0.012
	f := d.figure(l.Text("chart.mean_reward", "mean reward"), lo-pad, hi+pad, 0.09, 16)
	f.Height = max(Height*0.75, f.Height)
	f.Table.Head, f.Table.Filter = append([]string{g.kind.In(l)},
		heads(l, "chart.head.items", "items", "chart.head.mean_reward", "mean reward", "chart.head.mixed",
			"mixed")...), true
	first, last := list[0], list[len(list)-1]
	f.Title = l.Say("chart.group.title", "Of %s, %s earns least (%s) and %s most (%s)", g.count(len(list), l),
		first.name, message.Digits(*first.reward.Value), last.name, message.Digits(*last.reward.Value))
	if lowest := message.Digits(*first.reward.Value); lowest == message.Digits(*last.reward.Value) {
		f.Title = l.Say("chart.group.alike", "Each of %s earns %s", g.count(len(list), l), lowest)
	}
	f.Subtitle = phrases(l, counted(l, split, s),
		when(first.reward.Low != nil, l.Say("chart.bars", "bars: %s", intervals(r, first.reward))),
		l.Text("chart.group.as_seen", "as seen in these samples: not tested against each other"), g.between(l, hidden),
		when(small > 0, l.Say("chart.group.left_out", "%s of fewer than 3 items left out", g.count(small, l))))
	f.addEntry(l.Text("chart.group.mean", "mean over its items (their number)"), discLook)
	if mean := s.Reward.Value; mean != nil {
		line := rule{value: *mean, upward: true, line: draw.LineStyle{Color: Muted, Width: 0.9, Dashes: dashed}}
		f.Plot.Add(line)
		f.addEntry(l.Say("chart.mean.all", "mean of all: %s", message.Digits(*mean)), line)
	}
	return f, nil
}
