package chart

import (
	"math"
	"slices"
	"strings"

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
		return noData(l, "chart.no.reward", "no rollout has a reward")
	}
	b, marks := rewardBins(h, total)
	if len(h.Values) > 0 && len(h.ValueCounts) == len(h.Values) {
		b, marks = rewardValues(r, h, total)
	} else {
		h.Values = nil
	}
	t := Table{Columns: true, Head: heads(l, "chart.head.reward", "reward", "chart.head.rollouts", "rollouts",
		"chart.head.share", "share"), Marks: marks}
	p := newPlot(l.Text("chart.reward", "reward"), l.Text("chart.axis.rollouts", "rollouts"))
	p.Add(b)
	last := len(h.Counts) - 1
	lo, hi := rewardRange(r)
	atEnds := h.Edges[0] <= lo && h.Edges[last+1] >= hi && last > 0
	lo, hi = math.Min(lo, h.Edges[0]), math.Max(hi, h.Edges[last+1])
	pad := (hi - lo) * 0.012
	if h.Values != nil { // half of the bars at the ends is outside the range
		pad = (hi - lo) * 0.035
	}
	p.X.Min, p.X.Max = lo-pad, hi+pad
	p.X.Tick.Marker = between(roundTicks{Want: 6}, lo, hi)
	if counts := h.ValueCounts; h.Values != nil {
		countAxis(p, counts)
	} else {
		countAxis(p, h.Counts)
	}
	f := Figure{Plot: p, Table: t}
	f.addEntry(l.Text("chart.rollouts", "rollouts"), b)
	if mean := s.Reward.Value; mean != nil {
		line := rule{
			value: *mean, upward: true, label: l.Say("chart.rewards.mean", "mean %s", message.Digits(*mean)),
			left: *mean > lo+(hi-lo)*0.6, line: draw.LineStyle{Color: Blue, Width: 1.2},
		}
		p.Add(line)
		f.addEntry(l.Say("chart.rewards.item_mean", "mean over items %s",
			message.Interval(mean, s.Reward.Low, s.Reward.High)), line)
	}
	f.Subtitle = counted(l, split, s)
	low, high := float64(h.Counts[0])/total, float64(h.Counts[last])/total
	if n := len(h.Values); n > 0 {
		f.Subtitle += l.Text("chart.rewards.each",
			"; a bar for each reward; without an answer the lowest counts")
		f.Title = valuesTitle(l, split, h, total)
		if lo, hi := rewardRange(r); n == 2 && h.Values[0] == lo && h.Values[1] == hi {
			f.Title = l.Say("chart.rewards.ends",
				"All or nothing: %s of %s rewards at the bottom of the range, %s at the "+
					"top", message.Percent(low), split,
				message.Percent(high))
		}
		return f, nil
	}
	f.Subtitle += l.Say("chart.rewards.bars",
		"; bars %s wide; without an answer the lowest counts", message.Digits(h.Edges[1]-h.Edges[0]))
	switch {
	case !atEnds:
		f.Title = l.Say("chart.rewards.range", "Rewards on %s are between %s and %s", split,
			message.Digits(h.Edges[0]), message.Digits(h.Edges[last+1]))
	case low+high == 0:
		f.Title = l.Say("chart.rewards.inside", "No %s reward is at either end of the range", split)
	default:
		f.Title = l.Say("chart.rewards.bins", "%s of %s rewards are in the lowest bin, %s in the highest",
			message.Percent(low), split, message.Percent(high))
	}
	return f, nil
}

// rewardBins returns a bar for each bin.
func rewardBins(h analysis.Histogram, total float64) (bars, []Mark) {
	b := bars{fill: Sky}
	var marks []Mark
	for i, n := range h.Counts {
		from, to := h.Edges[i], h.Edges[i+1]
		gap := (to - from) * 0.04
		b.list = append(b.list, bar{from + gap, to - gap, 0, float64(n)})
		marks = append(marks, upMark([]string{
			message.Digits(from) + " – " + message.Digits(to), message.Whole(n), message.Percent(float64(n) / total),
		}, from, to))
	}
	return b, marks
}

// rewardValues returns a bar for each reward, as wide as its neighbours leave room for.
func rewardValues(r *analysis.Result, h analysis.Histogram, total float64) (bars, []Mark) {
	lo, hi := rewardRange(r)
	half := (hi - lo) * 0.025
	for i := 1; i < len(h.Values); i++ {
		half = min(half, 0.45*(h.Values[i]-h.Values[i-1]))
	}
	b := bars{fill: Sky}
	var marks []Mark
	for i, x := range h.Values {
		n := h.ValueCounts[i]
		b.list = append(b.list, bar{x - half, x + half, 0, float64(n)})
		marks = append(marks, upMark([]string{
			message.Digits(x), message.Whole(n), message.Percent(float64(n) / total),
		}, x-half, x+half))
	}
	return b, marks
}

// valuesTitle lists the rewards with their shares; of more than four only the lowest and the highest.
func valuesTitle(l message.Language, split rollout.Split, h analysis.Histogram, total float64) string {
	said := func(i int) string {
		return l.Say("sign.bracketed", "%s (%s)", message.Digits(h.Values[i]),
			message.Percent(float64(h.ValueCounts[i])/total))
	}
	last := len(h.Values) - 1
	if last > 3 {
		return l.Say("chart.rewards.values", "%s on %s, from %s to %s", l.Count(last+1, "different reward"),
			split, said(0), said(last))
	}
	var list []string
	for i := range h.Values {
		list = append(list, said(i))
	}
	return l.Say("chart.rewards.few", "Rewards on %s: %s", split, strings.Join(list, l.Text("sign.list", ", ")))
}

// callAxis makes X count tool calls, with a margin for the bars at both ends.
func callAxis(p *plot.Plot, from, to float64) {
	p.X.Min, p.X.Max = from-0.6, to+0.6
	p.X.Tick.Marker = between(roundTicks{Want: 10, Whole: true}, from, to)
}

// countAxis makes Y count from zero, with headroom for labels.
func countAxis(p *plot.Plot, counts []int) {
	top := 1
	for _, n := range counts {
		top = max(top, n)
	}
	p.Y.Min, p.Y.Max = 0, float64(top)*1.12
	p.Y.Tick.Marker = roundTicks{Want: 5, Whole: true}
}

func sum(counts []int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

func drawToolCalls(r *analysis.Result, split rollout.Split, s *analysis.SplitResult) (Figure, error) {
	l, t, h := r.Lang, s.Tools, s.Tools.Histogram
	total := sum(h.Counts)
	switch {
	case total == 0 || len(h.Edges) != len(h.Counts)+1:
		return noData(l, "chart.calls.untraced", "no trace of tool calls was recorded with these rollouts")
	case t.Max == 0:
		return noData(l, "chart.calls.none", "no rollout called a tool")
	}
	b := bars{fill: Sky} // each centred on the number of calls of its bin
	table := Table{Columns: true, Head: heads(l, "chart.head.tool_calls", "tool calls", "chart.head.rollouts",
		"rollouts", "chart.head.share", "share")}
	for i, n := range h.Counts {
		calls := math.Ceil(h.Edges[i])
		b.list = append(b.list, bar{calls - 0.44, calls + 0.44, 0, float64(n)})
		table.Marks = append(table.Marks, Mark{
			Cells: []string{message.Digits(calls), message.Whole(n), message.Percent(float64(n) / float64(total))},
			X0:    calls - 0.5, X1: calls + 0.5, Y1: float64(n),
		})
	}
	p := newPlot(l.Text("chart.cost.calls", "tool calls of a rollout"), l.Text("chart.axis.rollouts", "rollouts"))
	p.Add(b)
	tools, highest := callsOfTools(l, s, &table)
	for _, one := range tools {
		p.Add(one.line)
	}
	countAxis(p, append(highest, h.Counts...))
	lo, hi := math.Ceil(h.Edges[0]), math.Ceil(h.Edges[len(h.Counts)-1])
	f := Figure{Plot: p, Table: table}
	f.Title, f.Subtitle = l.Text("chart.uses.heading", "Tool calls per rollout"), counted(l, split, s)
	f.addEntry(l.Text("chart.rollouts", "rollouts"), b)
	if t.Calls.Known() && t.P95.Known() {
		f.Title = l.Say("chart.uses.mean", "A rollout makes %s on average; 95 %% make at most %s",
			calls(l, *t.Calls.Value), message.Digits(*t.P95.Value))
	}
	if t.Calls.Known() && t.Calls.Low != nil && t.Calls.High != nil {
		f.Subtitle += l.Say("chart.uses.about", "; mean %s, P95 %s, %s",
			message.Interval(t.Calls.Value, t.Calls.Low, t.Calls.High),
			message.Interval(t.P95.Value, t.P95.Low, t.P95.High), intervals(r, t.P95))
	}
	var budget []Entry
	if t.Budget != nil { // its label is lower than the P95 label, so they never overlap
		limit := message.Whole(*t.Budget)
		line := rule{
			value: float64(*t.Budget), upward: true, label: l.Say("chart.budget", "budget %s", limit), drop: 11,
			line: draw.LineStyle{Color: Red, Width: 1.4},
		}
		hi = math.Max(hi, line.value)
		p.Add(line)
		words := line.label
		if t.OverBudget != nil {
			words += l.Say("chart.budget.reached", ", reached by %s of rollouts", message.Percent(*t.OverBudget))
		}
		budget = []Entry{entry(words, line)}
	}
	if t.P95.Known() { // drawn over the budget: if they coincide, the gaps between the dashes show both
		p95 := message.Digits(*t.P95.Value)
		line := rule{
			value: *t.P95.Value, upward: true, label: "P95 " + p95,
			line: draw.LineStyle{Color: Blue, Width: 1.2, Dashes: dashed},
		}
		p.Add(line)
		f.addEntry(l.Say("chart.uses.p95", "P95: 95 %% of rollouts make at most %s", p95), line)
	}
	f.Legend = append(f.Legend, budget...)
	f.Brief = f.Legend
	for _, one := range tools {
		f.addEntry(one.words, one.line)
	}
	callAxis(p, lo, hi)
	return f, nil
}

// toolLine is the curve of how many calls rollouts make to one tool.
type toolLine struct {
	line  curve
	words string
}

// callsOfTools returns the lines of the tools called most and their highest points, and adds a
// column for each to the table. It returns none if fewer than two tools were called.
func callsOfTools(l message.Language, s *analysis.SplitResult, table *Table) (lines []toolLine, highest []int) {
	tools, edges := toolsOf(l, s), s.Tools.Histogram.Edges
	if len(tools) < 2 {
		return nil, nil
	}
	for i, t := range tools[:min(len(tools), 3)] {
		if len(t.PerRollout) != len(table.Marks) {
			continue
		}
		look := loadStyles[i+1] // the first style looks much like the P95 line
		one := toolLine{line: curve{line: draw.LineStyle{Color: look.color, Width: 1.5, Dashes: look.dashes}}}
		all, covered, within, most := sum(t.PerRollout), 0, -1.0, 0.0
		for k, n := range t.PerRollout {
			table.Marks[k].Cells = append(table.Marks[k].Cells, message.Whole(n))
			if covered == all {
				continue // the line ends where its rollouts do
			}
			one.line.x, one.line.y = append(one.line.x, edges[k], edges[k+1]),
				append(one.line.y, float64(n), float64(n))
			covered, most = covered+n, math.Floor(edges[k+1])
			if within < 0 && float64(covered) >= 0.95*float64(all) {
				within = most
			}
		}
		name := visibleName(t.name)
		one.words = l.Say("chart.uses.tool", "%s: P95 %s, maximum %s", name, message.Digits(within),
			message.Digits(most))
		table.Head, highest = append(table.Head, name), append(highest, slices.Max(t.PerRollout))
		lines = append(lines, one)
	}
	return lines, highest
}

// calls returns a number of tool calls in words; it need not be whole.
func calls(l message.Language, n float64) string {
	return toolCalls.In(l, message.Args{"n": message.Number(n)})
}

var toolCalls = message.New("chart.tool_calls", "{n|tool call}")
