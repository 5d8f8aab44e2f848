package analysis

import (
	"gonogo/analysis/stat"
)

// tokens is per rollout, over valid rollouts whose server told: absent is not
// zero.
func (m *measure) tokens() Tokens {
	conf := m.s.Confidence
	valid, known := 0, 0
	m.records(func(r *row) {
		if !r.valid {
			return
		}
		valid++
		if r.usage.Input != nil && r.usage.Output != nil {
			known++
		}
	})
	t := Tokens{
		Input:  m.tokenMean(conf, "mean over items of input tokens per rollout", func(r *row) *int64 { return r.usage.Input }),
		Output: m.tokenMean(conf, "mean over items of output tokens per rollout", func(r *row) *int64 { return r.usage.Output }),
	}
	reasoning := m.tokenMean(conf, "mean over items of reasoning tokens per rollout", func(r *row) *int64 { return r.usage.Reasoning })
	if reasoning.Known() {
		t.Reasoning = &reasoning
	}
	if valid > 0 {
		t.KnownShare = stat.Some(float64(known) / float64(valid))
	}
	return t
}

func (m *measure) tokenMean(conf float64, method string, count func(*row) *int64) stat.Estimate {
	perItem := m.perItem(func(r *row) (float64, bool) {
		n := count(r)
		if !r.valid || n == nil {
			return 0, false
		}
		return float64(*n), true
	})
	return perRollout(perItem, conf, method)
}

// latency is the wall time of valid rollouts.
func (m *measure) latency() Latency {
	limit := m.s.Thresholds.Of(TimeLimit)
	perItem := m.perItem(func(r *row) (float64, bool) { return r.elapsed, r.valid && r.elapsed > 0 })
	all := flatten(perItem)
	if len(all) == 0 {
		return Latency{}
	}
	out := Latency{
		P50: stat.Some(stat.Quantile(all, 0.50)),
		P95: stat.Some(stat.Quantile(all, 0.95)),
		P99: stat.Some(stat.Quantile(all, 0.99)),
	}
	if limit > 0 {
		over := m.share(m.s.Confidence, func(r *row) (num, den float64) {
			if !r.valid || r.elapsed <= 0 {
				return 0, 0
			}
			if r.elapsed > limit {
				num = 1
			}
			return num, 1
		})
		out.OverLimit = &over
	}
	return out
}

// turns is the number of model replies per rollout.
func (m *measure) turns() stat.Estimate {
	perItem := m.perItem(func(r *row) (float64, bool) { return float64(r.turns), r.valid && r.turns > 0 })
	return perRollout(perItem, m.s.Confidence, "mean over items of model turns per rollout")
}
