package chart

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

func drawToolCalls(r *analysis.Result) (*plot.Plot, error) {
	_, s, err := shown(r)
	if err != nil {
		return nil, err
	}
	h := s.Tools.Histogram
	switch {
	case sum(h.Counts) == 0 || len(h.Edges) != len(h.Counts)+1:
		return nil, noData(r.Lang, "no trace of tool calls was recorded with these rollouts")
	case s.Tools.Max == 0:
		return nil, noData(r.Lang, "no rollout called a tool")
	}
	p := newPlot(r.Lang.Text("tool calls of a rollout"), axis(r.Lang, "rollouts"))
	p.Add(callBars(h))
	countAxis(p, h.Counts)
	lo, hi := math.Ceil(h.Edges[0]), math.Ceil(h.Edges[len(h.Counts)-1])
	p95, budget := callRules(r.Lang, s)
	if budget != nil {
		hi = math.Max(hi, budget.at)
	}
	p.X.Min, p.X.Max = lo-0.6, hi+0.6
	p.X.Tick.Marker = between{ticks{want: 10, whole: true}, lo, hi}
	if budget != nil {
		p.Add(*budget)
	}
	if p95 != nil { // over the budget: where they coincide, its gaps show both
		p.Add(*p95)
	}
	return p, nil
}

// calls words a number of tool calls that need not be whole.
func calls(l message.Language, n float64) string {
	if text := message.Digits(n); text != "1" {
		return l.Say("%s tool calls", text)
	}
	return l.Count(1, "tool call")
}

func captionToolCalls(r *analysis.Result) Caption {
	split, s, _ := Shown(r)
	t := s.Tools
	l := r.Lang
	c := Caption{Title: l.Text("Tool calls per rollout"), Subtitle: counted(l, split, s)}
	if t.Calls.Known() && t.P95.Known() {
		c.Title = l.Say("A rollout makes %s on average; 95 %% make at most %s", calls(l, *t.Calls.Value), message.Digits(*t.P95.Value))
	}
	if t.Calls.Known() && t.Calls.Low != nil && t.Calls.High != nil {
		c.Subtitle += l.Say("; mean %s, P95 %s, %s", message.Interval(t.Calls.Value, t.Calls.Low, t.Calls.High), message.Interval(t.P95.Value, t.P95.Low, t.P95.High), intervals(r, t.P95))
	}
	c.Legend = []Entry{{l.Text("rollouts"), []plot.Thumbnailer{callBars(t.Histogram)}}}
	p95, budget := callRules(r.Lang, s)
	if p95 != nil {
		c.Legend = append(c.Legend, Entry{l.Say("P95: 95 %% of rollouts make at most %s", message.Digits(p95.at)), []plot.Thumbnailer{*p95}})
	}
	if budget != nil {
		words := l.Say("budget %s", message.Digits(budget.at))
		if t.OverBudget != nil {
			words += l.Say(", reached by %s of rollouts", message.Percent(*t.OverBudget))
		}
		c.Legend = append(c.Legend, Entry{words, []plot.Thumbnailer{*budget}})
	}
	return c
}

// callBars centres a bar on the count that its bin holds.
func callBars(h analysis.Histogram) bars {
	b := bars{fill: Sky}
	for i, n := range h.Counts {
		calls := math.Ceil(h.Edges[i])
		b.list = append(b.list, bar{calls - 0.44, calls + 0.44, 0, float64(n)})
	}
	return b
}

// callRules marks the 95th percentile and the budget; the budget's label
// stands lower, so that the two never share a line.
func callRules(l message.Language, s *analysis.SplitResult) (p95, budget *rule) {
	if s.Tools.P95.Known() {
		p95 = &rule{
			at: *s.Tools.P95.Value, upward: true, label: "P95 " + message.Digits(*s.Tools.P95.Value),
			line: draw.LineStyle{Color: Blue, Width: 1.2, Dashes: dashed},
		}
	}
	if s.Tools.Budget != nil {
		budget = &rule{
			at: float64(*s.Tools.Budget), upward: true, label: l.Say("budget %s", message.Whole(*s.Tools.Budget)), drop: 11,
			line: draw.LineStyle{Color: Red, Width: 1.4},
		}
	}
	return p95, budget
}
