package importer

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// otlpInputs and otlpOutputs are the attributes that hold what a span was given and what it returned:
// of MLflow, Langfuse, LangSmith and OpenInference. Those of a model's call are whole requests and replies.
var (
	otlpInputs  = []string{"mlflow.spanInputs", "langfuse.observation.input", "gen_ai.prompt", "input.value"}
	otlpOutputs = []string{"mlflow.spanOutputs", "langfuse.observation.output", "gen_ai.completion", "output.value"}
)

// returned returns what a span returned, without the object that LangSmith wraps around a text.
func (a otlpAttributes) returned() string {
	text, members := a.text(otlpOutputs...), 0
	_ = rollout.Members([]byte(text), func(string, []byte) error {
		members++
		return nil
	})
	if members != 1 { // a tool's own object
		return text
	}
	switch whole := member([]byte(text), "output"); {
	case string(whole) == "null":
		return ""
	case len(whole) > 0 && whole[0] == '"':
		return jsontext.TextOrJSON(whole)
	}
	return text
}

// reply returns a whole reply of a model; nil if the span does not hold one.
func (a otlpAttributes) reply() json.RawMessage {
	for _, key := range otlpOutputs {
		if v := a.structured(key); v != nil {
			return v
		}
	}
	return nil
}

// firstChoice returns a member of a reply's first choice.
func firstChoice(reply json.RawMessage, key string) json.RawMessage {
	var choices []json.RawMessage
	if jsontext.Unmarshal(member(reply, "choices"), &choices) != nil || len(choices) == 0 {
		return nil
	}
	return member(choices[0], key)
}

// usage returns the tokens that a span of MLflow, Langfuse or a whole reply reports.
func (a otlpAttributes) usage() rollout.Usage {
	for _, key := range []string{"mlflow.chat.tokenUsage", "langfuse.observation.usage_details"} {
		if v := a.structured(key); v != nil {
			return transcript.UsageOf(v)
		}
	}
	return transcript.UsageOf(member(a.reply(), "usage"))
}

// bodies returns the messages of a whole request of Chat Completions or the Responses API and of its
// reply; none if the span holds something else.
func (a otlpAttributes) bodies() []rollout.Message {
	var in json.RawMessage
	for _, key := range otlpInputs {
		if in = a.structured(key); in != nil {
			break
		}
	}
	asked, ok := messagesIn(in, "messages", "input", "user")
	if !ok || len(asked) == 0 {
		return nil
	}
	if text := jsontext.TextOrJSON(member(in, "instructions")); text != "" && text != "null" {
		asked = slices.Insert(asked, 0, rollout.Message{Role: "system", Content: text})
	}
	reply := a.reply()
	if message := firstChoice(reply, "message"); message != nil {
		reply = message
	}
	if reply == nil {
		if text := a.text(otlpOutputs...); text != "" {
			asked = append(asked, rollout.Message{Role: "assistant", Content: text})
		}
		return asked
	}
	said, ok := messagesIn(reply, "messages", "output", "assistant")
	if !ok { // LangSmith's {"output": null} of a call that failed
		said = nil
	}
	return append(asked, said...)
}

// messagesIn returns the messages of a list, of one message, or of an object with messages or items of
// the Responses API.
func messagesIn(v json.RawMessage, messages, items, role string) ([]rollout.Message, bool) {
	if list := member(v, items); !isNone(list) {
		talk, err := transcript.Items(list)
		return talk, err == nil
	}
	switch list := member(v, messages); {
	case !isNone(list):
		v = list
	case bytes.HasPrefix(v, []byte("{")):
		v = slices.Concat([]byte("["), v, []byte("]"))
	}
	talk, err := transcript.Messages(v, role)
	return talk, err == nil && !slices.ContainsFunc(talk, func(m rollout.Message) bool { return m.Role == "" })
}

// metadataPrefixes are how the attributes begin that hold metadata of a span.
var metadataPrefixes = []string{
	"langfuse.observation.metadata.", "langfuse.trace.metadata.", "langsmith.metadata.",
}

// metadataKey returns the key of a span's metadata that an attribute holds.
func metadataKey(attribute string) (key string, ok bool) {
	for _, prefix := range metadataPrefixes {
		if key, ok = strings.CutPrefix(attribute, prefix); ok {
			return "metadata." + key, true
		}
	}
	return "", false
}
