package chart

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

func drawRewards(r *analysis.Result, split rollout.Split, s *analysis.SplitResult) (Figure, error) {
	l, h := r.Lang, s.Reward.Histogram
	total := float64(sum(h.Counts))
	if total == 0 || len(h.Edges) != len(h.Counts)+1 {
		return noData(l, "chart.no_rollout_has_a_reward", "no rollout has a reward")
	}
	b := bars{fill: Sky}
	t := Table{Columns: true, Head: heads(l, "chart.head.reward", "reward", "chart.head.rollouts", "rollouts", "chart.head.share", "share")}
	for i, n := range h.Counts {
		from, to := h.Edges[i], h.Edges[i+1]
		gap := (to - from) * 0.04
		b.list = append(b.list, bar{from + gap, to - gap, 0, float64(n)})
		t.Marks = append(t.Marks, Mark{
			Cells: []string{message.Digits(from) + " – " + message.Digits(to), message.Whole(n), message.Percent(float64(n) / total)},
			X0:    from, X1: to, Y1: float64(n),
		})
	}
	p := newPlot(l.Text("chart.reward", "reward"), l.Text("chart.axis.rollouts", "rollouts"))
	p.Add(b)
	last := len(h.Counts) - 1
	lo, hi := rewardRange(r)
	atEnds := h.Edges[0] <= lo && h.Edges[last+1] >= hi && last > 0
	lo, hi = math.Min(lo, h.Edges[0]), math.Max(hi, h.Edges[last+1])
	pad := (hi - lo) * 0.012
	p.X.Min, p.X.Max = lo-pad, hi+pad
	p.X.Tick.Marker = between{ticks{want: 6}, lo, hi}
	countAxis(p, h.Counts)
	f := Figure{Plot: p, Table: t}
	f.Legend = []Entry{{l.Text("chart.rollouts", "rollouts"), []plot.Thumbnailer{b}}}
	if mean := s.Reward.Value; mean != nil {
		line := rule{at: *mean, upward: true, label: l.Say("chart.mean_is", "mean %s", message.Digits(*mean)), left: *mean > lo+(hi-lo)*0.6, line: draw.LineStyle{Color: Blue, Width: 1.2}}
		p.Add(line)
		f.Legend = append(f.Legend, Entry{l.Say("chart.mean_over_items", "mean over items %s", message.Interval(mean, s.Reward.Low, s.Reward.High)), []plot.Thumbnailer{line}})
	}
	f.Subtitle = counted(l, split, s) + l.Say("chart.bars_wide_the_model_own_failures", "; bars %s wide; the model's own failures count at the bottom", message.Digits(h.Edges[1]-h.Edges[0]))
	low, high := float64(h.Counts[0])/total, float64(h.Counts[last])/total
	switch {
	case !atEnds:
		f.Title = l.Say("chart.rewards_on_are_between_and", "Rewards on %s are between %s and %s", split, message.Digits(h.Edges[0]), message.Digits(h.Edges[last+1]))
	case low+high == 0:
		f.Title = l.Say("chart.no_reward_is_at_either_end", "No %s reward is at either end of the range", split)
	case low+high >= 0.999:
		f.Title = l.Say("chart.all_or_nothing_of_rewards_at", "All or nothing: %s of %s rewards at the bottom of the range, %s at the top", message.Percent(low), split, message.Percent(high))
	default:
		f.Title = l.Say("chart.of_rewards_are_in_the_lowest", "%s of %s rewards are in the lowest bar, %s in the highest", message.Percent(low), split, message.Percent(high))
	}
	return f, nil
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
