package proxy

import (
	"encoding/json"

	"gonogo/sampler/rollout"
	"gonogo/sampler/transcript"
)

// reply is what the model answered, as far as it is recorded.
type reply struct {
	message *rollout.Message // nil: nothing that belongs to a conversation
	usage   rollout.Usage
}

// chatAnswer reads an answer of Chat Completions. Of several choices the first is
// recorded.
func chatAnswer(body []byte) reply {
	var a struct {
		Choices []struct {
			Message json.RawMessage `json:"message"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
	}
	_ = json.Unmarshal(body, &a) // what cannot be read is not recorded; the agent has it
	out := reply{usage: transcript.UsageOf(a.Usage)}
	if len(a.Choices) > 0 {
		out.message = assistant(a.Choices[0].Message)
	}
	return out
}

// assistant reads a message of the model; nil when it is none.
func assistant(raw json.RawMessage) *rollout.Message {
	var m transcript.ChatMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	message, err := m.Message()
	if err != nil {
		return nil
	}
	var refused struct {
		Refusal string `json:"refusal"`
	}
	_ = json.Unmarshal(raw, &refused)
	message.Role, message.Refusal = "assistant", refused.Refusal
	return &message
}

// responsesAnswer reads an answer of the Responses API.
func responsesAnswer(body []byte) reply {
	var a struct {
		Output json.RawMessage `json:"output"`
		Usage  json.RawMessage `json:"usage"`
	}
	_ = json.Unmarshal(body, &a)
	out := reply{usage: transcript.UsageOf(a.Usage)}
	messages, err := transcript.Items(a.Output)
	if err != nil || len(messages) == 0 {
		return out
	}
	// Reasoning between calls may have made several turns of one answer.
	whole := rollout.Message{Role: "assistant"}
	for _, m := range messages {
		whole.Content = joined(whole.Content, m.Content)
		whole.Reasoning = joined(whole.Reasoning, m.Reasoning)
		whole.ToolCalls = append(whole.ToolCalls, m.ToolCalls...)
	}
	out.message = &whole
	return out
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// usageAlone reads an answer that is no turn.
func usageAlone(body []byte) reply {
	var a struct {
		Usage json.RawMessage `json:"usage"`
	}
	_ = json.Unmarshal(body, &a)
	u := transcript.UsageOf(a.Usage)
	if u.Output == nil && u.Input != nil {
		u.Output = new(int64) // nothing is written
	}
	return reply{usage: u}
}
