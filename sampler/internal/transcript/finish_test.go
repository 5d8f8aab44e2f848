package transcript_test

import (
	"encoding/json"
	"testing"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// The words are those of the servers that finish.go names; "" means that the end is
// not known, failed that it is the server's.
func TestEndsOfReplies(t *testing.T) {
	const failed = rollout.Finish("failed")
	for _, c := range []struct {
		reason   string // JSON; "" when there is none
		answered bool
		want     rollout.Finish
	}{
		{`"stop"`, true, rollout.FinishStop},
		{`"stop"`, false, rollout.FinishStop},
		{`"tool_calls"`, true, rollout.FinishStop},
		{`"eos"`, true, rollout.FinishStop},
		{`"end_turn"`, true, rollout.FinishStop},
		{`"STOP"`, true, rollout.FinishStop},
		{`"length"`, true, rollout.FinishLength},
		{`"MAX_TOKENS"`, true, rollout.FinishLength},
		{`"content_filter"`, false, rollout.FinishFilter},
		{`"refusal"`, true, rollout.FinishRefusal},
		{"", true, ""},
		{`""`, true, ""},
		{"", false, failed},
		{`""`, false, failed},
		{"null", true, failed},
		{`"abort"`, true, failed},
		{`"error"`, false, failed},
		{`"load"`, false, failed},
		{`"pause_turn"`, true, failed},
		{`"insufficient_system_resource"`, true, failed},
		{`7`, true, failed},
	} {
		got, err := transcript.FinishOfReply(json.RawMessage(c.reason), c.answered)
		if err != nil {
			got = failed
		}
		if got != c.want {
			t.Errorf("finish_reason %s, answered %v: %q (%v), want %q", c.reason, c.answered, got, err, c.want)
		}
	}
	for reason, want := range map[string]rollout.Finish{
		"max_output_tokens": rollout.FinishLength, "content_filter": rollout.FinishFilter, "": failed, "stop": failed, "aborted": failed,
	} {
		got, err := transcript.FinishOfIncomplete(reason)
		if err != nil {
			got = failed
		}
		if got != want {
			t.Errorf("incomplete for %q: %q (%v), want %q", reason, got, err, want)
		}
	}
}
