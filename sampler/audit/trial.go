package audit

import (
	"context"
	"strconv"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// TrialProbes lists the probes that show, before any rollout, whether a grader
// works at all: the reference, an empty answer and a wrong one.
func TrialProbes() []Probe { return []Probe{reference, empty, wrong} }

// TrialAnswers makes the answers of a trial, on a seeded sample of at most that many items,
// and tells how many there were: all references first, for they decide, and the rest may not
// be reached. Of the input it takes no records, and the probes are TrialProbes.
func TrialAnswers(ctx context.Context, in Input, most int) (answers []sampler.Task, items int, err error) {
	in.Probes = TrialProbes()
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

// WithToolCalls returns a task with the same answer after a made-up call of each
// tool that its item offers, in the form of a recorded rollout; without any tool it
// reports false. own says that the rollouts have tools that no item names; then one
// such call is made up.
func WithToolCalls(t sampler.Task, own bool) (sampler.Task, bool) {
	var tools []offered
	_ = jsontext.Unmarshal(t.Item.Tools, &tools) // a schema of another form leaves its value out
	if len(tools) == 0 {
		if !own {
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

// madeUp is what tools that were not called answer.
const madeUp = "text"

// offered is a tool as an item offers it.
type offered struct {
	Function struct {
		Name       string `json:"name"`
		Parameters schema `json:"parameters"`
	} `json:"function"`
}

// schema is as much of a JSON Schema as a made-up value needs.
type schema struct {
	Type       any               `json:"type"`
	Enum       []any             `json:"enum"`
	Properties map[string]schema `json:"properties"`
}

// value makes a value that fits, as far as the schema says; nil else.
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
