package transcript

import (
	"encoding/json"
	"math"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// UsageOf reads the token counts of a reply, in either wire format. A count that is absent or
// impossible is unknown, not zero. Invalid counts never invalidate the reply.
func UsageOf(raw json.RawMessage) rollout.Usage {
	// The names in Responses, then those in Chat Completions.
	var input, output, inputDetails, outputDetails [2][]byte
	if jsontext.Fields(raw, func(key, value []byte) error {
		switch string(key) {
		case "input_tokens":
			input[0] = value
		case "prompt_tokens":
			input[1] = value
		case "output_tokens":
			output[0] = value
		case "completion_tokens":
			output[1] = value
		case "input_tokens_details":
			inputDetails[0] = value
		case "prompt_tokens_details":
			inputDetails[1] = value
		case "output_tokens_details":
			outputDetails[0] = value
		case "completion_tokens_details":
			outputDetails[1] = value
		}
		return nil
	}) != nil {
		return rollout.Usage{}
	}
	usage := rollout.Usage{
		Input:     count(input[:]...),
		Output:    count(output[:]...),
		Cached:    count(detail(inputDetails, "cached_tokens")),
		Reasoning: count(detail(outputDetails, "reasoning_tokens")),
	}
	// Zeros for a request and its reply mean that the server does not count.
	if usage.Input != nil && *usage.Input == 0 && (usage.Output == nil || *usage.Output == 0) {
		return rollout.Usage{}
	}
	return usage
}

// mostTokens is more than any request can use. Sums of larger counts would overflow.
const mostTokens = 1e12

// count returns the first of the values that is a whole number of tokens; 12.0 is one.
func count(values ...[]byte) *int64 {
	for _, v := range values {
		if f, ok := jsontext.ReadNumber(v); ok && f >= 0 && f <= mostTokens && f == math.Trunc(f) {
			n := int64(f)
			return &n
		}
	}
	return nil
}

// detail returns the value of a key in the first of the values that is an object.
func detail(objects [2][]byte, key string) (found []byte) {
	for _, object := range objects {
		if object != nil && jsontext.Fields(object, func(name, value []byte) error {
			if string(name) == key {
				found = value
			}
			return nil
		}) == nil {
			return found
		}
	}
	return nil
}
