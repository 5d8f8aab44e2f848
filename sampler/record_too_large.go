package sampler

import (
	"fmt"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// KindTooLarge is the kind of a rollout that counts as a tool failure because its record is too
// large to store.
const KindTooLarge = "record_too_large"

// tooLarge returns the record that replaces r: what the rollout cost, and why it is missing.
func tooLarge(r *rollout.Record, why *rollout.TooLargeError) *rollout.Record {
	return &rollout.Record{
		Item: r.Item, Split: r.Split, Category: r.Category, Family: r.Family, Sample: r.Sample, Attempt: r.Attempt,
		Source:  r.Source,
		Outcome: rollout.ToolFailed, Kind: KindTooLarge,
		Error: endpoint.Brief(fmt.Sprintf("the record of this rollout is too large: %v; have the tools return less, "+
			"or end rollouts earlier (sampling.max_steps, sampling.max_tool_calls)", why)),
		Turns: r.Turns, Retries: r.Retries, Usage: r.Usage, Judge: r.Judge, JudgeCalls: r.JudgeCalls,
		Planted: r.Planted, Leaks: r.Leaks,
		TraceID: r.TraceID, Started: r.Started, Elapsed: r.Elapsed,
	}
}
