package transcript_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// Each call has the answer that is its own: by its id, or by its place where ids are
// missing; never another turn's.
func TestCallsHaveTheirOwnAnswers(t *testing.T) {
	asks := func(calls ...rollout.ToolCall) rollout.Message {
		return rollout.Message{Role: "assistant", ToolCalls: calls}
	}
	says := func(id, text string) rollout.Message {
		return rollout.Message{Role: "tool", ToolCallID: id, Content: text}
	}
	f, g := rollout.ToolCall{Name: "f", Arguments: "{}"}, rollout.ToolCall{Name: "g", Arguments: "{}"}
	a, b := rollout.ToolCall{ID: "a", Name: "f", Arguments: "{}"}, rollout.ToolCall{ID: "b", Name: "g", Arguments: "{}"}
	for _, c := range []struct {
		why      string
		messages []rollout.Message
		outputs  []string
		turns    int
	}{
		{"by id, in another order", []rollout.Message{asks(a, b), says("b", "2"), says("a", "1")}, []string{"1", "2"}, 1},
		{"by place, without ids", []rollout.Message{asks(f, g), says("", "1"), says("", "2")}, []string{"1", "2"}, 1},
		{"by place, where the answers have none", []rollout.Message{asks(a, b), says("", "1"), says("", "2")}, []string{"1", "2"}, 1},
		{"one without an answer", []rollout.Message{asks(a, b), says("b", "2")}, []string{"", "2"}, 1},
		{"an id that comes again in a later turn", []rollout.Message{asks(a), says("a", "1"), asks(a), says("a", "3")}, []string{"1", "3"}, 2},
		{"an answer behind the next turn", []rollout.Message{asks(a), asks(), says("a", "1")}, []string{""}, 2},
	} {
		calls, turns := transcript.CallsOf(c.messages, transcript.UnreportedStatus)
		var outputs []string
		for _, call := range calls {
			outputs = append(outputs, call.Output)
		}
		if d := cmp.Diff(c.outputs, outputs); d != "" || turns != c.turns {
			t.Errorf("%s: %d turns, outputs (-want +got):\n%s", c.why, turns, d)
		}
	}
}

// Arguments that cannot be read are the model's mistake; none at all are none.
func TestMalformedArguments(t *testing.T) {
	for arguments, want := range map[string]rollout.CallStatus{
		"{}": rollout.CallOK, `{"a":1}`: rollout.CallOK, "": rollout.CallOK, " \n": rollout.CallOK, "{": rollout.CallMalformed, "a=1": rollout.CallMalformed,
	} {
		if got := transcript.CallStatus(arguments); got != want {
			t.Errorf("%q: %s, want %s", arguments, got, want)
		}
		var talk transcript.Builder
		talk.AddCall("a", "f", arguments)
		calls, _ := transcript.CallsOf([]rollout.Message{{Role: "assistant", ToolCalls: []rollout.ToolCall{{ID: "a", Name: "f", Arguments: arguments}}}}, transcript.UnreportedStatus)
		if talk.Calls[0].Status != want || calls[0].Status != want {
			t.Errorf("%q: %s of a talk, %s of messages, want %s", arguments, talk.Calls[0].Status, calls[0].Status, want)
		}
	}
}

// A count that cannot be true is not told, which is not zero.
func TestCountsThatCannotBeTrue(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for text, want := range map[string]rollout.Usage{
		`{"prompt_tokens":3,"completion_tokens":2}`: {Input: n(3), Output: n(2)},
		`{"input_tokens":3.0,"output_tokens":0,"input_tokens_details":{"cached_tokens":1},"output_tokens_details":{"reasoning_tokens":0}}`: {Input: n(3), Output: n(0), Cached: n(1), Reasoning: n(0)},
		`{"prompt_tokens":3.5,"completion_tokens":-2}`:                                           {},
		`{"prompt_tokens":1e300,"completion_tokens":"2"}`:                                        {},
		`{"prompt_tokens":9223372036854775807,"completion_tokens":2}`:                            {Output: n(2)},
		`{"prompt_tokens":0,"completion_tokens":0}`:                                              {},
		`{"prompt_tokens":3,"prompt_tokens_details":null,"completion_tokens_details":"unknown"}`: {Input: n(3)},
		`null`: {}, `[]`: {}, ``: {},
	} {
		if d := cmp.Diff(want, transcript.UsageOf(json.RawMessage(text))); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
}

// TestTheFingerprintOfAServer reads the words that servers write as system_fingerprint: those of
// OpenAI (API reference), llama.cpp ("b<build>-<commit>") and mlx-lm (its versions and the platform).
func TestTheFingerprintOfAServer(t *testing.T) {
	for reply, want := range map[string]string{
		`{"model":"m","system_fingerprint":"fp_44709d6fcb"}`:       "m fp_44709d6fcb",
		`{"model":"m","system_fingerprint":"b6843-1a2b3c4d"}`:      "m fp_b6843-1a2b3c4d",
		`{"model":"m","system_fingerprint":"0.29 macOS 15 arm64"}`: "m fp_0.29_macOS_15_arm64",
		`{"model":"m","system_fingerprint":null}`:                  "m",
		`{"system_fingerprint":"b1"}`:                              "fp_b1",
		`{}`:                                                       "",
	} {
		var s transcript.Server
		if err := json.Unmarshal([]byte(reply), &s); err != nil || s.String() != want {
			t.Errorf("%s: %q, %v, want %q", reply, s.String(), err, want)
		}
	}
}
