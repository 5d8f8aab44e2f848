package history

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// The kinds of series, by what a drift of the series points to.
const (
	KindModel   = "model"
	KindGrader  = "grader"
	KindTools   = "tools"
	KindTokens  = "tokens"
	KindLatency = "latency"
)

// Kinds lists the kinds in the order in which they are shown.
func Kinds() []string { return []string{KindModel, KindGrader, KindTools, KindTokens, KindLatency} }

// Reward is the series that decides whether a night regressed.
const Reward = "reward"

// series is one number that is kept for every night.
type series struct {
	name, kind, unit string
	of               func(*analysis.Result, rollout.Split) (Value, bool)
}

// splitResult is the result from which a series of a split is read.
type splitResult = analysis.SplitResult

// seriesTable lists the series in the order in which they are shown: those of the reward,
// the policy's behaviour as in comparisons, those of the grader, and those of the endpoints.
func seriesTable() []series {
	split := func(name, kind, unit string, value func(*analysis.Result, *splitResult) (Value, bool)) series {
		return series{name, kind, unit, func(r *analysis.Result, split rollout.Split) (Value, bool) {
			if s := r.Splits[split]; s != nil {
				return value(r, s)
			}
			return Value{}, false
		}}
	}
	grader := func(name, unit string, value func(*analysis.Grader) *stat.Estimate) series {
		return series{name, KindGrader, unit, func(r *analysis.Result, _ rollout.Split) (Value, bool) {
			if r.Grader == nil {
				return Value{}, false
			}
			return estimate(value(r.Grader))
		}}
	}
	out := []series{
		split(Reward, KindModel, "reward", func(_ *analysis.Result, s *splitResult) (Value, bool) {
			return estimate(&s.Reward.Estimate)
		}),
		split("best_of", KindModel, "reward", func(r *analysis.Result, s *splitResult) (Value, bool) {
			i := slices.IndexFunc(s.BestOf, func(x analysis.AtK) bool { return x.K == r.GroupSize })
			if i < 0 {
				return Value{}, false
			}
			return estimate(&s.BestOf[i].Estimate)
		}),
		split("informative", KindModel, "share", func(r *analysis.Result, s *splitResult) (Value, bool) {
			i := slices.IndexFunc(s.Signal, func(x analysis.Signal) bool {
				return x.GroupSize == r.GroupSize && x.Bound == "exact"
			})
			if i < 0 {
				return Value{}, false
			}
			return estimate(&s.Signal[i].Estimate)
		}),
	}
	kept := measured()
	for _, q := range compare.Quantities() {
		if m, ok := kept[q.Name]; ok {
			out = append(out, split(q.Name, m.kind, cmp.Or(m.unit, q.Unit),
				func(_ *analysis.Result, s *splitResult) (Value, bool) { return m.value(s) }))
		}
	}
	return append(
		out,
		grader("grader_noise", "variance", func(g *analysis.Grader) *stat.Estimate { return &g.NoiseVar }),
		grader("false_accept", "share", func(g *analysis.Grader) *stat.Estimate { return g.FalseAccept }),
		grader("hacks", "share", func(g *analysis.Grader) *stat.Estimate { return mostMarked(g.Detectors) }),
		split("grader_failures", KindGrader, "share", func(_ *analysis.Result, s *splitResult) (Value, bool) {
			return share(s.Missing.Grader, s.Reward.N+s.Missing.Total())
		}),
		split("tool_failures", KindTools, "share", func(_ *analysis.Result, s *splitResult) (Value, bool) {
			failed, calls := 0, 0
			for _, t := range s.Tools.ByTool {
				failed, calls = failed+t.Failed, calls+t.Calls
			}
			return share(failed, calls)
		}),
		split("tool_latency", KindTools, "seconds", func(_ *analysis.Result, s *splitResult) (Value, bool) {
			return toolLatency(s)
		}),
		split("model_failures", KindLatency, "share", func(_ *analysis.Result, s *splitResult) (Value, bool) {
			return share(s.Missing.ModelAPI, s.Reward.N+s.Missing.Total())
		}),
	)
}

// measure reads a quantity of a comparison from the result of a run.
type measure struct {
	kind  string
	unit  string // "": the unit in the comparison
	value func(*splitResult) (Value, bool)
}

// measured returns the quantities that a night keeps, by name. Unlike in a comparison,
// repeated and malformed calls are shares of all calls, and latency is the median.
func measured() map[string]measure {
	from := func(kind, unit string, f func(*splitResult) *stat.Estimate) measure {
		return measure{kind, unit, func(s *splitResult) (Value, bool) { return estimate(f(s)) }}
	}
	plain := func(kind string, f func(*splitResult) *float64) measure {
		return measure{kind, "", func(s *splitResult) (Value, bool) {
			return estimate(&stat.Estimate{Value: f(s), N: s.Reward.N})
		}}
	}
	return map[string]measure{
		"own_failures": {KindModel, "", func(s *splitResult) (Value, bool) {
			return share(s.OwnFailures.NoAnswer+s.OwnFailures.StepLimit, s.Reward.N)
		}},
		"cut_off":          from(KindModel, "", func(s *splitResult) *stat.Estimate { return s.Ends.CutOff }),
		"refused":          from(KindModel, "", func(s *splitResult) *stat.Estimate { return s.Ends.Refused }),
		"turns":            from(KindModel, "", func(s *splitResult) *stat.Estimate { return &s.Turns }),
		"turns_p95":        from(KindModel, "", func(s *splitResult) *stat.Estimate { return s.TurnsP95 }),
		"tool_calls":       from(KindTools, "", func(s *splitResult) *stat.Estimate { return &s.Tools.Calls }),
		"tool_calls_p50":   from(KindTools, "", func(s *splitResult) *stat.Estimate { return &s.Tools.P50 }),
		"tool_calls_p95":   from(KindTools, "", func(s *splitResult) *stat.Estimate { return &s.Tools.P95 }),
		"tool_calls_p99":   from(KindTools, "", func(s *splitResult) *stat.Estimate { return &s.Tools.P99 }),
		"repeated_calls":   from(KindTools, "share", func(s *splitResult) *stat.Estimate { return &s.Tools.Repeats }),
		"malformed_calls":  from(KindTools, "share", func(s *splitResult) *stat.Estimate { return &s.Tools.Malformed }),
		"parallel_turns":   from(KindTools, "", func(s *splitResult) *stat.Estimate { return &s.Tools.Parallel }),
		"at_call_limit":    plain(KindTools, func(s *splitResult) *float64 { return s.Tools.OverBudget }),
		"input_tokens":     from(KindTokens, "", func(s *splitResult) *stat.Estimate { return &s.Tokens.Input }),
		"output_tokens":    from(KindTokens, "", func(s *splitResult) *stat.Estimate { return &s.Tokens.Output }),
		"reasoning_tokens": from(KindTokens, "", func(s *splitResult) *stat.Estimate { return s.Tokens.Reasoning }),
		"latency":          plain(KindLatency, func(s *splitResult) *float64 { return s.Latency.P50 }),
		"latency_p95":      plain(KindLatency, func(s *splitResult) *float64 { return s.Latency.P95 }),
		"over_time_limit":  from(KindLatency, "", func(s *splitResult) *stat.Estimate { return s.Latency.OverLimit }),
	}
}

// namedSeries lists the series that exist per tool, pair of tools or part of the reward, named
// “kind:name”, and how many of each kind are kept.
var namedSeries = []struct {
	series
	most int
}{
	{series{name: compare.RewardPart, kind: KindModel, unit: "score"}, compare.PartsCompared},
	{series{name: compare.CallsOfTool, kind: KindTools, unit: "calls"}, compare.ToolsCompared},
	{series{name: compare.ToolPair, kind: KindTools, unit: "calls"}, compare.PairsCompared},
}

// namedValues returns the values of a night by tool, pair of tools and part of the reward.
func namedValues(r *analysis.Result, s *analysis.SplitResult) map[string]Value {
	out := make(map[string]Value)
	if s == nil {
		return out
	}
	keep := func(kind string, most int, counts map[string]int) {
		n := s.Reward.N + s.Missing.Total()
		for _, name := range largestOf(counts, most) {
			out[kind+":"+name] = Value{Value: float64(counts[name]) / float64(max(1, n)), N: n}
		}
	}
	if calls := make(map[string]int); len(s.Tools.ByTool) > 1 {
		for name, t := range s.Tools.ByTool {
			calls[name] = t.Calls
		}
		keep(compare.CallsOfTool, compare.ToolsCompared, calls)
		keep(compare.ToolPair, compare.PairsCompared, s.Tools.Bigrams)
	}
	if r.Grader != nil && r.Grader.Layers != nil {
		for _, part := range r.Grader.Layers.Parts[:min(compare.PartsCompared, len(r.Grader.Layers.Parts))] {
			if v, ok := estimate(&part.Mean); ok {
				out[compare.RewardPart+":"+part.Name] = v
			}
		}
	}
	return out
}

// namedOf lists the named series of all nights. Of each kind it keeps the largest, each by its
// newest value.
func namedOf(nights []Night) []series {
	var out []series
	for _, kind := range namedSeries {
		newest := make(map[string]float64)
		for i := range nights {
			for name, v := range nights[i].Values {
				if strings.HasPrefix(name, kind.name+":") {
					newest[name] = v.Value
				}
			}
		}
		for _, name := range largestOf(newest, kind.most) {
			one := kind.series
			one.name = name
			out = append(out, one)
		}
	}
	return out
}

// largestOf returns the names of at most most numbers, the largest first.
func largestOf[N cmp.Ordered](numbers map[string]N, most int) []string {
	names := slices.SortedFunc(maps.Keys(numbers), func(a, b string) int {
		return cmp.Or(cmp.Compare(numbers[b], numbers[a]), cmp.Compare(a, b))
	})
	return names[:min(most, len(names))]
}

// estimate converts an estimate, and reports whether it is known. It prefers the standard error
// for fixed items, if known, because the nights share their items.
func estimate(e *stat.Estimate) (Value, bool) {
	if e == nil || !e.Known() {
		return Value{}, false
	}
	v := Value{Value: *e.Value, SE: e.SE, Low: e.Low, High: e.High, N: e.N}
	if e.FixedSE != nil {
		v.SE = e.FixedSE
	}
	return v, true
}

// mostMarked returns the share of the detector that marks most rollouts; nil if there is none.
func mostMarked(detectors []analysis.DetectorResult) (most *stat.Estimate) {
	for i := range detectors {
		if e := &detectors[i].Share; e.Known() && (most == nil || *e.Value > *most.Value) {
			most = e
		}
	}
	return most
}

// share returns k of n with Wilson's interval (1927) and a standard error that adds two of
// either kind (Agresti & Coull 1998), so that 0 of a few is not taken for certain.
func share(k, n int) (Value, bool) {
	if n == 0 {
		return Value{}, false
	}
	const z = 1.959963984540054
	m := float64(n)
	p := float64(k) / m
	mid, half := (p+z*z/(2*m))/(1+z*z/m), z/(1+z*z/m)*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	q := (float64(k) + 2) / (m + 4)
	return Value{
		Value: p, SE: stat.FiniteOrNil(math.Sqrt(q * (1 - q) / (m + 4))),
		Low: stat.FiniteOrNil(max(0, mid-half)), High: stat.FiniteOrNil(min(1, mid+half)), N: n,
	}, true
}

// toolLatency returns the mean over tools of their median latencies, weighted by their calls.
func toolLatency(s *analysis.SplitResult) (Value, bool) {
	sum, calls := 0.0, 0
	for _, name := range slices.Sorted(maps.Keys(s.Tools.ByTool)) {
		if t := s.Tools.ByTool[name]; t.P50 != nil {
			sum, calls = sum+*t.P50*float64(t.Calls), calls+t.Calls
		}
	}
	if calls == 0 {
		return Value{}, false
	}
	return Value{Value: sum / float64(calls), N: calls}, true
}
