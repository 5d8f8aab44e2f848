package transcript

import (
	"encoding/json"
	"math"

	"gonogo/sampler/rollout"
)

// UsageOf reads the token counts of an answer, in either wire format. A count that
// is absent or impossible is unknown, not zero. Invalid counts never invalidate the
// answer.
func UsageOf(raw json.RawMessage) rollout.Usage {
	var u map[string]json.RawMessage
	if json.Unmarshal(raw, &u) != nil {
		return rollout.Usage{}
	}
	told := rollout.Usage{
		Input:     count(u, "input_tokens", "prompt_tokens"),
		Output:    count(u, "output_tokens", "completion_tokens"),
		Cached:    count(details(u, "input_tokens_details", "prompt_tokens_details"), "cached_tokens"),
		Reasoning: count(details(u, "output_tokens_details", "completion_tokens_details"), "reasoning_tokens"),
	}
	// A server that writes zeros for a request and its reply does not count.
	if told.Input != nil && *told.Input == 0 && (told.Output == nil || *told.Output == 0) {
		return rollout.Usage{}
	}
	return told
}

// mostTokens is more than any request can take. Beyond it sums would overflow.
const mostTokens = 1e12

// count returns the first of the keys that holds a whole number of tokens; 12.0
// is one.
func count(u map[string]json.RawMessage, keys ...string) *int64 {
	for _, key := range keys {
		var f *float64
		if json.Unmarshal(u[key], &f) != nil || f == nil || *f < 0 || *f > mostTokens || *f != math.Trunc(*f) {
			continue
		}
		n := int64(*f)
		return &n
	}
	return nil
}

// details returns the first of the keys that holds an object.
func details(u map[string]json.RawMessage, keys ...string) map[string]json.RawMessage {
	for _, key := range keys {
		var inner map[string]json.RawMessage
		if json.Unmarshal(u[key], &inner) == nil && inner != nil {
			return inner
		}
	}
	return nil
}
