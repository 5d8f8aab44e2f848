// Package reported keeps what an agent reports about the reward of its rollout in the rollout's record,
// so that a later grading sees it too.
package reported

import (
	"encoding/json"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Reward is what an agent reports about the reward of a rollout. The zero value is that it reports
// nothing.
type Reward struct {
	Rewards []float64          // one, or one for each turn
	Parts   map[string]float64 // what a single reward is made of, by name
	Kind    string             // of a failure: one of sampler's kinds
	Error   string             // why there is no reward
}

// The record's keys.
const (
	keyRewards = "agent_rewards"
	keyParts   = "agent_reward_parts"
	keyFailure = "agent_reward_error"
)

// failure is why there is no reward, as a record has it.
type failure struct {
	Kind  string `json:"kind"`
	Error string `json:"error"`
}

// Known reports whether the agent says what the rollout earned, or why that is unknown.
func (w Reward) Known() bool { return w.Rewards != nil || w.Error != "" }

// Set stores a report in a record. Rewards and parts that are not finite are not stored.
func Set(r *rollout.Record, w Reward) {
	if w.Rewards != nil {
		put(r, keyRewards, w.Rewards)
	}
	if len(w.Parts) > 0 {
		put(r, keyParts, w.Parts)
	}
	if w.Error != "" {
		put(r, keyFailure, failure{w.Kind, w.Error})
	}
}

func put(r *rollout.Record, key string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		return
	}
	if r.Extra == nil {
		r.Extra = make(map[string]json.RawMessage)
	}
	r.Extra[key] = text
}

// Of returns the report in a record. What another program wrote otherwise is as if it were missing.
func Of(r *rollout.Record) (w Reward) {
	if jsontext.Unmarshal(r.Extra[keyRewards], &w.Rewards) != nil || len(w.Rewards) == 0 {
		w.Rewards = nil
	}
	if jsontext.Unmarshal(r.Extra[keyParts], &w.Parts) != nil {
		w.Parts = nil
	}
	var f failure
	if jsontext.Unmarshal(r.Extra[keyFailure], &f) == nil {
		w.Kind, w.Error = f.Kind, f.Error
	}
	return w
}
