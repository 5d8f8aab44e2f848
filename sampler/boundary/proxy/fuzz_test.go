package proxy

import (
	"testing"

	"gonogo/sampler/rollout"
)

// Whatever a model answers, whole or in events, is read without a panic, and its
// counts can be true.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"message":{"role":"assistant","content":"42"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
		`{"choices":[{"delta":{"content":"4","tool_calls":[{"index":3,"id":"c","function":{"name":"f","arguments":"{"}}]}}]}`,
		`{"choices":[{"delta":{"tool_calls":[{"index":-1},{"index":1000000}]}}],"usage":{"prompt_tokens":-7}}`,
		`{"type":"response.completed","response":{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"42"}]},{"type":"function_call","name":"f"}]}}`,
		`{"output":"x","choices":[{"message":null}]}`, `[DONE]`, "", "null",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, d := range dialects() {
			replies := []reply{d.answer(body)}
			if d.stream != nil {
				s := d.stream()
				s.event(body)
				s.event(dataOf(append([]byte("data: "), body...)))
				replies = append(replies, s.reply())
			}
			for _, r := range replies {
				for _, n := range []*int64{r.usage.Input, r.usage.Output} {
					if n != nil && *n < 0 {
						t.Errorf("%s: %q counts %d tokens", d.path, body, *n)
					}
				}
				if r.message != nil && r.message.Role != "assistant" {
					t.Errorf("%s: %q is a message of %s", d.path, body, r.message.Role)
				}
			}
			if d.read != nil {
				if messages, err := d.read(body); err == nil {
					news(messages, &rollout.Item{}, true)
				}
			}
		}
	})
}
