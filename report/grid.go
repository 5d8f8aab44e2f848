package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// shownSplits lists the splits that were sampled, in order.
func shownSplits(r *analysis.Result) []rollout.Split {
	var out []rollout.Split
	for _, split := range rollout.Splits() {
		if r.Splits[split] != nil {
			out = append(out, split)
		}
	}
	return out
}

// useGrid shows a rollout's turns, calls, tokens, seconds and ending, by split. A row without any
// known value is left out.
func useGrid(r *analysis.Result, w *words) Grid {
	g := Grid{Head: []string{""}}
	for _, split := range shownSplits(r) {
		g.Head = append(g.Head, string(split))
	}
	const share = message.UnitShare
	seconds := func(p *float64) *stat.Estimate { return &stat.Estimate{Value: p} }
	for _, row := range []struct {
		name, unit string
		of         func(*analysis.SplitResult) *stat.Estimate
	}{
		{w.Use.Turns, "", func(s *analysis.SplitResult) *stat.Estimate { return &s.Turns }},
		{w.Use.Calls, "", func(s *analysis.SplitResult) *stat.Estimate { return &s.Tools.Calls }},
		{w.Use.P50, "", func(s *analysis.SplitResult) *stat.Estimate { return &s.Tools.P50 }},
		{w.Use.P95, "", func(s *analysis.SplitResult) *stat.Estimate { return &s.Tools.P95 }},
		{w.Use.P99, "", func(s *analysis.SplitResult) *stat.Estimate { return &s.Tools.P99 }},
		{w.Use.AtBudget, share, func(s *analysis.SplitResult) *stat.Estimate { return s.Tools.AtBudget }},
		{w.Use.Long, share, func(s *analysis.SplitResult) *stat.Estimate { return s.Tools.LongShare() }},
		{w.Use.Repeats, share, func(s *analysis.SplitResult) *stat.Estimate { return &s.Tools.Repeats }},
		{w.Use.Parallel, share, func(s *analysis.SplitResult) *stat.Estimate { return &s.Tools.Parallel }},
		{w.Use.Malformed, share, func(s *analysis.SplitResult) *stat.Estimate { return &s.Tools.Malformed }},
		{w.Use.Input, "", func(s *analysis.SplitResult) *stat.Estimate { return &s.Tokens.Input }},
		{w.Use.Output, "", func(s *analysis.SplitResult) *stat.Estimate { return &s.Tokens.Output }},
		{w.Use.Reasoning, "", func(s *analysis.SplitResult) *stat.Estimate { return s.Tokens.Reasoning }},
		{w.Use.Median, "seconds", func(s *analysis.SplitResult) *stat.Estimate { return seconds(s.Latency.P50) }},
		{w.Use.Slow, "seconds", func(s *analysis.SplitResult) *stat.Estimate { return seconds(s.Latency.P95) }},
		{w.Use.OverLimit, share, func(s *analysis.SplitResult) *stat.Estimate { return s.Latency.OverLimit }},
		{w.Use.NoAnswer, share, func(s *analysis.SplitResult) *stat.Estimate { return s.Ends.NoAnswer }},
		{w.Use.CutOff, share, func(s *analysis.SplitResult) *stat.Estimate { return s.Ends.CutOff }},
		{w.Use.Refused, share, func(s *analysis.SplitResult) *stat.Estimate { return s.Ends.Refused }},
	} {
		cells, known := []string{row.name}, false
		for _, split := range shownSplits(r) {
			cell := "–"
			if e := row.of(r.Splits[split]); e != nil && e.Known() {
				cell, known = message.IntervalIn(row.unit, e.Value, e.Low, e.High), true
				if row.unit == "seconds" {
					cell = fmt.Sprintf(w.Use.Seconds, cell)
				}
			}
			cells = append(cells, cell)
		}
		if known {
			g.Rows = append(g.Rows, cells)
		}
	}
	return g
}

// toolGrid is what each tool did in each split, the tool with most calls first, and
// what it must bear in training.
func toolGrid(r *analysis.Result, w *words) Grid {
	g := Grid{Title: w.Use.ByTool, Head: w.Use.ToolHead, Most: 16}
	calls := map[string]int{}
	for _, split := range shownSplits(r) {
		for name, t := range r.Splits[split].Tools.ByTool {
			calls[name] += t.Calls
		}
	}
	var load map[string]stat.Estimate
	if r.Plan != nil && r.Plan.PeakRPS != nil {
		load = r.Plan.PeakRPS.Tools
	}
	if len(load) == 0 {
		g.Head = g.Head[:len(g.Head)-1]
	}
	for _, name := range slices.SortedFunc(maps.Keys(calls), func(a, b string) int {
		return cmp.Or(cmp.Compare(calls[b], calls[a]), cmp.Compare(a, b))
	}) {
		for _, split := range shownSplits(r) {
			t, called := r.Splits[split].Tools.ByTool[name]
			if !called {
				continue
			}
			bears := ""
			if split == rollout.Train {
				bears = planned(load[name])
			}
			row := []string{
				id(name), string(split), message.Whole(t.Calls), message.Whole(t.Errors), message.Whole(t.Failed),
				message.Whole(t.Malformed),
				message.DigitsOf(t.P50), message.DigitsOf(t.P95), message.DigitsOf(t.OutputTokensP95), bears,
			}
			g.Rows = append(g.Rows, row[:len(g.Head)])
		}
	}
	if len(g.Rows) > 0 {
		g.Notes = []string{w.Use.TokensEstimated}
	}
	return g
}

// planGrid shows the cost of a step and an epoch of training.
func planGrid(r *analysis.Result, w *words) Grid {
	g := Grid{Title: w.Plan.Title, Head: []string{"", w.Plan.Step, w.Plan.Epoch}}
	p := r.Plan
	if p == nil {
		return g
	}
	if p.MinGroupSize != nil {
		g.Notes = append(g.Notes, fmt.Sprintf(w.Plan.Smallest, message.Whole(*p.MinGroupSize),
			message.Percent(p.WantedShare)))
	}
	for _, note := range p.Assumptions {
		g.Notes = append(g.Notes, w.say(note))
	}
	if p.PerStep == nil || p.PerEpoch == nil {
		g.Head = g.Head[:1]
		g.Rows = [][]string{{fmt.Sprintf(w.Plan.GroupOnly, message.Whole(p.GroupSize))}}
		return g
	}
	costs := []*analysis.PlanCost{p.PerStep, p.PerEpoch}
	if p.Evaluation != nil {
		g.Head, costs = append(g.Head, w.Plan.Evaluation), append(costs, p.Evaluation)
	}
	if p.Whole != nil {
		head := w.Plan.Whole
		if p.Evaluations > 0 {
			head = fmt.Sprintf(w.Plan.WholeWith, message.Whole(p.Evaluations))
		}
		g.Head, costs = append(g.Head, head), append(costs, p.Whole)
	}
	known := func(e *stat.Estimate) stat.Estimate {
		if e == nil {
			return stat.Estimate{}
		}
		return *e
	}
	for _, row := range []struct {
		name string
		of   func(*analysis.PlanCost) stat.Estimate
	}{
		{w.Plan.Rollouts, func(c *analysis.PlanCost) stat.Estimate { return c.Rollouts }},
		{w.Plan.Informative, func(c *analysis.PlanCost) stat.Estimate { return c.InformativeGroups }},
		{w.Plan.ToolCalls, func(c *analysis.PlanCost) stat.Estimate { return c.ToolCalls }},
		{w.Plan.JudgeCalls, func(c *analysis.PlanCost) stat.Estimate { return c.JudgeCalls }},
		{w.Plan.Input, func(c *analysis.PlanCost) stat.Estimate { return c.InputTokens }},
		{w.Plan.Output, func(c *analysis.PlanCost) stat.Estimate { return c.OutputTokens }},
		{w.Plan.Money, func(c *analysis.PlanCost) stat.Estimate { return c.USD }},
		{w.Plan.Seconds, func(c *analysis.PlanCost) stat.Estimate { return c.SecondsMin }},
		{w.Plan.Trained, func(c *analysis.PlanCost) stat.Estimate { return known(c.TrainedTokens) }},
		{w.Plan.TrainerSeconds, func(c *analysis.PlanCost) stat.Estimate { return known(c.TrainerSeconds) }},
		{w.Plan.TrainerMoney, func(c *analysis.PlanCost) stat.Estimate { return known(c.TrainerUSD) }},
	} {
		if step := row.of(p.PerStep); !step.Known() {
			continue
		}
		cells := []string{row.name}
		for _, cost := range costs {
			cells = append(cells, planned(row.of(cost)))
		}
		g.Rows = append(g.Rows, cells)
	}
	for _, why := range p.PerStep.USD.Warnings {
		if p.PerStep.USD.Known() {
			g.Notes = append(g.Notes, w.named(w.Plan.Money, w.say(why)))
		} else {
			g.Notes = append(g.Notes, fmt.Sprintf(w.Plan.NoMoney, w.say(why)))
		}
	}
	return g
}

// sizeGrid shows the cost of a training step at other group sizes.
func sizeGrid(r *analysis.Result, w *words) Grid {
	g := Grid{Title: w.Plan.BySize, Head: w.Plan.SizeHead}
	if r.Plan == nil || len(r.Plan.BySize) < 2 {
		return Grid{}
	}
	money := slices.ContainsFunc(r.Plan.BySize, func(s analysis.PlanSize) bool { return s.USD.Known() })
	if !money {
		g.Head = g.Head[:len(g.Head)-1]
	}
	for _, s := range r.Plan.BySize {
		cells := []string{
			message.Whole(s.GroupSize), message.Whole(s.Rollouts), planned(s.Informative),
			planned(s.RolloutsPerOne), planned(s.SecondsMin), planned(s.USD),
		}
		g.Rows = append(g.Rows, cells[:len(g.Head)])
	}
	return g
}

// planned formats a figure of the plan, large ones in thousands or millions. A figure that follows
// from the plan alone has no interval to show.
func planned(e stat.Estimate) string {
	if e.SE != nil && *e.SE == 0 {
		e.Low, e.High = nil, nil
	}
	return message.Large(e.Value, e.Low, e.High)
}
