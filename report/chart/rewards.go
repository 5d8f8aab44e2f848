package chart

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

func drawRewards(r *analysis.Result) (*plot.Plot, error) {
	_, s, err := shown(r)
	if err != nil {
		return nil, err
	}
	h := s.Reward.Histogram
	total := sum(h.Counts)
	if total == 0 || len(h.Edges) != len(h.Counts)+1 {
		return nil, noData(r.Lang, "no rollout has a reward")
	}
	p := newPlot(r.Lang.Text("reward"), axis(r.Lang, "rollouts"))
	p.Add(rewardBars(h))
	lo, hi := rewardRange(r)
	lo, hi = math.Min(lo, h.Edges[0]), math.Max(hi, h.Edges[len(h.Edges)-1])
	pad := (hi - lo) * 0.012
	p.X.Min, p.X.Max = lo-pad, hi+pad
	p.X.Tick.Marker = between{ticks{want: 6}, lo, hi}
	countAxis(p, h.Counts)
	if s.Reward.Value != nil {
		p.Add(meanRule(*s.Reward.Value, r.Lang.Say("mean %s", message.Digits(*s.Reward.Value)), *s.Reward.Value > lo+(hi-lo)*0.6))
	}
	return p, nil
}

func captionRewards(r *analysis.Result) Caption {
	split, s, _ := Shown(r)
	h := s.Reward.Histogram
	total, last := float64(sum(h.Counts)), len(h.Counts)-1
	low, high := float64(h.Counts[0])/total, float64(h.Counts[last])/total
	l := r.Lang
	c := Caption{Subtitle: counted(l, split, s) + l.Say("; bars %s wide; the model's own failures count at the bottom", message.Digits(h.Edges[1]-h.Edges[0]))}
	lo, hi := rewardRange(r)
	atEnds := h.Edges[0] <= lo && h.Edges[last+1] >= hi && last > 0
	switch {
	case !atEnds:
		c.Title = l.Say("Rewards on %s are between %s and %s", split, message.Digits(h.Edges[0]), message.Digits(h.Edges[last+1]))
	case low+high == 0:
		c.Title = l.Say("No %s reward is at either end of the range", split)
	case low+high >= 0.999:
		c.Title = l.Say("All or nothing: %s of %s rewards at the bottom of the range, %s at the top", message.Percent(low), split, message.Percent(high))
	default:
		c.Title = l.Say("%s of %s rewards are in the lowest bar, %s in the highest", message.Percent(low), split, message.Percent(high))
	}
	c.Legend = []Entry{{l.Text("rollouts"), []plot.Thumbnailer{rewardBars(h)}}}
	if s.Reward.Value != nil {
		words := l.Say("mean over items %s", message.Interval(s.Reward.Value, s.Reward.Low, s.Reward.High))
		c.Legend = append(c.Legend, Entry{words, []plot.Thumbnailer{meanRule(0, "", false)}})
	}
	return c
}

func rewardBars(h analysis.Histogram) bars {
	b := bars{fill: Sky}
	for i, n := range h.Counts {
		gap := (h.Edges[i+1] - h.Edges[i]) * 0.04
		b.list = append(b.list, bar{h.Edges[i] + gap, h.Edges[i+1] - gap, 0, float64(n)})
	}
	return b
}

// meanRule marks a mean on the X axis.
func meanRule(at float64, label string, left bool) rule {
	return rule{at: at, upward: true, label: label, left: left, line: draw.LineStyle{Color: Blue, Width: 1.2}}
}

// countAxis makes Y count from zero, with headroom for labels.
func countAxis(p *plot.Plot, counts []int) {
	top := 1
	for _, n := range counts {
		top = max(top, n)
	}
	p.Y.Min, p.Y.Max = 0, float64(top)*1.12
	p.Y.Tick.Marker = ticks{want: 4, whole: true}
}

func sum(counts []int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}
