package measure

import (
	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
)

// tokens measures tokens per rollout, over valid rollouts whose server reported them: absent is not
// zero.
func (m *Split) tokens() analysis.Tokens {
	conf := m.s.Confidence
	valid, known := 0, 0
	m.records(func(r *collect.Row) {
		if !r.Valid {
			return
		}
		valid++
		if _, _, some := inAndOut(r); some {
			known++
		}
	})
	t := analysis.Tokens{
		Input:  m.tokenMean(conf, "mean over items of input tokens per rollout", collect.InputTokens),
		Output: m.tokenMean(conf, "mean over items of output tokens per rollout", collect.OutputTokens),
	}
	reasoning := m.tokenMean(conf, "mean over items of reasoning tokens per rollout", collect.ReasoningTokens)
	if reasoning.Known() {
		t.Reasoning = &reasoning
	}
	if valid > 0 {
		t.KnownShare = stat.FiniteOrNil(float64(known) / float64(valid))
	}
	return t
}

// inAndOut returns a rollout's input and output tokens, if both are known.
func inAndOut(r *collect.Row) (in, out float64, known bool) {
	in, some := r.Tokens(collect.InputTokens)
	out, known = r.Tokens(collect.OutputTokens)
	return in, out, known && some
}

func (m *Split) tokenMean(conf float64, method string, of collect.Quantity) stat.Estimate {
	perItem := m.perItem(func(r *collect.Row) (float64, bool) {
		n, known := r.Tokens(of)
		return n, known && r.Valid
	})
	return perRollout(perItem, conf, method)
}

// latency measures the wall time of valid rollouts.
func (m *Split) latency() analysis.Latency {
	limit := m.s.Thresholds.At(analysis.TimeLimit)
	perItem := m.perItem(func(r *collect.Row) (float64, bool) { return r.Elapsed, r.Valid && r.Elapsed > 0 })
	all := flatten(perItem)
	if len(all) == 0 {
		return analysis.Latency{}
	}
	out := analysis.Latency{
		P50: stat.FiniteOrNil(stat.Quantile(all, 0.50)),
		P95: stat.FiniteOrNil(stat.Quantile(all, 0.95)),
		P99: stat.FiniteOrNil(stat.Quantile(all, 0.99)),
	}
	if limit > 0 {
		over := m.share(m.s.Confidence, func(r *collect.Row) (num, den float64) {
			if !r.Valid || r.Elapsed <= 0 {
				return 0, 0
			}
			if r.Elapsed > limit {
				num = 1
			}
			return num, 1
		})
		out.OverLimit = &over
	}
	return out
}

// turns returns the number of model replies per rollout.
func (m *Split) turns() stat.Estimate {
	return perRollout(m.turnsPerRollout(), m.s.Confidence, "mean over items of model turns per rollout")
}

// turnsP95 returns the 95th percentile of model replies per rollout; nil if they are unknown.
func (m *Split) turnsP95() *stat.Estimate {
	perItem := m.turnsPerRollout()
	if len(perItem) == 0 {
		return nil
	}
	e := stat.QuantileItems(perItem, 0.95, m.s.Confidence)
	return &e
}

// turnsPerRollout returns the model replies of each item's valid rollouts.
func (m *Split) turnsPerRollout() [][]float64 {
	return m.perItem(func(r *collect.Row) (float64, bool) { return float64(r.Turns), r.Valid && r.Turns > 0 })
}
