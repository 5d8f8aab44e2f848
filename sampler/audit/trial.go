package audit

import (
	"context"
	"strconv"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// trialProbes lists the probes that show, before any rollout, whether a grader works at all: the
// reference, an empty answer and a wrong one.
func trialProbes() []Probe { return []Probe{reference, empty, wrong} }

// TrialAnswers makes the answers of a trial for a seeded sample of at most most items, and returns
// the number of items. All references come first: they decide, and the rest may not be reached. in
// needs no Records, and trialProbes replace its Probes.
func TrialAnswers(ctx context.Context, in Input, most int) (answers []sampler.Task, items int, err error) {
	in.Probes = trialProbes()
	plan, err := NewPlan(ctx, Config{Items: most}, in)
	if err != nil {
		return nil, 0, err
	}
	for _, probe := range in.Probes {
		for task := range plan.Tasks() {
			if task.Record.Probe.Name == probe.Name {
				answers = append(answers, task)
			}
		}
	}
	return answers, len(plan.Items), nil
}

var wrong = Probe{
	Name: "wrong", Expect: rollout.Bottom, Limit: partly,
	Doc: "The right answer of another item; text without meaning if there is none.",
	Make: func(c *Case) []Payload {
		if list := otherReference.Make(c); len(list) > 0 {
			return list
		}
		return c.worded(nonsense)
	},
}

// nonsense is not an answer to anything.
const nonsense = "Qwzx vlorp 0xdead: blenth, mirgle and sporf."

// WithToolCalls returns a task with the same answer after a made-up call of each tool that its item
// offers, in the form of a recorded rollout. If the item offers no tools it returns false, unless
// hidden says that the rollouts have tools that no item names; then it makes up one call.
func WithToolCalls(t sampler.Task, hidden bool) (sampler.Task, bool) {
	var tools []offered
	_ = jsontext.Unmarshal(t.Item.Tools, &tools) // a schema of another form is ignored
	if len(tools) == 0 {
		if !hidden {
			return t, false
		}
		tools = make([]offered, 1)
		tools[0].Function.Name = "tool"
	}
	rec := *t.Record
	rec.Calls, rec.Messages, rec.Turns = nil, nil, 2
	asks := rollout.Message{Role: "assistant"}
	for i, tool := range tools {
		call := rollout.ToolCall{ID: "call_" + strconv.Itoa(i), Name: tool.Function.Name, Arguments: "{}"}
		if args, ok := tool.Function.Parameters.value().(map[string]any); ok {
			call.Arguments = encode(args)
		}
		asks.ToolCalls = append(asks.ToolCalls, call)
		rec.Calls = append(rec.Calls, rollout.Call{
			ID: call.ID, Name: call.Name, Arguments: call.Arguments,
			Output: madeUp, OutputBytes: len(madeUp), Status: rollout.CallOK,
		})
		rec.Messages = append(rec.Messages, rollout.Message{
			Role: "tool", Content: madeUp, ToolCallID: call.ID,
			Name: call.Name,
		})
	}
	rec.Messages = append(append([]rollout.Message{asks}, rec.Messages...),
		rollout.Message{Role: "assistant", Content: rec.Answer})
	t.Record = &rec
	return t, true
}

// madeUp is the output of the made-up calls.
const madeUp = "text"

// offered is a tool as an item offers it.
type offered struct {
	Function struct {
		Name       string `json:"name"`
		Parameters schema `json:"parameters"`
	} `json:"function"`
}

// schema is the part of a JSON Schema that a made-up value needs.
type schema struct {
	Type       any               `json:"type"`
	Enum       []any             `json:"enum"`
	Properties map[string]schema `json:"properties"`
}

// value makes a value that matches the schema, as far as it goes; nil if it says too little.
func (s schema) value() any {
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	switch s.Type {
	case "string":
		return madeUp
	case "integer", "number":
		return 1
	case "boolean":
		return true
	case "array":
		return []any{}
	case "object":
		object := make(map[string]any, len(s.Properties))
		for name, property := range s.Properties {
			object[name] = property.value()
		}
		return object
	}
	return nil
}
