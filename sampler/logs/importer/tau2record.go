package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

type tau2Simulation struct {
	TaskID   json.RawMessage `json:"task_id"`
	Trial    *int            `json:"trial"`
	Start    string          `json:"start_time"`
	Duration *float64        `json:"duration"`
	Reason   string          `json:"termination_reason"`
	Reward   *struct {
		Reward    json.RawMessage            `json:"reward"`
		Breakdown map[string]json.RawMessage `json:"reward_breakdown"`
	} `json:"reward_info"`
	Messages []tau2Message   `json:"messages"`
	Info     json.RawMessage `json:"info"`
	marked

	talk  []rollout.Message // see messages
	users int               // calls of the simulated user
}

func decodeTau2(raw []byte) (*tau2Simulation, error) {
	s, err := decodeRow[tau2Simulation](raw)
	if err == nil {
		s.talk = s.messages(&s.users)
	}
	return s, err
}

type tau2Message struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Requestor string          `json:"requestor"`
	} `json:"tool_calls"`
	ID        string          `json:"id"` // of the call that a tool message answers
	Requestor string          `json:"requestor"`
	Error     bool            `json:"error"`
	Answers   []tau2Message   `json:"tool_messages"` // of several calls, in one message
	Raw       json.RawMessage `json:"raw_data"`      // the endpoint's response
	Usage     *chatUsage      `json:"usage"`
}

// byUser reports whether the simulated user made a call. A call without a requestor is the agent's.
func byUser(requestor string) bool { return requestor == "user" }

// messages returns the conversation without the calls of the simulated user and their results. It
// adds the number of these calls to users.
func (s *tau2Simulation) messages(users *int) []rollout.Message {
	var out []rollout.Message
	for _, m := range s.flat() {
		if m.Role == "tool" && byUser(m.Requestor) {
			continue
		}
		msg := rollout.Message{Role: m.Role, Content: jsontext.TextOrJSON(m.Content)}
		if m.Role == "tool" {
			msg.ToolCallID = m.ID
		}
		userCalled := false
		for _, c := range m.ToolCalls {
			if byUser(c.Requestor) || c.Requestor == "" && m.Role == "user" {
				*users++
				userCalled = true
				continue
			}
			msg.ToolCalls = append(msg.ToolCalls,
				rollout.ToolCall{ID: c.ID, Name: c.Name, Arguments: jsontext.TextOrJSON(c.Arguments)})
		}
		if userCalled && msg.Content == "" && len(msg.ToolCalls) == 0 {
			continue
		}
		out = append(out, msg)
	}
	return out
}

// flat returns the messages; a message with the results of several calls is split into one message
// per result.
func (s *tau2Simulation) flat() []tau2Message {
	var out []tau2Message
	for _, m := range s.Messages {
		if len(m.Answers) > 0 {
			out = append(out, m.Answers...)
			continue
		}
		out = append(out, m)
	}
	return out
}

// tau2Ends maps the reason why a simulation ended to an outcome. The benchmark gives reward 0 to
// all but the first two.
var tau2Ends = map[string]rollout.Outcome{
	"user_stop": rollout.Graded, "agent_stop": rollout.Graded, "": rollout.Graded,
	"max_steps": rollout.StepLimit, "too_many_errors": rollout.StepLimit,
	"agent_error": rollout.NoAnswer, "context_window_exceeded": rollout.NoAnswer,
	"timeout": rollout.ModelAPI, "infrastructure_error": rollout.ModelAPI, "unexpected_error": rollout.ModelAPI,
	"user_error": rollout.ToolFailed, // the simulated user is part of the environment
}

func (s *tau2Simulation) record(id string, messages []rollout.Message) (*rollout.Record, error) {
	end, known := tau2Ends[s.Reason]
	if !known {
		return nil, fmt.Errorf("termination_reason %q is not known: it is not clear whether its reward counts",
			s.Reason)
	}
	rec := &rollout.Record{Item: id, Messages: afterSystem(messages)}
	rec.Calls, rec.Turns = transcript.CallsOf(rec.Messages, s.status())
	for _, m := range rec.Messages {
		if m.Role == "assistant" && m.Content != "" {
			rec.Answer = m.Content
		}
	}
	finished(rec, s.finish())
	rec.Elapsed = seconds(s.Duration)
	rec.Started = pythonTime(s.Start)
	rec.Usage = s.usage()
	return rec, s.grade(rec, end)
}

func (s *tau2Simulation) grade(rec *rollout.Record, end rollout.Outcome) error {
	var reward *float64
	if s.Reward != nil {
		var err error
		if reward, err = number("reward", s.Reward.Reward); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(s.Reward.Breakdown)) {
			part, err := number("reward_breakdown."+name, s.Reward.Breakdown[name])
			if err != nil {
				return err
			}
			setParts(rec, name, part)
		}
	}
	boundary, cause := s.failure(rollout.ModelAPI)
	switch {
	case end.Missing():
		fail(rec, end, s.cause())
		rec.Parts = nil
	case boundary != "":
		fail(rec, boundary, cause)
		rec.Parts = nil
	case end == rollout.Graded:
		grade(rec, reward, "reward_info is missing, or its reward is null or NaN")
	default:
		fail(rec, end, s.Reason)
		rec.Reward = reward
	}
	return nil
}

func (s *tau2Simulation) cause() string {
	var info struct {
		Error json.RawMessage `json:"error"`
		Type  string          `json:"error_type"`
	}
	_ = jsontext.Unmarshal(s.Info, &info) // it may have any shape: the reason is known without it
	text := transcript.FirstLine(jsontext.TextOrJSON(info.Error))
	switch {
	case text != "" && info.Type != "":
		return s.Reason + ": " + info.Type + ": " + text
	case text != "" || info.Type != "":
		return s.Reason + ": " + cmp.Or(text, info.Type)
	}
	return s.Reason
}

// status returns the status of a tool call, by the error flag of its message.
func (s *tau2Simulation) status() func(*rollout.Message) (rollout.CallStatus, string) {
	bad := make(map[string]bool)
	for _, m := range s.flat() {
		if m.Role == "tool" && !byUser(m.Requestor) {
			bad[m.ID] = m.Error
		}
	}
	return func(answer *rollout.Message) (rollout.CallStatus, string) {
		if bad[answer.ToolCallID] {
			return rollout.CallError, transcript.FirstLine(answer.Content)
		}
		return rollout.CallOK, ""
	}
}

// finish returns the finish_reason of the agent's last reply.
func (s *tau2Simulation) finish() string {
	for _, m := range slices.Backward(s.Messages) {
		if m.Role != "assistant" {
			continue
		}
		var raw struct {
			Choices []struct {
				Finish string `json:"finish_reason"`
			} `json:"choices"`
		}
		if jsontext.Unmarshal(m.Raw, &raw) == nil && len(raw.Choices) > 0 {
			return raw.Choices[0].Finish
		}
		return ""
	}
	return ""
}

// usage sums the tokens of the agent's turns: those of the simulated user are not the model's. The
// agent's greeting is not a turn of the model and has no usage.
func (s *tau2Simulation) usage() rollout.Usage {
	var input, output int64
	known := false
	for _, m := range s.Messages {
		if m.Role != "assistant" || m.Usage == nil || m.Usage.Input == nil || m.Usage.Output == nil {
			continue
		}
		input, output, known = input+*m.Usage.Input, output+*m.Usage.Output, true
	}
	if !known {
		return rollout.Usage{}
	}
	return rollout.Usage{Input: &input, Output: &output}
}
