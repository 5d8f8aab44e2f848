package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
	"gonogo/sampler/transcript"
)

// responses is the Responses wire format, stateless: every request carries the
// whole conversation, the model's own output items verbatim, reasoning included.
type responses struct{ frame }

func newResponses(cfg Config) (*responses, error) {
	w := &responses{frame{
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

func (w *responses) prompt(messages json.RawMessage, seed *int64) ([]byte, error) {
	messages, err := eachMessage(messages, responsesPart)
	return w.frame.prompt(messages, seed), err
}

type responsesAnswer struct {
	Status     string          `json:"status"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output json.RawMessage `json:"output"`
	Usage  json.RawMessage `json:"usage"`
	transcript.Server
}

// item is one output item, as far as we read it.
type item struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Phase     string          `json:"phase"` // commentary or final_answer, for models that label their messages
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
	Summary []struct {
		Text string `json:"text"`
	} `json:"summary"`
}

// parse reads a response. As in the hosted trainer's reference loop, a message
// that is not directly followed by a function call is the final answer, and
// calls of the same turn are then not made.
func (w *responses) parse(body []byte, ids *ids) (sampler.Reply, error) {
	var a responsesAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return sampler.Reply{}, &fault{}
	}
	if f := faultOf(a.Error); f != nil {
		return sampler.Reply{}, f
	}
	reply := sampler.Reply{Served: a.Server.String(), Usage: transcript.UsageOf(a.Usage)}
	switch a.Status {
	case "":
	case "completed":
		reply.Finish = rollout.FinishStop
	case "incomplete":
		finish, err := transcript.FinishOfIncomplete(a.Incomplete.Reason)
		if err != nil {
			return sampler.Reply{}, &fault{message: err.Error()}
		}
		ended(&reply, finish)
	default: // failed, cancelled, queued, in_progress
		return sampler.Reply{}, &fault{message: "the response has status " + a.Status}
	}
	output := bytes.TrimSpace(a.Output)
	var items []item
	if len(output) == 0 || output[0] != '[' || json.Unmarshal(output, &items) != nil {
		return sampler.Reply{}, &fault{}
	}
	// An answer that is not of this format is the endpoint's failure. Taken for
	// a silent turn it would count as the model's own, with a reward.
	if len(items) == 0 && a.Status == "" || slices.ContainsFunc(items, func(it item) bool { return it.Type == "" }) {
		return sampler.Reply{}, &fault{}
	}
	reply.Carry = bytes.TrimSpace(output[1 : len(output)-1])
	if readItems(items, &reply, ids) {
		carry, err := patch(output, items)
		if err != nil {
			return sampler.Reply{}, &fault{}
		}
		reply.Carry = carry
	}
	if a.Status == "" && reply.Text == "" && reply.Refusal == "" && len(reply.Calls) == 0 {
		return sampler.Reply{}, &fault{message: "the response has neither a status nor an answer"}
	}
	return reply, nil
}

// readItems fills the reply from output items. It reports whether a call was
// given another id or form, which is then written to the item too.
func readItems(items []item, reply *sampler.Reply, ids *ids) (changed bool) {
	var text, aside, refusal strings.Builder
	said := false // there is a message that is no commentary
	var reasoning []string
	for i := range items {
		it := &items[i]
		switch it.Type {
		case "message":
			to := &aside
			if it.Phase != "commentary" {
				to, said = &text, true
				reply.Final = reply.Final || i+1 == len(items) || items[i+1].Type != "function_call"
			}
			for _, c := range it.Content {
				to.WriteString(c.Text)
				refusal.WriteString(c.Refusal)
			}
		case "reasoning":
			for _, s := range it.Summary {
				reasoning = append(reasoning, s.Text)
			}
			for _, c := range it.Content {
				reasoning = append(reasoning, c.Text)
			}
		case "function_call":
			changed = readCall(it, reply, ids) || changed
		}
	}
	reply.Text, reply.Refusal, reply.Reasoning = text.String(), refusal.String(), strings.Join(reasoning, "\n\n")
	if !said { // what was said on the way is all there is
		reply.Text = aside.String()
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
	args := bytes.TrimSpace(it.Arguments)
	text := rollout.TextOrJSON(args)
	id := ids.pick(it.CallID, len(reply.Calls))
	changed = id != it.CallID || len(args) == 0 || args[0] != '"'
	it.CallID, it.Arguments = id, sampler.AppendQuoted(nil, text)
	reply.Calls = append(reply.Calls, rollout.ToolCall{ID: id, Name: it.Name, Arguments: text})
	return changed
}

// patch writes the ids and arguments of calls into the output items, which are
// otherwise sent back as they came.
func patch(output []byte, items []item) (json.RawMessage, error) {
	var raw []map[string]json.RawMessage
	if err := json.Unmarshal(output, &raw); err != nil {
		return nil, err
	}
	for i, it := range items {
		if it.Type == "function_call" {
			raw[i]["call_id"] = sampler.AppendQuoted(nil, it.CallID)
			raw[i]["arguments"] = it.Arguments
		}
	}
	b, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	return b[1 : len(b)-1], nil
}

// flatFormat converts a response_format from chat form, where json_schema is
// nested, to the form of Responses; nil when there is none.
func flatFormat(raw json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		return nil, nil
	}
	var f struct {
		Type   string                     `json:"type"`
		Schema map[string]json.RawMessage `json:"json_schema"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("read response_format: %w", err)
	}
	if f.Schema == nil {
		return raw, nil
	}
	f.Schema["type"] = sampler.AppendQuoted(nil, f.Type)
	return json.Marshal(f.Schema)
}
