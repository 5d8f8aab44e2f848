package importer

import (
	"testing"

	"gonogo/sampler/rollout"
)

// A log's error for want of context is a prompt that was too long, unless the model had
// said something, or could have.
func TestAPromptThatWasTooLongInALog(t *testing.T) {
	user, model := rollout.Message{Role: "user"}, rollout.Message{Role: "assistant"}
	for _, c := range []struct {
		name string
		rec  rollout.Record
		want rollout.Outcome
	}{
		{"an error of the API", rollout.Record{Outcome: rollout.ModelAPI, Error: "BadRequestError: This model's maximum context length is 8192 tokens."}, rollout.PromptTooLong},
		{"of LiteLLM", rollout.Record{Outcome: rollout.ModelAPI, Error: "litellm.ContextWindowExceededError: no room", Messages: []rollout.Message{user}}, rollout.PromptTooLong},
		{"after a turn of the model", rollout.Record{Outcome: rollout.ModelAPI, Error: "ContextWindowExceededError", Messages: []rollout.Message{model, user}}, rollout.ModelAPI},
		{"a limit before the first turn", rollout.Record{Outcome: rollout.NoAnswer, Error: "context_window_exceeded", Messages: []rollout.Message{user}, Reward: new(float64)}, rollout.PromptTooLong},
		{"a limit of a log without the conversation", rollout.Record{Outcome: rollout.StepLimit, Error: "ContextLengthExceededError: prompt is too long"}, rollout.StepLimit},
		{"verifiers' own word for the first prompt", rollout.Record{Outcome: rollout.StepLimit, Error: "stopped by prompt_too_long"}, rollout.PromptTooLong},
		{"any other error", rollout.Record{Outcome: rollout.ModelAPI, Error: "RateLimitError: slow down"}, rollout.ModelAPI},
		{"a grade", rollout.Record{Outcome: rollout.Graded, Error: "context_window_exceeded", Reward: new(float64)}, rollout.Graded},
	} {
		if err := (Sink{Record: func(*rollout.Record) error { return nil }}).record(&c.rec); err != nil {
			t.Fatal(err)
		}
		if c.rec.Outcome != c.want || (c.want == rollout.PromptTooLong) && c.rec.Reward != nil {
			t.Errorf("%s: %s, reward %v; want %s", c.name, c.rec.Outcome, c.rec.Reward, c.want)
		}
	}
}
