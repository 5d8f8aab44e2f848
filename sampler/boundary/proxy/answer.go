package proxy

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// reply is what the model answered, as far as it is recorded.
type reply struct {
	message *rollout.Message // nil: nothing that belongs to a conversation
	finish  rollout.Finish   // how it ended; "" when the server does not say
	served  string           // what replied, as the server names it
	broken  bool             // the server ended it, not the model: failed says so, and the agent is not given it
	usage   rollout.Usage
	failed  *endpoint.Failure // what the server tells in the place of an answer; nil: it answered
	cutOff  string            // why that is the rollout's own doing; "" when it is the server's
}

// failureOf reads the "error" of an answer of status 200; nil when there is none.
func failureOf(raw json.RawMessage) *endpoint.Failure {
	text := jsontext.TextOrJSON(raw)
	if text == "" || text == "{}" || text == "false" {
		return nil
	}
	var e struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
	}
	_ = jsontext.Unmarshal(raw, &e) // a text has neither
	f := useless(text)
	code, message := jsontext.TextOrJSON(e.Code), jsontext.TextOrJSON(e.Message)
	if message != "" {
		f.Err = errors.New(strings.TrimSpace(code + " " + message))
	}
	var status int
	if jsontext.Unmarshal(e.Code, &status) == nil && status >= 400 && status < 600 {
		f.Hidden, f.Temporary = status, endpoint.Temporary(status)
	}
	return f
}

// useless is an answer of status 200 that is unusable.
func useless(why string) *endpoint.Failure {
	return &endpoint.Failure{Status: http.StatusOK, Temporary: true, Err: errors.New(why)}
}

// unreadable is like useless, with what there is.
func unreadable(body []byte) *endpoint.Failure {
	return useless("the answer cannot be used: " + endpoint.ErrorText(endpoint.Answer{Body: body}))
}

// chatAnswer reads an answer of Chat Completions. Of several choices the first is
// recorded.
func chatAnswer(body []byte) reply {
	var a struct {
		Error   json.RawMessage `json:"error"`
		Choices []struct {
			Error   json.RawMessage `json:"error"`
			Message json.RawMessage `json:"message"`
			Finish  json.RawMessage `json:"finish_reason"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
		transcript.Server
	}
	err := jsontext.Unmarshal(body, &a)
	out := reply{usage: transcript.UsageOf(a.Usage), served: a.String(), failed: failureOf(a.Error)}
	if err != nil || len(a.Choices) == 0 {
		out.failed = cmp.Or(out.failed, unreadable(body))
		return out
	}
	out.message, out.failed = assistant(a.Choices[0].Message), cmp.Or(out.failed, failureOf(a.Choices[0].Error))
	if out.failed == nil {
		out.ends(transcript.FinishOfReply(a.Choices[0].Finish, out.said()))
	}
	return out
}

// said reports whether there is anything of the model's in a reply.
func (r *reply) said() bool {
	m := r.message
	return m != nil && (m.Content != "" || m.Refusal != "" || len(m.ToolCalls) > 0)
}

// ends notes how a reply ended; err is why that was not the model's doing.
func (r *reply) ends(finish rollout.Finish, err error) {
	if r.finish = finish; err != nil {
		r.broken, r.failed = true, useless(err.Error())
	} else if r.message != nil && r.message.Refusal != "" {
		r.finish = rollout.FinishRefusal
	}
}

// assistant reads a message of the model; nil when it is none.
func assistant(raw json.RawMessage) *rollout.Message {
	var m transcript.ChatMessage
	if jsontext.Unmarshal(raw, &m) != nil {
		return nil
	}
	message, err := m.Message()
	if err != nil {
		return nil
	}
	var refused struct {
		Refusal string `json:"refusal"`
	}
	_ = jsontext.Unmarshal(raw, &refused)
	message.Role, message.Refusal = "assistant", refused.Refusal
	return &message
}

// responsesAnswer reads an answer of the Responses API.
func responsesAnswer(body []byte) reply {
	var a struct {
		Status     string `json:"status"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Error  json.RawMessage `json:"error"`
		Output json.RawMessage `json:"output"`
		Usage  json.RawMessage `json:"usage"`
		transcript.Server
	}
	err := jsontext.Unmarshal(body, &a)
	out := reply{usage: transcript.UsageOf(a.Usage), served: a.String(), failed: failureOf(a.Error)}
	switch {
	case out.failed != nil:
	case a.Status == "completed":
		out.finish = rollout.FinishStop
	case a.Status == "incomplete":
		out.ends(transcript.FinishOfIncomplete(a.Incomplete.Reason))
	}
	var messages []rollout.Message
	if err == nil {
		messages, err = transcript.Items(a.Output)
	}
	if err != nil || len(a.Output) == 0 {
		out.failed = cmp.Or(out.failed, unreadable(body))
	}
	if len(messages) == 0 {
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

// usageAlone reads an answer that is not a turn.
func usageAlone(body []byte) reply {
	var a struct {
		Usage json.RawMessage `json:"usage"`
	}
	_ = jsontext.Unmarshal(body, &a)
	u := transcript.UsageOf(a.Usage)
	if u.Input != nil { // nothing is written or thought, and what is left out was not cached
		u.Output, u.Reasoning, u.Cached = cmp.Or(u.Output, new(int64)), cmp.Or(u.Reasoning, new(int64)),
			cmp.Or(u.Cached, new(int64))
	}
	return reply{usage: u}
}
