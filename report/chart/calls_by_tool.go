package chart

import (
	"cmp"
	"maps"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// toolRows is how many tools one picture shows; the rest stand in one row.
const toolRows = 20

func drawCallsByTool(r *analysis.Result) (*plot.Plot, error) {
	_, s, err := shown(r)
	if err != nil {
		return nil, err
	}
	list := toolsOf(r.Lang, s)
	switch {
	case len(list) == 0 && sum(s.Tools.Histogram.Counts) == 0:
		return nil, noData(r.Lang, "no trace of tool calls was recorded with these rollouts")
	case len(list) == 0:
		return nil, noData(r.Lang, "no rollout called a tool")
	}
	p := newPlot(axis(r.Lang, "tool calls"), "")
	names, total := make([]string, len(list)), totalCalls(list)
	for i, t := range list {
		names[i] = t.name
	}
	horizontal(p, names)
	for _, part := range callParts() {
		p.Add(part.bars(list))
	}
	var words labels
	for i, t := range list {
		text := r.Lang.Say("%s (%s)", message.Whole(t.Calls), message.Percent(float64(t.Calls)/float64(total)))
		if t.P95 != nil {
			text += r.Lang.Say(", 95 %% within %s s", message.Digits(*t.P95))
		}
		words = append(words, label{x: float64(t.Calls), y: row(i), dx: 4, yAlign: draw.YCenter, xAlign: draw.XLeft, color: Ink, text: text})
	}
	p.Add(words)
	most := 1
	for _, t := range list {
		most = max(most, t.Calls)
	}
	p.X.Min, p.X.Max = 0, float64(most)*1.7
	p.X.Tick.Marker = between{ticks{want: 5, whole: true}, 0, float64(most)}
	return p, nil
}

func captionCallsByTool(r *analysis.Result) Caption {
	split, s, _ := Shown(r)
	list := toolsOf(r.Lang, s)
	total, wrong := totalCalls(list), 0
	for _, t := range list {
		wrong += t.Errors + t.Malformed + t.Failed
	}
	l := r.Lang
	c := Caption{Title: l.Say("All calls go to %s", visibleName(list[0].name))}
	if len(list) > 1 {
		c.Title = l.Say("%s of calls go to %s", message.Percent(float64(list[0].Calls)/float64(total)), visibleName(list[0].name))
	}
	if wrong == 0 {
		c.Title += l.Text("; every call was answered")
	} else {
		c.Title += l.Say("; %s of all calls went wrong", message.Percent(float64(wrong)/float64(total)))
	}
	c.Subtitle = l.Say("%s: n = %s of %s; as counted, no interval", split, l.Count(total, "call"), l.Count(s.Reward.N+s.Missing.Total(), "rollout"))
	if m := s.Tools.Malformed; m.Known() {
		c.Subtitle += l.Say("; malformed: %s of calls, %s", percentInterval(m), intervals(r, m))
	}
	for _, part := range callParts() {
		if len(part.bars(list).list) > 0 {
			c.Legend = append(c.Legend, Entry{l.Text(part.words), []plot.Thumbnailer{part.bars(list)}})
		}
	}
	return c
}

func tableCallsByTool(r *analysis.Result) Table {
	_, s, _ := Shown(r)
	list := toolsOf(r.Lang, s)
	seconds := func(x *float64) string {
		if x == nil {
			return ""
		}
		return message.Digits(*x)
	}
	t := Table{Head: heads(r.Lang, "tool", "calls", "share", "refused", "malformed", "failed", "P50 s", "P95 s")}
	total := totalCalls(list)
	for i, one := range list {
		t.Marks = append(t.Marks, Mark{
			Cells: []string{
				one.name, message.Whole(one.Calls), message.Percent(float64(one.Calls) / float64(total)), message.Whole(one.Errors), message.Whole(one.Malformed), message.Whole(one.Failed),
				seconds(one.P50), seconds(one.P95),
			},
			X1: float64(one.Calls), Y0: row(i) - 0.5, Y1: row(i) + 0.5, Dots: []Dot{{float64(one.Calls), row(i)}},
		})
	}
	return t
}

// callsByToolHeight gives every tool its room.
func callsByToolHeight(r *analysis.Result) vg.Length {
	_, s, ok := Shown(r)
	if !ok {
		return Height
	}
	const around, pitch vg.Length = 112, 20
	return max(Height*0.68, around+pitch*vg.Length(len(toolsOf(r.Lang, s))))
}

// tool is a tool with its calls.
type tool struct {
	name string
	analysis.ToolStat
}

// toolsOf lists the tools that were called, the most called first; those past
// toolRows are added up.
func toolsOf(l message.Language, s *analysis.SplitResult) []tool {
	var list []tool
	for _, name := range slices.Sorted(maps.Keys(s.Tools.ByTool)) {
		if t := s.Tools.ByTool[name]; t.Calls > 0 {
			list = append(list, tool{cmp.Or(name, l.Text("(without a name)")), t})
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

func totalCalls(list []tool) int {
	total := 0
	for _, t := range list {
		total += t.Calls
	}
	return total
}

// callPart is what became of some calls: a part of each bar.
type callPart struct {
	words string
	look  bars
	count func(analysis.ToolStat) int
}

// callParts lists what became of calls, from the left. Hatches and lightness
// tell them apart in grey.
func callParts() []callPart {
	return []callPart{
		{"answered", bars{fill: Sky}, func(t analysis.ToolStat) int { return max(0, t.Calls-t.Errors-t.Malformed-t.Failed) }},
		{
			"refused by the tool",
			bars{fill: tint(Orange, 0.35), hatch: hatch{color: Orange, width: 0.6, space: 3.5}},
			func(t analysis.ToolStat) int { return t.Errors },
		},
		{
			"malformed: unknown tool or arguments",
			bars{fill: Grid, hatch: hatch{color: Muted, width: 0.6, space: 3.5, back: true}},
			func(t analysis.ToolStat) int { return t.Malformed },
		},
		{"failed, which ended the rollout", bars{fill: Charred}, func(t analysis.ToolStat) int { return t.Failed }},
	}
}

// bars are this part of every tool's bar.
func (part callPart) bars(list []tool) bars {
	b := part.look
	for i, t := range list {
		from := 0
		for _, other := range callParts() {
			n := other.count(t.ToolStat)
			if other.words == part.words && n > 0 {
				b.list = append(b.list, bar{float64(from), float64(from + n), row(i) - 0.32, row(i) + 0.32})
			}
			from += n
		}
	}
	return b
}
