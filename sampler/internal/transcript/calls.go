package transcript

import (
	"encoding/json"
	"strings"

	"gonogo/sampler/rollout"
)

// CallsOf returns the tool calls of a conversation, each with the tool's result and the status that
// status derives from the result, and the number of model turns.
func CallsOf(messages []rollout.Message, status func(answer *rollout.Message) (rollout.CallStatus,
	string),
) (calls []rollout.Call, turns int) {
	for i, m := range messages {
		if m.Role != "assistant" {
			continue
		}
		outputs := answers(messages[i+1:])
		for n, c := range m.ToolCalls {
			call := rollout.Call{
				Turn: turns, ID: c.ID, Name: c.Name, Arguments: c.Arguments,
				Status: CallStatus(c.Arguments),
			}
			if out := match(outputs, c.ID, n); out != nil {
				call.Output, call.OutputBytes = out.Content, len(out.Content)
				reported, why := status(out)
				call.Error = why
				if call.Status == rollout.CallOK {
					call.Status = reported
				}
			}
			calls = append(calls, call)
		}
		turns++
	}
	return calls, turns
}

// CallStatus returns the status of a call from its arguments alone: malformed if they cannot be
// parsed. Empty arguments are fine: a tool without parameters is often called without any.
func CallStatus(arguments string) rollout.CallStatus {
	if strings.TrimSpace(arguments) != "" && !json.Valid([]byte(arguments)) {
		return rollout.CallMalformed
	}
	return rollout.CallOK
}

// answers returns the tool messages before the next turn of the model.
func answers(messages []rollout.Message) []rollout.Message {
	for i, m := range messages {
		if m.Role != "tool" {
			return messages[:i]
		}
	}
	return messages
}

// match finds the result of a call by its id, or by its position if ids are missing.
func match(answers []rollout.Message, id string, place int) *rollout.Message {
	for i := range answers {
		if id != "" && answers[i].ToolCallID == id {
			return &answers[i]
		}
	}
	if place < len(answers) && (id == "" || answers[place].ToolCallID == "") {
		return &answers[place]
	}
	return nil
}
