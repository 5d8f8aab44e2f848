package history

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// The kinds of series: whose drift one shows.
const (
	OfModel   = "model"
	OfGrader  = "grader"
	OfTools   = "tools"
	OfTokens  = "tokens"
	OfLatency = "latency"
)

// Kinds lists them in the order they are shown.
func Kinds() []string { return []string{OfModel, OfGrader, OfTools, OfTokens, OfLatency} }

// Reward is the series that regresses.
const Reward = "reward"

// series is one number that is kept of every night.
type series struct {
	name, kind, unit string
	of               func(*analysis.Result, rollout.Split) (Value, bool)
}

// seriesTable lists the series in the order they are shown.
func seriesTable() []series {
	split := func(name, kind, unit string, of func(*analysis.Result, *analysis.SplitResult) (Value, bool)) series {
		return series{name, kind, unit, func(r *analysis.Result, split rollout.Split) (Value, bool) {
			if s := r.Splits[split]; s != nil {
				return of(r, s)
			}
			return Value{}, false
		}}
	}
	estimated := func(name, kind, unit string, of func(*analysis.SplitResult) stat.Estimate) series {
		return split(name, kind, unit, func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) { return estimate(of(s)) })
	}
	grader := func(name, unit string, of func(*analysis.Grader) *stat.Estimate) series {
		return series{name, OfGrader, unit, func(r *analysis.Result, _ rollout.Split) (Value, bool) {
			if r.Grader == nil || of(r.Grader) == nil {
				return Value{}, false
			}
			return estimate(*of(r.Grader))
		}}
	}
	return []series{
		estimated(Reward, OfModel, "reward", func(s *analysis.SplitResult) stat.Estimate { return s.Reward.Estimate }),
		split("best_of", OfModel, "reward", func(r *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			at := slices.IndexFunc(s.BestOf, func(x analysis.AtK) bool { return x.K == r.GroupSize })
			if at < 0 {
				return Value{}, false
			}
			return estimate(s.BestOf[at].Estimate)
		}),
		split("informative", OfModel, "share", func(r *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			at := slices.IndexFunc(s.Signal, func(x analysis.Signal) bool { return x.GroupSize == r.GroupSize && x.Bound == "exact" })
			if at < 0 {
				return Value{}, false
			}
			return estimate(s.Signal[at].Estimate)
		}),
		split("own_failures", OfModel, "share", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			return share(s.OwnFailures.NoAnswer+s.OwnFailures.StepLimit, s.Reward.N)
		}),
		split("cut_off", OfModel, "share", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			return known(s.Ends.CutOff)
		}),
		split("refused", OfModel, "share", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			return known(s.Ends.Refused)
		}),
		estimated("turns", OfModel, "turns", func(s *analysis.SplitResult) stat.Estimate { return s.Turns }),
		grader("grader_noise", "variance", func(g *analysis.Grader) *stat.Estimate { return &g.NoiseVar }),
		grader("false_accept", "share", func(g *analysis.Grader) *stat.Estimate { return g.FalseAccept }),
		grader("hacks", "share", func(g *analysis.Grader) *stat.Estimate { return mostMarked(g.Detectors) }),
		split("grader_failures", OfGrader, "share", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			return share(s.Missing.Grader, s.Reward.N+s.Missing.Total())
		}),
		estimated("tool_calls", OfTools, "calls", func(s *analysis.SplitResult) stat.Estimate { return s.Tools.Calls }),
		estimated("tool_calls_p95", OfTools, "calls", func(s *analysis.SplitResult) stat.Estimate { return s.Tools.P95 }),
		estimated("repeated_calls", OfTools, "share", func(s *analysis.SplitResult) stat.Estimate { return s.Tools.Repeats }),
		estimated("parallel_turns", OfTools, "share", func(s *analysis.SplitResult) stat.Estimate { return s.Tools.Parallel }),
		estimated("malformed_calls", OfTools, "share", func(s *analysis.SplitResult) stat.Estimate { return s.Tools.Malformed }),
		split("at_call_limit", OfTools, "share", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			return number(s.Tools.OverBudget, s.Reward.N)
		}),
		split("tool_failures", OfTools, "share", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			failed, calls := 0, 0
			for _, t := range s.Tools.ByTool {
				failed, calls = failed+t.Failed, calls+t.Calls
			}
			return share(failed, calls)
		}),
		split("tool_latency", OfTools, "seconds", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) { return toolLatency(s) }),
		estimated("input_tokens", OfTokens, "tokens", func(s *analysis.SplitResult) stat.Estimate { return s.Tokens.Input }),
		estimated("output_tokens", OfTokens, "tokens", func(s *analysis.SplitResult) stat.Estimate { return s.Tokens.Output }),
		split("reasoning_tokens", OfTokens, "tokens", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) { return known(s.Tokens.Reasoning) }),
		split("latency", OfLatency, "seconds", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			return number(s.Latency.P50, s.Reward.N)
		}),
		split("latency_p95", OfLatency, "seconds", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			return number(s.Latency.P95, s.Reward.N)
		}),
		split("over_time_limit", OfLatency, "share", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) { return known(s.Latency.OverLimit) }),
		split("model_failures", OfLatency, "share", func(_ *analysis.Result, s *analysis.SplitResult) (Value, bool) {
			return share(s.Missing.ModelAPI, s.Reward.N+s.Missing.Total())
		}),
	}
}

// estimate takes the standard error of the very same items where it is known:
// the nights have them in common.
func estimate(e stat.Estimate) (Value, bool) {
	if !e.Known() {
		return Value{}, false
	}
	v := Value{Value: *e.Value, SE: e.SE, Low: e.Low, High: e.High, N: e.N}
	if e.FixedSE != nil {
		v.SE = e.FixedSE
	}
	return v, true
}

// mostMarked is the share of the detector that marks most; nil without any.
func mostMarked(detectors []analysis.DetectorResult) (most *stat.Estimate) {
	for i := range detectors {
		if e := &detectors[i].Share; e.Known() && (most == nil || *e.Value > *most.Value) {
			most = e
		}
	}
	return most
}

// known is estimate, of a number that not every run has.
func known(e *stat.Estimate) (Value, bool) {
	if e == nil {
		return Value{}, false
	}
	return estimate(*e)
}

func number(x *float64, n int) (Value, bool) {
	if x == nil {
		return Value{}, false
	}
	return Value{Value: *x, N: n}, true
}

// share is k of n with Wilson's interval (1927), and the standard error of two
// more of either kind (Agresti & Coull 1998): none of few is not surely none.
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
		Value: p, SE: stat.Some(math.Sqrt(q * (1 - q) / (m + 4))),
		Low: stat.Some(max(0, mid-half)), High: stat.Some(min(1, mid+half)), N: n,
	}, true
}

// toolLatency is the median of each tool, weighed by its calls.
func toolLatency(s *analysis.SplitResult) (Value, bool) {
	sum, calls := 0.0, 0
	var names []string
	for name := range s.Tools.ByTool {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if t := s.Tools.ByTool[name]; t.P50 != nil {
			sum, calls = sum+*t.P50*float64(t.Calls), calls+t.Calls
		}
	}
	if calls == 0 {
		return Value{}, false
	}
	return Value{Value: sum / float64(calls), N: calls}, true
}
