package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// responses is the Responses wire format, used without state on the server: every request has the
// whole conversation, with the model's output items verbatim, including reasoning.
type responses struct {
	frame
	tools convertedTools
}

func newResponses(cfg Config) (*responses, error) {
	w := &responses{frame: frame{
		list: "input", include: `["reasoning.encrypted_content"]`,
		kind: `"type":"function_call_output"`, call: "call_id", text: "output",
	}}
	w.setParallel(cfg.ParallelToolCalls)
	head := object(nil)
	head.text("model", cfg.Name)
	head.raw("store", "false")
	if cfg.ReasoningEffort != "" {
		head.key("reasoning")
		effort := object(head.buf)
		effort.text("effort", cfg.ReasoningEffort)
		head.buf = effort.end()
	}
	head.number("temperature", cfg.Temperature)
	head.number("top_p", cfg.TopP)
	head.extra(cfg.Extra)
	head.count("max_output_tokens", cfg.MaxOutputTokens)
	format, err := flatFormat(cfg.ResponseFormat)
	if err != nil {
		return nil, err
	}
	if format != nil {
		head.raw("text", `{"format":`+string(format)+`}`)
	}
	w.head = head.buf
	return w, nil
}

func (w *responses) prompt(messages json.RawMessage, seed *int64, without omitted) ([]byte, error) {
	messages, err := eachMessage(messages, nil, responsesPart)
	return w.frame.prompt(messages, seed, without), err
}

type responsesAnswer struct {
	status, reason       string
	error, output, usage json.RawMessage
	server               transcript.Server
}

// read splits an answer into the fields that are used. It fails if the answer is not in this format.
func (a *responsesAnswer) read(body []byte) error {
	return jsontext.Fields(body, func(key, value []byte) error {
		switch string(key) {
		case "status":
			return jsontext.ReadText(value, &a.status)
		case "error":
			a.error = value
		case "incomplete_details":
			return fieldsOf(value, func(key, value []byte) error {
				if string(key) == "reason" {
					return jsontext.ReadText(value, &a.reason)
				}
				return nil
			})
		case "output":
			a.output = value
		case "usage":
			a.usage = value
		case "model":
			a.server.Model = value
		case "system_fingerprint":
			a.server.Fingerprint = value
		}
		return nil
	})
}

// fieldsOf is jsontext.Fields for an object that may be null.
func fieldsOf(text []byte, visit func(key, value []byte) error) error {
	if string(text) == "null" {
		return nil
	}
	return jsontext.Fields(text, visit)
}

// item holds the fields of one output item that are used.
type item struct {
	kind, callID, name string
	arguments          json.RawMessage
	phase              string   // commentary or final_answer, for models that label their messages
	content, summary   []string // the texts of the parts
	refusal            string
	cut                bool // the item's status or reason says that it was cut off
}

func (it *item) read(text []byte) error {
	return jsontext.Fields(text, func(key, value []byte) (err error) {
		switch string(key) {
		case "type":
			return jsontext.ReadText(value, &it.kind)
		case "call_id":
			return jsontext.ReadText(value, &it.callID)
		case "name":
			return jsontext.ReadText(value, &it.name)
		case "status":
			it.cut = it.cut || jsontext.TextOrJSON(value) == "incomplete"
		case "finish_reason": // sent by proxies that translate Chat Completions
			it.cut = it.cut || rollout.FinishOf(jsontext.TextOrJSON(value)) == rollout.FinishLength
		case "arguments":
			it.arguments = value
		case "phase":
			return jsontext.ReadText(value, &it.phase)
		case "content":
			it.content, it.refusal, err = readParts(value)
		case "summary":
			it.summary, _, err = readParts(value)
		}
		return err
	})
}

// readParts reads the parts of a content: the text of each, and their joined refusals.
func readParts(list []byte) (texts []string, refusal string, err error) {
	err = jsontext.List(list, func(part []byte) error {
		var text, refused, kind string
		err := fieldsOf(part, func(key, value []byte) error {
			switch string(key) {
			case "text":
				return jsontext.ReadText(value, &text)
			case "refusal":
				return jsontext.ReadText(value, &refused)
			case "type": // read only to refuse a type that is not a string
				return jsontext.ReadText(value, &kind)
			}
			return nil
		})
		texts, refusal = append(texts, text), refusal+refused
		return err
	})
	return texts, refusal, err
}

// unstreamed returns the response in the last event of a stream. Some servers, such as that of
// transformers, send a stream although none was requested. Any other body is returned unchanged.
func unstreamed(body []byte) []byte {
	stream := bytes.TrimSpace(body)
	if !bytes.HasPrefix(stream, []byte("data:")) && !bytes.HasPrefix(stream, []byte("event:")) {
		return body
	}
	for line := range bytes.Lines(stream) {
		event, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		var kind string
		var response []byte
		err := jsontext.Fields(bytes.TrimSpace(event), func(key, value []byte) error {
			switch string(key) {
			case "type":
				return jsontext.ReadText(value, &kind)
			case "response":
				response = value
			}
			return nil
		})
		if err == nil && (kind == "response.completed" || kind == "response.incomplete" || kind == "response.failed") {
			return response
		}
	}
	return body
}

// parse reads a response. As in the hosted trainer's reference loop, a message that is not directly
// followed by a function call is the final answer, and the calls of that turn are not made.
func (w *responses) parse(body []byte, ids *ids) (sampler.Reply, error) {
	var a responsesAnswer
	if err := a.read(unstreamed(body)); err != nil {
		return sampler.Reply{}, &fault{}
	}
	if f := faultOf(a.error); f != nil {
		return sampler.Reply{}, f
	}
	reply := sampler.Reply{Served: a.server.String(), Usage: transcript.UsageOf(a.usage)}
	switch a.status {
	case "":
	case "completed":
		reply.Finish = rollout.FinishStop
	case "incomplete":
		finish, err := transcript.FinishOfIncomplete(a.reason)
		if err != nil {
			return sampler.Reply{}, &fault{message: err.Error()}
		}
		setFinish(&reply, finish)
	default: // failed, cancelled, queued, in_progress
		return sampler.Reply{}, &fault{message: "the response has status " + a.status}
	}
	// An answer in another format is the endpoint's failure. Read as a turn without text, it would
	// count as the model's own doing, with a reward.
	var items []item
	output := a.output
	if len(output) == 0 || output[0] != '[' || jsontext.List(output, func(text []byte) error {
		var it item
		err := it.read(text)
		items = append(items, it)
		return err
	}) != nil {
		return sampler.Reply{}, &fault{}
	}
	if len(items) == 0 && a.status == "" || slices.ContainsFunc(items, func(it item) bool { return it.kind == "" }) {
		return sampler.Reply{}, &fault{}
	}
	if reply.Finish == rollout.FinishStop && slices.ContainsFunc(items, func(it item) bool { return it.cut }) {
		setFinish(&reply, rollout.FinishLength)
	}
	reply.Carry = bytes.TrimSpace(output[1 : len(output)-1])
	if readItems(items, &reply, ids) {
		carry, err := patch(output, items)
		if err != nil {
			return sampler.Reply{}, &fault{}
		}
		reply.Carry = carry
	}
	if a.status == "" && reply.Text == "" && reply.Refusal == "" && len(reply.Calls) == 0 {
		return sampler.Reply{}, &fault{message: "the response has neither a status nor an answer"}
	}
	return reply, nil
}

// readItems fills the reply from output items. It reports whether it changed the id or the arguments
// of a call; it then changes the item, too.
func readItems(items []item, reply *sampler.Reply, ids *ids) (changed bool) {
	var text, commentary string
	hasMessage := false // there is a message that is not a commentary
	var reasoning []string
	for i := range items {
		it := &items[i]
		switch it.kind {
		case "message":
			to := &commentary
			if it.phase != "commentary" {
				to, hasMessage = &text, true
				reply.Final = reply.Final || i+1 == len(items) || items[i+1].kind != "function_call"
			}
			*to += strings.Join(it.content, "")
			reply.Refusal += it.refusal
		case "reasoning":
			reasoning = append(append(reasoning, it.summary...), it.content...)
		case "function_call":
			changed = readCall(it, reply, ids) || changed
		}
	}
	reply.Text, reply.Reasoning = text, strings.Join(reasoning, "\n\n")
	if !hasMessage { // there is nothing but commentary
		reply.Text = commentary
	}
	if len(reply.Calls) == 0 && reply.Text != "" {
		reply.Final = true
	}
	if reply.Final {
		reply.Calls = nil
	}
	return changed
}

func readCall(it *item, reply *sampler.Reply, ids *ids) (changed bool) {
	args := it.arguments
	text := jsontext.TextOrJSON(args)
	id := ids.pick(it.callID, len(reply.Calls))
	changed = id != it.callID || len(args) == 0 || args[0] != '"'
	if it.callID = id; changed {
		it.arguments = jsontext.AppendQuoted(nil, text)
	}
	reply.Calls = append(reply.Calls, rollout.ToolCall{ID: id, Name: it.name, Arguments: text})
	return changed
}

// patch writes the ids and arguments of calls into the output items, which are otherwise sent back
// unchanged.
func patch(output []byte, items []item) (json.RawMessage, error) {
	var raw []map[string]json.RawMessage
	if err := jsontext.Unmarshal(output, &raw); err != nil {
		return nil, err
	}
	for i, it := range items {
		if it.kind == "function_call" {
			raw[i]["call_id"] = jsontext.AppendQuoted(nil, it.callID)
			raw[i]["arguments"] = it.arguments
		}
	}
	b, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	return b[1 : len(b)-1], nil
}

// flatFormat converts a response_format from chat format, where json_schema is nested, to that of
// Responses; nil if there is none.
func flatFormat(raw json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		return nil, nil
	}
	var f struct {
		Type   string                     `json:"type"`
		Schema map[string]json.RawMessage `json:"json_schema"`
	}
	if err := jsontext.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("read response_format: %w", err)
	}
	if f.Schema == nil {
		return raw, nil
	}
	f.Schema["type"] = jsontext.AppendQuoted(nil, f.Type)
	return json.Marshal(f.Schema)
}
