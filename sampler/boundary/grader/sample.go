package grader

import (
	"bytes"
	"encoding/json"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// The tool calls that sample.output_tools shows of a rollout with several turns. Which of them the
// hosted trainer shows its graders is not documented; both have been seen.
const (
	All  = "all"  // every call of the rollout; choices[0].message.tool_calls is empty
	Last = "last" // the calls of the last turn that called tools, in both places
)

// Sample is the namespace sample: the output of one rollout as graders see it.
type Sample struct {
	text string
	out  sampler.Output
	last bool
	json json.RawMessage
}

// NewSample returns the namespace of an output. tools is All or Last; "" means All.
func NewSample(out sampler.Output, tools string) *Sample {
	return &Sample{text: out.Text, out: out, last: tools == Last}
}

// JSON returns the namespace as JSON: output_text, output_json (the text if it is a JSON object,
// else null), output_tools, output_reasoning_summary and choices with one choice.
func (s *Sample) JSON() json.RawMessage {
	if s.json != nil {
		return s.json
	}
	tools := s.tools()
	inMessage := tools
	if !s.last {
		inMessage = []byte("[]")
	}
	finish := s.out.FinishReason
	if finish == "" {
		finish = "stop"
	}
	b := append([]byte(nil), `{"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	b = jsontext.AppendQuoted(b, s.text)
	b = append(b, `,"refusal":null,"tool_calls":`...)
	b = append(b, inMessage...)
	b = append(b, `},"finish_reason":`...)
	b = jsontext.AppendQuoted(b, finish)
	b = append(b, `}],"output_text":`...)
	b = jsontext.AppendQuoted(b, s.text)
	b = append(b, `,"output_json":`...)
	b = append(b, outputJSON(s.text)...)
	b = append(b, `,"output_tools":`...)
	b = append(b, tools...)
	b = append(b, `,"output_reasoning_summary":`...)
	if s.out.Reasoning == "" {
		b = append(b, "null"...)
	} else {
		b = jsontext.AppendQuoted(b, s.out.Reasoning)
	}
	s.json = append(b, '}')
	return s.json
}

// outputJSON returns the answer if it is a JSON object, else null.
func outputJSON(text string) []byte {
	b := bytes.TrimSpace([]byte(text))
	if len(b) == 0 || b[0] != '{' || !json.Valid(b) {
		return []byte("null")
	}
	return b
}

// tools lists the calls in the format of Chat Completions' tool_calls.
func (s *Sample) tools() []byte {
	calls := s.out.Calls
	if s.last && len(calls) > 0 {
		turn := calls[len(calls)-1].Turn
		for len(calls) > 0 && calls[0].Turn != turn {
			calls = calls[1:]
		}
	}
	list := make([]rollout.ToolCall, len(calls))
	for i, c := range calls {
		list[i] = rollout.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
	}
	b, err := json.Marshal(list)
	if err != nil { // cannot happen: a list of strings always encodes
		return []byte("[]")
	}
	return b
}
