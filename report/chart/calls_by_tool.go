package chart

import (
	"cmp"
	"maps"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/internal/glyph"
	"gonogo/sampler/rollout"

	"gonum.org/v1/plot/vg"
)

// toolRows is how many rows one picture has; the last one pools the remaining tools.
const toolRows = 20

// drawCallsByTool shows the calls of each tool, divided by how they ended.
func drawCallsByTool(r *analysis.Result, split rollout.Split, s *analysis.SplitResult) (Figure, error) {
	l, list := r.Lang, toolsOf(r.Lang, s)
	switch {
	case len(list) == 0 && sum(s.Tools.Histogram.Counts) == 0:
		return noData(l, "chart.calls.untraced", "no trace of tool calls was recorded with these rollouts")
	case len(list) == 0:
		return noData(l, "chart.calls.none", "no rollout called a tool")
	}
	total, wrong := 0, 0
	for _, t := range list {
		total, wrong = total+t.Calls, wrong+t.Errors+t.Malformed+t.Failed
	}
	seconds := func(x *float64) string {
		if x == nil {
			return ""
		}
		return message.Digits(*x)
	}
	f := Figure{Table: Table{Head: heads(l, "chart.head.tool", "tool", "chart.head.calls", "calls",
		"chart.head.share", "share", "chart.head.refused", "refused", "chart.head.malformed", "malformed",
		"chart.head.failed", "failed", "chart.head.p50_s", "P50 s", "chart.head.p95_s", "P95 s")}}
	// From left to right; hatches and lightness distinguish them in grey.
	parts := []part{
		{words: l.Text("chart.calls.answered", "answered"), bars: bars{fill: Sky}},
		{
			words: l.Text("chart.calls.refused", "refused by the tool"),
			bars:  faultBars,
		},
		{
			words: l.Text("chart.calls.malformed", "malformed: unknown tool or arguments"),
			bars:  bars{fill: Grid, hatch: glyph.Hatch{Color: Muted, Width: 0.6, Space: 3.5, Back: true}},
		},
		{words: l.Text("chart.calls.failed", "failed, which ended the rollout"), bars: bars{fill: Charred}},
	}
	var names []string
	var words labels
	for i, t := range list {
		counts := []int{max(0, t.Calls-t.Errors-t.Malformed-t.Failed), t.Errors, t.Malformed, t.Failed}
		stack(parts, i, func(k int) float64 { return float64(counts[k]) })
		share := message.Percent(float64(t.Calls) / float64(total))
		text := l.Say("sign.bracketed", "%s (%s)", message.Whole(t.Calls), share)
		short := text
		if t.P95 != nil {
			text += l.Say("chart.calls.p95", ", 95 %% within %s s", message.Digits(*t.P95))
		}
		names = append(names, t.name)
		end := beside(float64(t.Calls), row(i), text)
		end.short = short
		words = append(words, end)
		f.Table.Marks = append(f.Table.Marks, Mark{
			Cells: []string{
				t.name, message.Whole(t.Calls), share, message.Whole(t.Errors),
				message.Whole(t.Malformed), message.Whole(t.Failed), seconds(t.P50), seconds(t.P95),
			},
			X1: float64(t.Calls), Y0: row(i) - 0.5, Y1: row(i) + 0.5, Dots: []Dot{{float64(t.Calls), row(i)}},
		})
	}
	p := newPlot(l.Text("chart.axis.tool_calls", "tool calls"), "")
	horizontal(p, names)
	for _, one := range parts {
		p.Add(one.bars)
	}
	p.Add(words)
	most := 1
	for _, t := range list {
		most = max(most, t.Calls)
	}
	p.X.Min, p.X.Max = 0, float64(most)*1.7
	p.X.Tick.Marker = between(roundTicks{Want: 5, Whole: true}, 0, float64(most))
	const around, pitch vg.Length = 112, 20
	f.Plot, f.ends, f.Height = p, words.ends(), max(Height*0.68, around+pitch*vg.Length(len(list)))
	f.Title = l.Say("chart.calls.all", "All calls go to %s", visibleName(list[0].name))
	if len(list) > 1 {
		f.Title = l.Say("chart.calls.most", "%s of calls go to %s",
			message.Percent(float64(list[0].Calls)/float64(total)), visibleName(list[0].name))
	}
	if wrong == 0 {
		f.Title += l.Text("chart.calls.fine", "; every call was answered")
	} else {
		f.Title += l.Say("chart.calls.wrong", "; %s of all calls went wrong",
			message.Percent(float64(wrong)/float64(total)))
	}
	f.Subtitle = l.Say("chart.calls.about", "%s: n = %s of %s; as counted, no interval", split,
		l.Count(total, "call"), l.Count(s.Reward.N+s.Missing.Total(), "rollout"))
	if m := s.Tools.Malformed; m.Known() {
		f.Subtitle += l.Say("chart.calls.malformed_share", "; malformed: %s of calls, %s", percentInterval(m),
			intervals(r, m))
	}
	f.Legend = partLegend(parts)
	return f, nil
}

// part is one kind of bar segment.
type part struct {
	name, words string
	bars        bars
}

// stack appends a row of segments, one after the other; length returns how long each is.
func stack(parts []part, index int, length func(part int) float64) {
	from := 0.0
	for k := range parts {
		to := from + length(k)
		if to > from {
			parts[k].bars.list = append(parts[k].bars.list, bar{from, to, row(index) - 0.32, row(index) + 0.32})
		}
		from = to
	}
}

// partLegend names the parts that at least one row has.
func partLegend(parts []part) []Entry {
	var out []Entry
	for _, one := range parts {
		if len(one.bars.list) > 0 {
			out = append(out, entry(one.words, one.bars))
		}
	}
	return out
}

// tool is a tool with its calls.
type tool struct {
	name string
	analysis.ToolStat
}

// toolsOf lists the tools that were called, the most called first; the least called are pooled so
// that there are at most toolRows.
func toolsOf(l message.Language, s *analysis.SplitResult) []tool {
	var list []tool
	for _, name := range slices.Sorted(maps.Keys(s.Tools.ByTool)) {
		if t := s.Tools.ByTool[name]; t.Calls > 0 {
			list = append(list, tool{cmp.Or(name, l.Text("chart.calls.unnamed", "(without a name)")), t})
		}
	}
	slices.SortStableFunc(list, func(a, b tool) int { return cmp.Compare(b.Calls, a.Calls) })
	if len(list) <= toolRows {
		return list
	}
	rest := tool{name: l.Count(len(list)-toolRows+1, "other tool")}
	for _, t := range list[toolRows-1:] {
		rest.Calls += t.Calls
		rest.Errors += t.Errors
		rest.Malformed += t.Malformed
		rest.Failed += t.Failed
	}
	return append(list[:toolRows-1], rest)
}
