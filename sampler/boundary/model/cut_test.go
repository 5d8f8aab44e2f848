package model_test

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/rollout"
)

// A limit that was not sent was blamed for replies that the server's context cut off.
func TestReplyCutOffByTheServer(t *testing.T) {
	const (
		completed = `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"half"}]%s}],"usage":{"input_tokens":%d,"output_tokens":%d}}`
		choice    = `{"choices":[{"message":{"content":%q},"finish_reason":%q%s}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`
	)
	stopped, length := rollout.FinishStop, rollout.FinishLength
	for _, c := range []struct {
		why, api, answer string
		limit, context   int
		want             rollout.Finish
		cutOff           string
	}{
		{"length without a limit", model.Chat, fmt.Sprintf(choice, "half", "length", "", 20, 100), 0, 0, length, rollout.NoLimitSent},
		{"length without a limit, far from the context", model.Chat, fmt.Sprintf(choice, "half", "length", "", 20, 100), 0, 2048, length, rollout.NoLimitSent},
		{"model_length", model.Chat, fmt.Sprintf(choice, "half", "model_length", "", 20, 100), 0, 0, length, rollout.NoLimitSent},
		{"length at the limit", model.Chat, fmt.Sprintf(choice, "half", "length", "", 20, 100), 100, 2048, length, "max_output_tokens"},
		{"length at the context", model.Chat, fmt.Sprintf(choice, "half", "length", "", 20, 2028), 0, 2048, length, "fill the server's context of 2048"},
		{"length at the context, before the limit", model.Chat, fmt.Sprintf(choice, "half", "length", "", 20, 2028), 4096, 2048, length, "fill the server's context of 2048"},
		{"a prompt that leaves no room", model.Chat, fmt.Sprintf(choice, "", "length", "", 4488, 0), 0, 2048, length, rollout.ContextExceeded + ": the prompt has 4488 tokens"},
		{"an empty reply to a prompt of unknown size", model.Chat, fmt.Sprintf(choice, "", "length", "", 20, 0), 0, 0, length, rollout.NoLimitSent},
		{"completed at the context", model.Responses, fmt.Sprintf(completed, "", 20, 2028), 0, 2048, length, "fill the server's context of 2048"},
		{"completed before it", model.Responses, fmt.Sprintf(completed, "", 20, 2027), 0, 2048, stopped, ""},
		{"an item that says length", model.Responses, fmt.Sprintf(completed, `,"status":"completed","finish_reason":"length"`, 20, 5), 0, 0, length, rollout.NoLimitSent},
		{"an item that says stop", model.Responses, fmt.Sprintf(completed, `,"status":"completed","finish_reason":"stop"`, 20, 5), 0, 0, stopped, ""},
		{"the provider's own reason", model.Chat, fmt.Sprintf(choice, "half", "stop", `,"native_finish_reason":"MAX_TOKENS"`, 20, 5), 0, 0, length, rollout.NoLimitSent},
		{"the provider's own stop", model.Chat, fmt.Sprintf(choice, "half", "stop", `,"native_finish_reason":"STOP"`, 20, 5), 0, 0, stopped, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			cfg := model.Config{API: c.api}
			if c.limit > 0 {
				cfg.MaxOutputTokens = &c.limit
			}
			m := serve(t, 200, c.answer).open(t, cfg)
			m.SetContext(c.context)
			got, err := m.Reply(t.Context(), sampler.Request{Item: makeItem(t, plainRow)})
			if err != nil || got.Finish != c.want || c.cutOff == "" != (got.CutOff == "") || !strings.Contains(got.CutOff, c.cutOff) {
				t.Errorf("finish %q, cut off %q: %v", got.Finish, got.CutOff, err)
			}
			if too := strings.HasPrefix(c.cutOff, rollout.ContextExceeded); sampler.TooLong(got.CutOff) != too {
				t.Errorf("the prompt does not fit: %t, want %t", !too, too)
			}
		})
	}
}
