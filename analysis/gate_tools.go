package analysis

import (
	"maps"
	"slices"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// perSplit asks f for every sampled split. Where a split has no tool calls the
// gate is skipped for it; without any split it is skipped once.
func perSplit(gate string, f func(r *Result, t Thresholds, split rollout.Split, sr *SplitResult) Finding) func(*Result, Thresholds) []Finding {
	return func(r *Result, t Thresholds) []Finding {
		var out []Finding
		for _, split := range rollout.Splits() {
			sr := r.Splits[split]
			if sr == nil {
				continue
			}
			if len(sr.Tools.ByTool) == 0 {
				out = append(out, skipped(r.Lang, gate, split, Advisory, noTools))
				continue
			}
			out = append(out, f(r, t, split, sr))
		}
		if out == nil {
			return []Finding{skipped(r.Lang, gate, "", Advisory, noTools)}
		}
		return out
	}
}

var toolsFailures = Gate{
	Name: "tools.failures",
	Doc:  "Advisory: at most 2 % of tool calls fail for good, after their retries; and every output is a string, as the wire format asks.",
	Check: perSplit("tools.failures", func(r *Result, t Thresholds, split rollout.Split, sr *SplitResult) Finding {
		calls, failed, worst := 0, 0, ""
		odd, oddest := 0, ""
		most, mostOdd := 0, 0
		for _, name := range slices.Sorted(maps.Keys(sr.Tools.ByTool)) {
			s := sr.Tools.ByTool[name]
			calls, failed = calls+s.Calls, failed+s.Failed
			if s.Failed > most {
				most, worst = s.Failed, name
			}
			if odd += s.NotText; s.NotText > mostOdd {
				mostOdd, oddest = s.NotText, name
			}
		}
		want := t.At("tools.failures")
		j := judgement{
			gate: "tools.failures", split: split, severity: Advisory, unit: "share", want: "<= " + message.Plain(want),
			vars: map[string]string{"calls": message.Whole(calls), "worst": worst},
		}
		b := observed(share(failed, calls))
		if status := b.atMost(want); status == Fail || odd == 0 {
			return j.finding(r.Lang, status, b)
		}
		j.want, j.said = "0", &notTextWords
		j.vars["odd"], j.vars["worst"] = message.Whole(odd), oddest
		return j.finding(r.Lang, Fail, observed(share(odd, calls)))
	}),
}

var toolsMalformed = Gate{
	Name: "tools.malformed",
	Doc:  "Advisory: at most 5 % of tool calls name an unknown tool or carry arguments that do not parse.",
	Check: perSplit("tools.malformed", func(r *Result, t Thresholds, split rollout.Split, sr *SplitResult) Finding {
		want := t.At("tools.malformed")
		j := judgement{gate: "tools.malformed", split: split, severity: Advisory, unit: "share", want: "<= " + message.Plain(want)}
		b := boundOf(sr.Tools.Malformed)
		if b.value != nil { // judged as observed, like the other gates of tool calls
			return j.finding(r.Lang, observed(*b.value).atMost(want), b)
		}
		j.needs, j.settles = &Needs{Items: 1, Samples: 1}, true // any call
		return j.finding(r.Lang, b.atMost(want), b)
	}),
}

var toolsBudget = Gate{
	Name: "tools.budget",
	Doc:  "Advisory: at most 5 % of rollouts run into the limit of steps or tool calls.",
	Check: perSplit("tools.budget", func(r *Result, t Thresholds, split rollout.Split, sr *SplitResult) Finding {
		want := t.At("tools.budget")
		valid := sr.Reward.N
		j := judgement{
			gate: "tools.budget", split: split, severity: Advisory, unit: "share", want: "<= " + message.Plain(want),
			vars: map[string]string{"hit": message.Whole(sr.OwnFailures.StepLimit), "rollouts": message.Whole(valid), "p95": valueOf(r.Lang, sr.Tools.P95.Value)},
		}
		b := observed(share(sr.OwnFailures.StepLimit, valid))
		return j.finding(r.Lang, b.atMost(want), b)
	}),
}

var toolsOutputSize = Gate{
	Name: "tools.output_size",
	Doc:  "Advisory: the 95th percentile of every tool's output is at most 4,000 tokens (bytes / 4).",
	Check: perSplit("tools.output_size", func(r *Result, t Thresholds, split rollout.Split, sr *SplitResult) Finding {
		return worstTool("tools.output_size", "tokens", r, t, split, sr, func(s ToolStat) *float64 { return s.OutputTokensP95 })
	}),
}

// quickCall is the 95th percentile, in seconds, below which a tool's tail is
// not judged.
const quickCall = 0.100

var toolsTail = Gate{
	Name: "tools.tail",
	Doc:  "Advisory: the 95th percentile of every tool's latency is at most 3 times its median; tools below 100 ms are not judged.",
	Check: perSplit("tools.tail", func(r *Result, t Thresholds, split rollout.Split, sr *SplitResult) Finding {
		return worstTool("tools.tail", "times", r, t, split, sr, func(s ToolStat) *float64 {
			// A call this quick sets no pace, and its tail is the scheduler's.
			if s.P50 == nil || s.P95 == nil || *s.P95 < quickCall || *s.P50 <= 0 {
				return nil
			}
			ratio := *s.P95 / *s.P50
			return &ratio
		})
	}),
}

// worstTool judges the largest of a figure over the tools.
func worstTool(gate, unit string, r *Result, t Thresholds, split rollout.Split, sr *SplitResult, figure func(ToolStat) *float64) Finding {
	worst, most := "", (*float64)(nil)
	for _, name := range slices.Sorted(maps.Keys(sr.Tools.ByTool)) {
		if x := figure(sr.Tools.ByTool[name]); x != nil && (most == nil || *x > *most) {
			worst, most = name, x
		}
	}
	if most == nil {
		return skipped(r.Lang, gate, split, Advisory, "no tool call tells it, or all are too quick to tell")
	}
	want := t.At(gate)
	j := judgement{
		gate: gate, split: split, severity: Advisory, unit: unit, want: "<= " + message.Plain(want),
		vars: map[string]string{"worst": worst},
	}
	b := observed(*most)
	return j.finding(r.Lang, b.atMost(want), b)
}

var latencyLimit = Gate{
	Name: "latency.limit",
	Doc:  "Advisory: rollouts keep to a time limit, where one is configured.",
	Check: func(r *Result, t Thresholds) []Finding {
		limit := t.At("latency.limit")
		if limit <= 0 {
			return []Finding{skipped(r.Lang, "latency.limit", "", Advisory, "no limit is configured (threshold latency.limit)")}
		}
		var out []Finding
		for _, split := range rollout.Splits() {
			sr := r.Splits[split]
			if sr == nil || sr.Latency.OverLimit == nil {
				continue
			}
			j := judgement{
				gate: "latency.limit", split: split, severity: Advisory, unit: "share", want: "P95 <= " + message.Plain(limit) + " s",
				vars: map[string]string{"limit": message.Plain(limit), "p95": valueOf(r.Lang, sr.Latency.P95)},
			}
			j.needs, j.settles = settle(*sr.Latency.OverLimit, 0.05, unitRange, r.Confidence, sr)
			out = append(out, j.finding(r.Lang, boundOf(*sr.Latency.OverLimit).atMost(0.05), boundOf(*sr.Latency.OverLimit)))
		}
		if out == nil {
			return []Finding{skipped(r.Lang, "latency.limit", "", Advisory, "the rollouts do not tell how long they took")}
		}
		return out
	},
}
