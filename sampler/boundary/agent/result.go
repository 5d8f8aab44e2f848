package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/failure"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// Result is an agent's answer for a rollout. Output, or one of Refusal, Limit and Error, is required;
// everything else is optional, except the TraceID of a process that makes several rollouts.
type Result struct {
	TraceID   string          `json:"trace_id"`   // if set, the same as in the request
	Output    *string         `json:"output"`     // the final answer
	Refusal   string          `json:"refusal"`    // the model refused
	Limit     string          `json:"limit"`      // the limit that ended the rollout, such as max_steps
	Error     *Error          `json:"error"`      // the rollout failed
	Messages  json.RawMessage `json:"messages"`   // the conversation, as chat messages; it may begin with the prompt
	ToolCalls []Call          `json:"tool_calls"` // instead of messages, or in addition to them
	Turns     int             `json:"turns"`      // number of the model's replies
	Usage     *Usage          `json:"usage"`
}

// Error is a failure that an agent reports.
type Error struct {
	Boundary string `json:"boundary"` // model, tool or agent (itself)
	Message  string `json:"message"`
}

// Call is a tool call.
type Call struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // an object, or its JSON as a string
	Output    json.RawMessage `json:"output"`    // a string, or any JSON
	Error     string          `json:"error"`     // the tool refused or failed, and the model saw that
	Offset    rollout.Seconds `json:"offset_s"`  // time since the start of the rollout
	Elapsed   rollout.Seconds `json:"elapsed_s"`
}

// mostTurns is more than any rollout has. Sums of larger numbers could overflow.
const mostTurns = 1e6

// Usage counts tokens, with the names of Responses and Chat Completions and their details.
type Usage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	Prompt     *int64 `json:"prompt_tokens"`
	Completion *int64 `json:"completion_tokens"`
	Reasoning  *int64 `json:"reasoning_tokens"`
	Cached     *int64 `json:"cached_tokens"`

	InputDetails      *Usage `json:"input_tokens_details"`
	OutputDetails     *Usage `json:"output_tokens_details"`
	PromptDetails     *Usage `json:"prompt_tokens_details"`
	CompletionDetails *Usage `json:"completion_tokens_details"`
}

// played reads a result. named says that the result must have a trace id. An error wraps a
// *sampler.AgentError.
func played(text []byte, p sampler.AgentRequest, named bool) (sampler.AgentResult, error) {
	var r Result
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] != '{' {
		return sampler.AgentResult{}, garbled("the agent wrote %s instead of a JSON object", quoted(text))
	}
	if err := jsontext.Unmarshal(text, &r); err != nil {
		return sampler.AgentResult{}, garbled("the agent's result cannot be read as JSON: %v", err)
	}
	reported, err := failureOf(text)
	if err != nil {
		return sampler.AgentResult{}, garbled("the agent's result cannot be read as JSON: %v", err)
	}
	switch {
	case r.TraceID == "" && named:
		return sampler.AgentResult{},
			garbled(`the agent's result has no "trace_id": it must name its rollout, as the request did`)
	case r.TraceID != "" && r.TraceID != p.TraceID:
		return sampler.AgentResult{}, garbled("the agent answered for rollout %s, which it was not asked to make",
			endpoint.Brief(r.TraceID))
	case r.Error != nil && !(r.Error.Boundary == "" && failure.None(r.Error.Message) && r.Output != nil):
		return sampler.AgentResult{}, r.Error.failure()
	case reported != "":
		return sampler.AgentResult{}, (&Error{Message: reported}).failure()
	case r.Output == nil && r.Refusal == "" && r.Limit == "":
		return sampler.AgentResult{},
			garbled(
				`the agent's result has no "output": it must say what the answer is ("" for none), or "refusal", "limit" or "error"`)
	case r.Turns < 0 || r.Turns > mostTurns:
		return sampler.AgentResult{}, garbled(`the agent's result has %d "turns"`, r.Turns)
	case !r.Usage.possible():
		return sampler.AgentResult{}, garbled(`the agent's "usage" has a negative or impossible number of tokens`)
	}
	done := sampler.AgentResult{Refusal: r.Refusal, Limit: r.Limit, Turns: r.Turns, Usage: r.Usage.counts()}
	if r.Output != nil {
		done.Output = *r.Output
	}
	if err := r.converse(&done, p); err != nil {
		return sampler.AgentResult{}, err
	}
	return done, nil
}

// failureOf returns the mark of failure in a result, apart from error and limit; "" if none.
func failureOf(text []byte) (string, error) {
	var marks failure.Marks
	err := rollout.Members(text, func(key string, value []byte) error {
		if key != "error" && key != "limit" {
			marks.Result(key, value)
		}
		return nil
	})
	f, failed := marks.First()
	if err != nil || !failed {
		return "", err
	}
	return f.Text(), nil
}

// UnmarshalJSON reads an error. Agents may also write it as a string.
func (e *Error) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		e.Message = jsontext.TextOrJSON(text)
		return nil
	}
	type plain Error
	return jsontext.Unmarshal(text, (*plain)(e))
}

// converse reads the conversation, as far as the agent reported it.
func (r *Result) converse(done *sampler.AgentResult, p sampler.AgentRequest) error {
	messages, err := transcript.Messages(r.Messages, "assistant")
	if err != nil {
		return garbled(`the agent's "messages" are not chat messages: %v`, err)
	}
	messages = afterPrompt(messages, p)
	if len(messages) > 0 {
		calls, turns := transcript.CallsOf(messages, transcript.UnreportedStatus)
		done.Messages, done.Calls, done.Turns = messages, calls, max(done.Turns, turns)
	}
	fromMessages := done.Calls
	var reported []rollout.Call
	for i, c := range r.ToolCalls {
		call := rollout.Call{
			Turn: i, ID: c.ID, Name: c.Name, Arguments: jsontext.TextOrJSON(c.Arguments),
			Output: jsontext.TextOrJSON(c.Output),
			Status: transcript.CallStatus(jsontext.TextOrJSON(c.Arguments)), Error: endpoint.Brief(c.Error),
			Offset: c.Offset, Elapsed: c.Elapsed,
		}
		if c.Name == "" || c.Offset < 0 || c.Elapsed < 0 {
			return garbled(`the agent's tool call %d has no name, or a time below 0`, i+1)
		}
		call.OutputBytes = len(call.Output)
		if c.Error != "" && call.Status == rollout.CallOK {
			call.Status = rollout.CallError
		}
		if len(fromMessages) == len(r.ToolCalls) {
			call.Turn = fromMessages[i].Turn
		}
		reported = append(reported, call)
	}
	if reported != nil {
		done.Calls = reported // they have more details than the messages
	}
	return nil
}

// afterPrompt removes the item's messages, if the agent repeats them. It keeps the agent's own
// instructions, which may come before the item's messages or replace the item's instructions.
func afterPrompt(messages []rollout.Message, p sampler.AgentRequest) []rollout.Message {
	var kept []rollout.Message
	for prompt := p.Item.Messages; len(prompt) > 0 && len(messages) > 0; {
		switch m := messages[0]; {
		case m.Role == prompt[0].Role && m.Content == prompt[0].Content:
			prompt, messages = prompt[1:], messages[1:]
		case isInstruction(m):
			kept, messages = append(kept, m), messages[1:]
		case isInstruction(prompt[0]):
			prompt = prompt[1:]
		default:
			return append(kept, messages...)
		}
	}
	return append(kept, messages...)
}

func isInstruction(m rollout.Message) bool { return m.Role == "system" || m.Role == "developer" }

// failure returns the failure that the agent reports.
func (e *Error) failure() error {
	message := e.Message
	if message == "" {
		message = "no reason given"
	}
	switch e.Boundary {
	case "model":
		return failed("", rollout.ModelAPI, fmt.Errorf("the agent says that its model failed: %s", message))
	case "tool":
		return failed("", rollout.ToolFailed, fmt.Errorf("the agent says that a tool failed: %s", message))
	}
	return failed(sampler.KindAgentError, rollout.ToolFailed, fmt.Errorf("the agent says that it failed: %s", message))
}

// counts returns the usage. A count that is not reported is unknown.
func (u *Usage) counts() rollout.Usage {
	if u == nil {
		return rollout.Usage{}
	}
	cached, reasoning := []*int64{u.Cached}, []*int64{u.Reasoning}
	for _, d := range []*Usage{u.InputDetails, u.OutputDetails, u.PromptDetails, u.CompletionDetails} {
		if d != nil {
			cached, reasoning = append(cached, d.Cached), append(reasoning, d.Reasoning)
		}
	}
	return rollout.Usage{
		Input: cmp.Or(u.Input, u.Prompt), Output: cmp.Or(u.Output, u.Completion),
		Reasoning: cmp.Or(reasoning...), Cached: cmp.Or(cached...),
	}
}

// possible reports whether the counts are plausible, each from 0 to 1e12: they count against budgets.
func (u *Usage) possible() bool {
	const most = 1e12
	counts := u.counts()
	for _, n := range []*int64{counts.Input, counts.Output, counts.Reasoning, counts.Cached} {
		if n != nil && (*n < 0 || *n > most) {
			return false
		}
	}
	return true
}

// garbled returns the failure of an unusable result.
func garbled(format string, args ...any) error {
	return failed(sampler.KindAgentGarbled, rollout.ToolFailed, fmt.Errorf(format, args...))
}

// hung returns the failure of an agent that gave no result in time. more ends the message.
func hung(p sampler.AgentRequest, more string) error {
	return failed(sampler.KindAgentHung, rollout.ToolFailed,
		fmt.Errorf("the agent gave no result within %v (agent.timeout)%s", p.Timeout, more))
}

// blaming adds to an agent's failure the reason why its last request to the model was refused, if it
// was: agents rarely report the answers that they get.
func blaming(err error, p sampler.AgentRequest) error {
	agentErr, ok := errors.AsType[*sampler.AgentError](err)
	f, isFailure := endpoint.AsFailure(err)
	if !ok || !isFailure || p.Model == nil || p.Model.Refused == nil || p.Model.Refused() == "" {
		return err
	}
	extended := *f
	extended.Err = &sampler.AgentError{
		Kind: agentErr.Kind, Outcome: agentErr.Outcome,
		Err: fmt.Errorf("its last request was not forwarded to the model: %s; then: %w", p.Model.Refused(),
			agentErr.Err),
	}
	return &extended
}

// failed returns the failure of one rollout. It is not retried, because a retry costs a whole rollout.
// It does not count as a failure of the endpoint, except for the breaker, which counts the same failure
// on item after item.
func failed(kind string, outcome rollout.Outcome, err error) error {
	return &endpoint.Failure{
		URL: endpoint.Agent, Hidden: http.StatusOK,
		Err: &sampler.AgentError{Kind: kind, Outcome: outcome, Err: err},
	}
}

// quoted returns the beginning of an invalid result for a message.
func quoted(text []byte) string {
	if len(text) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%q", wording.ClipBytes(string(text), 120))
}
