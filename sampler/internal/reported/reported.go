// Package reported keeps the rewards that an agent reports with its rollout in the rollout's record, so
// that a later grading sees them too.
package reported

import (
	"encoding/json"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// key is the record's key for the rewards.
const key = "agent_rewards"

// Set stores rewards in a record; nil stores nothing. They must be finite.
func Set(r *rollout.Record, rewards []float64) {
	text, err := json.Marshal(rewards)
	if rewards == nil || err != nil {
		return
	}
	if r.Extra == nil {
		r.Extra = make(map[string]json.RawMessage)
	}
	r.Extra[key] = text
}

// Of returns the rewards in a record; nil if there are none.
func Of(r *rollout.Record) []float64 {
	var rewards []float64
	if jsontext.Unmarshal(r.Extra[key], &rewards) != nil || len(rewards) == 0 {
		return nil
	}
	return rewards
}
