package measure

import (
	"fmt"
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// bytesPerToken estimates the tokens of tool outputs without a tokenizer: 4 bytes per token is
// usual for English text with current vocabularies.
const bytesPerToken = 4

var callsUnrecorded = message.New("measure.course_unknown", "the rollouts do not record turns and calls")

// toolUse measures how rollouts used their tools. Per-rollout figures are over valid rollouts,
// whose course only the model decided; per-tool figures are over all calls, including those that
// ended a rollout.
func (m *Split) toolUse() analysis.ToolUse {
	conf := m.s.Confidence
	perItem := m.callsPerRollout()
	all := flatten(perItem)
	h := countHistogram(all)
	u := analysis.ToolUse{
		Optional: m.s.ToolsOptional, ByTool: m.byTool(h, len(all)), Bigrams: m.bigrams(), Budget: m.budget,
		Calls:     perRollout(perItem, conf, "mean over items of tool calls per rollout"),
		P50:       stat.QuantileItems(perItem, 0.50, conf),
		P95:       stat.QuantileItems(perItem, 0.95, conf),
		P99:       stat.QuantileItems(perItem, 0.99, conf),
		Repeats:   m.share(conf, repeats),
		Parallel:  m.share(conf, parallelTurns),
		Malformed: m.share(conf, malformed),
		Histogram: h,
	}
	for _, it := range m.Items {
		for _, r := range it.Rows {
			if (it.Labels.Tools || r.Offered) && r.Observed {
				u.Offered++
			}
		}
	}
	if len(all) == 0 {
		u.Calls.Warnings = append(u.Calls.Warnings, callsUnrecorded.Text())
		return u
	}
	for _, c := range all {
		u.Max = max(u.Max, int(c))
	}
	if m.budget != nil {
		reached := m.share(conf, m.atBudget)
		u.AtBudget, u.OverBudget = &reached, reached.Value
	}
	u.Long = m.long()
	return u
}

// callsPerRollout returns the tool calls of each item's valid rollouts.
func (m *Split) callsPerRollout() [][]float64 {
	return m.perItem(func(r *collect.Row) (float64, bool) { return float64(len(r.Calls)), r.Valid && r.Observed })
}

// perItem collects one number per rollout, by item, from the rollouts for which f has one. Items
// without any are left out.
func (m *Split) perItem(f func(*collect.Row) (float64, bool)) [][]float64 {
	var out [][]float64
	for _, it := range m.Items {
		var xs []float64
		for _, r := range it.Rows {
			if x, ok := f(r); ok {
				xs = append(xs, x)
			}
		}
		if len(xs) > 0 {
			out = append(out, xs)
		}
	}
	return out
}

// perRollout returns the mean over items of an unbounded per-rollout quantity.
func perRollout(perItem [][]float64, conf float64, method string) stat.Estimate {
	e := stat.Mean(perItem, nil, conf)
	e.Method = method + "; " + e.Method
	return e
}

func flatten(perItem [][]float64) []float64 {
	var all []float64
	for _, xs := range perItem {
		all = append(all, xs...)
	}
	return all
}

// share returns a ratio of sums over items: f returns a rollout's numerator and denominator. A
// rollout with a denominator of 0 is not counted in n.
func (m *Split) share(conf float64, f func(*collect.Row) (num, den float64)) stat.Estimate {
	var nums, dens []float64
	n := 0
	for _, it := range m.Items {
		var num, den float64
		for _, r := range it.Rows {
			a, b := f(r)
			num, den = num+a, den+b
			if b > 0 {
				n++
			}
		}
		if den > 0 {
			nums, dens = append(nums, num), append(dens, den)
		}
	}
	return stat.RatioOfSums(nums, dens, n, conf)
}

// repeats counts calls that equal an earlier one of the same rollout.
func repeats(r *collect.Row) (num, den float64) {
	if r.OnlyCounted() {
		return 0, 0
	}
	seen := make(map[uint64]bool, len(r.Calls))
	for _, c := range r.Calls {
		if seen[c.Args] {
			num++
		}
		seen[c.Args] = true
	}
	return num, float64(len(r.Calls))
}

// parallelTurns counts turns with more than one call among those with any.
func parallelTurns(r *collect.Row) (num, den float64) {
	if r.OnlyCounted() {
		return 0, 0
	}
	perTurn := make(map[int32]int)
	for _, c := range r.Calls {
		perTurn[c.Turn]++
	}
	for _, n := range perTurn {
		if n > 1 {
			num++
		}
		den++
	}
	return num, den
}

func malformed(r *collect.Row) (num, den float64) {
	for _, c := range r.Calls {
		if c.Status() == rollout.CallMalformed {
			num++
		}
	}
	return num, float64(len(r.Calls))
}

// atBudget counts rollouts that reach the budget of calls.
func (m *Split) atBudget(r *collect.Row) (num, den float64) {
	switch {
	case !r.Valid || !r.Observed:
		return 0, 0
	case len(r.Calls) >= *m.budget:
		return 1, 1
	}
	return 0, 1
}

func (m *Split) byTool(all analysis.Histogram, rollouts int) map[string]analysis.ToolStat {
	type samples struct {
		stat    analysis.ToolStat
		seconds []float64
		bytes   []float64
	}
	tools := make([]samples, len(m.c.Tools))
	m.records(func(r *collect.Row) {
		if r.Valid && r.Observed {
			made := make(map[uint16]int)
			for _, c := range r.Calls {
				made[c.Tool]++
			}
			for tool, n := range made {
				t := &tools[tool].stat
				if t.PerRollout == nil { // the first rollout that calls it
					t.PerRollout = make([]int, len(all.Counts))
					t.PerRollout[0] = rollouts
				}
				t.PerRollout[0]--
				t.PerRollout[int(float64(n)/(all.Edges[1]-all.Edges[0]))]++
			}
		}
		for _, c := range r.Calls {
			t := &tools[c.Tool]
			t.stat.Calls++
			if c.NotText() {
				t.stat.NotText++
			}
			switch c.Status() {
			case rollout.CallError:
				t.stat.Errors++
			case rollout.CallFailed:
				t.stat.Failed++
			case rollout.CallMalformed:
				t.stat.Malformed++
				continue // the call never reached the tool
			}
			if c.Elapsed > 0 {
				t.seconds = append(t.seconds, float64(c.Elapsed))
			}
			if c.Status() != rollout.CallFailed {
				t.bytes = append(t.bytes, float64(c.Bytes))
			}
		}
	})
	out := make(map[string]analysis.ToolStat)
	for i, t := range tools {
		if t.stat.Calls == 0 {
			continue
		}
		if len(t.seconds) > 0 {
			t.stat.P50 = stat.FiniteOrNil(stat.Quantile(t.seconds, 0.5))
			t.stat.P95 = stat.FiniteOrNil(stat.Quantile(t.seconds, 0.95))
		}
		if len(t.bytes) > 0 && slices.Max(t.bytes) > 0 { // all are 0 for an import without outputs
			p95 := stat.Quantile(t.bytes, 0.95)
			t.stat.OutputBytesP95 = stat.FiniteOrNil(p95)
			t.stat.OutputTokensP95 = stat.FiniteOrNil(p95 / bytesPerToken)
		}
		out[m.c.Tools[i]] = t.stat
	}
	return out
}

func (m *Split) bigrams() map[string]int {
	out := make(map[string]int)
	m.records(func(r *collect.Row) {
		if r.OnlyCounted() {
			return
		}
		for i := 1; i < len(r.Calls); i++ {
			out[fmt.Sprintf("%s>%s", m.c.Tools[r.Calls[i-1].Tool], m.c.Tools[r.Calls[i].Tool])]++
		}
	})
	return out
}

// countHistogramBins is the maximum number of bins of a histogram of counts; beyond it, each bin
// covers several counts.
const countHistogramBins = 60

// countHistogram makes a histogram of whole numbers, with bins centred on them.
func countHistogram(counts []float64) analysis.Histogram {
	h := analysis.Histogram{Edges: []float64{}, Counts: []int{}}
	if len(counts) == 0 {
		return h
	}
	top := 0.0
	for _, c := range counts {
		top = math.Max(top, c)
	}
	width := math.Ceil((top + 1) / countHistogramBins)
	bins := int(top/width) + 1
	for i := 0; i <= bins; i++ {
		h.Edges = append(h.Edges, float64(i)*width-0.5)
	}
	h.Counts = make([]int, bins)
	for _, c := range counts {
		h.Counts[int(c/width)]++
	}
	return h
}
