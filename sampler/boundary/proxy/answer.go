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

// reply holds the recorded parts of the model's answer.
type reply struct {
	message *rollout.Message // nil if the answer is not part of a conversation
	finish  rollout.Finish   // how it ended; "" if the server does not say
	served  string           // what replied, by the server's name for it
	broken  bool             // the server, not the model, ended it: failed says why, and the agent does not get it
	usage   rollout.Usage
	failed  *endpoint.Failure // the failure that the server reports instead of an answer; nil if none
	cutOff  string            // why the failure is the rollout's own doing; "" if it is the server's
}

// failureOf reads the "error" of an answer with status 200; nil if there is none.
func failureOf(raw json.RawMessage) *endpoint.Failure {
	text := jsontext.TextOrJSON(raw)
	if text == "" || text == "{}" || text == "false" {
		return nil
	}
	var e struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
	}
	_ = jsontext.Unmarshal(raw, &e) // an error that is a string has neither
	f := unusable(text)
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

// unusable returns the failure of an answer with status 200 that cannot be used.
func unusable(why string) *endpoint.Failure {
	return &endpoint.Failure{Status: http.StatusOK, Temporary: true, Err: errors.New(why)}
}

// unreadable returns the failure of an answer with status 200 that cannot be read, with its text.
func unreadable(body []byte) *endpoint.Failure {
	return unusable("the answer cannot be used: " + endpoint.ErrorText(endpoint.Answer{Body: body}))
}

// chatAnswer reads an answer of Chat Completions. If it has several choices, only the first is recorded.
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
		out.setFinish(transcript.FinishOfReply(a.Choices[0].Finish, out.hasContent()))
	}
	return out
}

// hasContent reports whether the model wrote anything in a reply.
func (r *reply) hasContent() bool {
	m := r.message
	return m != nil && (m.Content != "" || m.Refusal != "" || len(m.ToolCalls) > 0)
}

// setFinish records how a reply ended. err says why the server, not the model, ended it; nil if the model did.
func (r *reply) setFinish(finish rollout.Finish, err error) {
	if r.finish = finish; err != nil {
		r.broken, r.failed = true, unusable(err.Error())
	} else if r.message != nil && r.message.Refusal != "" {
		r.finish = rollout.FinishRefusal
	}
}

// assistant reads a message of the model; nil if it is not valid.
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
		out.setFinish(transcript.FinishOfIncomplete(a.Incomplete.Reason))
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
	// transcript.Items makes several messages of an answer with reasoning between calls.
	merged := rollout.Message{Role: "assistant"}
	for _, m := range messages {
		merged.Content = joined(merged.Content, m.Content)
		merged.Reasoning = joined(merged.Reasoning, m.Reasoning)
		merged.ToolCalls = append(merged.ToolCalls, m.ToolCalls...)
	}
	out.message = &merged
	return out
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// readUsage reads the usage of an answer that is not a turn.
func readUsage(body []byte) reply {
	var a struct {
		Usage json.RawMessage `json:"usage"`
	}
	_ = jsontext.Unmarshal(body, &a)
	u := transcript.UsageOf(a.Usage)
	if u.Input != nil { // embeddings have no output and no reasoning; a missing count of cached tokens is 0
		u.Output, u.Reasoning, u.Cached = cmp.Or(u.Output, new(int64)), cmp.Or(u.Reasoning, new(int64)),
			cmp.Or(u.Cached, new(int64))
	}
	return reply{usage: u}
}
