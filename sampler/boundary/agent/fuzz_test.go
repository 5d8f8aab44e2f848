package agent

import (
	"errors"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// Whatever an agent writes is a result whose counts can be true, or its own
// rollout's failure.
func FuzzPlayed(f *testing.F) {
	for _, seed := range []string{
		`{"trace_id":"t","output":"42"}`, `{"trace_id":"t","output":"42","turns":2,"usage":{"prompt_tokens":3,"output_tokens":4}}`, `{"output":""}`,
		`{"trace_id":"t","refusal":"no","messages":"text","tool_calls":[{"name":"f","arguments":{"a":1},"output":[1],"elapsed_s":0.5}]}`,
		`{"trace_id":"t","error":{"boundary":"model","message":"overloaded"}}`, `{"trace_id":"t","limit":"max_turns","messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}]}`,
		`{"trace_id":"t","output":"x","usage":{"input_tokens":-1}}`, `{"trace_id":"t","output":"x","messages":[null,{"role":7}]}`, "", "null", "[]", `"42"`, "{", "\xff{}",
	} {
		f.Add([]byte(seed))
	}
	item := &rollout.Item{ID: "q", Messages: []rollout.Message{{Role: "user", Content: "?"}}}
	f.Fuzz(func(t *testing.T, text []byte) {
		done, err := played(text, sampler.AgentRequest{Item: item, TraceID: "t"}, true)
		if err != nil {
			if _, ok := errors.AsType[*sampler.AgentError](err); !ok {
				t.Errorf("%q: an error without a name: %v", text, err)
			}
			return
		}
		for _, n := range []*int64{done.Usage.Input, done.Usage.Output, done.Usage.Reasoning, done.Usage.Cached} {
			if n != nil && *n < 0 || done.Turns < 0 {
				t.Errorf("%q: %+v", text, done)
			}
		}
	})
}
