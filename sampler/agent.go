package sampler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gonogo/sampler/rollout"
)

// Agent is a policy that brings a loop of its own, and perhaps its own tools and
// its own model: somebody's program, measured as it is.
type Agent interface {
	// Play carries one rollout to its end. It makes one try, without retrying: a
	// try may cost what a rollout costs. What went wrong is a *Failure; one about
	// this rollout alone wraps an *AgentError. ctx ends with the cause ErrPlayTime
	// when p.Timeout is used up.
	Play(ctx context.Context, p Play) (Played, error)
}

// Door is where agents may ask the run's model, so that what they ask is bounded,
// counted and recorded.
type Door interface {
	// Open makes an address of its own for one try of a rollout. What it asks is
	// part of ctx. close ends what is under way, and tells what was heard.
	Open(ctx context.Context, p Play) (at Entrance, close func() Heard, err error)
}

// Entrance is where one try of a rollout finds the model.
type Entrance struct {
	BaseURL string // of an OpenAI-compatible server on loopback
	Key     string // to be sent as the API key; good for this rollout alone
	Model   string // the model's name
	API     string // responses or chat

	// Refused is why the last request was not handed on to the model; "" when it was,
	// or a limit was in its way. nil is never.
	Refused func() string
}

// refused is why the last request was not handed on; "" when it was.
func (e Entrance) refused() string {
	if e.Refused == nil {
		return ""
	}
	return e.Refused()
}

// Play is a rollout to be made by an agent.
type Play struct {
	Item      *rollout.Item
	Sample    int
	Attempt   int
	TraceID   string
	Enclosure *Enclosure // what the rollout has to itself; nil when that is nothing
	Model     *Entrance  // nil: the agent has a model of its own

	MaxSteps     int           // model turns and tool calls; 0 is no limit
	MaxToolCalls int           // 0 is no limit
	Timeout      time.Duration // for the whole of it, queues of our own not counted; 0 is no limit
}

// Played is what an agent made of a rollout.
type Played struct {
	Output   string            // the final answer; "" when there is none
	Refusal  string            // set when the model refused
	Limit    string            // the limit that ended it, such as max_steps; "" when none did
	Messages []rollout.Message // after the item's own, as far as the agent tells
	Calls    []rollout.Call    // tool calls, as far as it tells
	Usage    rollout.Usage     // tokens, as far as it tells
	Turns    int               // replies of a model; 0 when it does not tell
}

// Heard is what went through a Door.
type Heard struct {
	Messages []rollout.Message
	Calls    []rollout.Call
	Usage    rollout.Usage
	Turns    int
	Retries  int            // requests that failed in transport and were made again by the agent
	Limit    string         // the limit at which the door was closed to it; "" when none was
	Finish   rollout.Finish // how the model's last reply ended; "" when it is not known
	Failed   error          // why the model did not answer the last request; nil when it did
	CutOff   string         // why that was the rollout's own doing, such as a conversation too long for it; "" when it was the model's
}

// ErrPlayTime is why the context of an agent ends that has used up its time.
var ErrPlayTime = errors.New("the agent gave no result in time")

// AgentBoundary is the name of an agent's endpoint.
const AgentBoundary = "agent"

// The kinds of a rollout that ended because its agent did.
const (
	KindAgentStart   = "agent_start_error"  // it could not be started or reached
	KindAgentCrashed = "agent_crashed"      // it ended without an answer
	KindAgentHung    = "agent_timeout"      // it gave none in time
	KindAgentGarbled = "agent_output_error" // what it gave is no result
	KindAgentError   = "agent_error"        // it says itself that it failed
)

// AgentError is a rollout that its agent did not carry to an end.
type AgentError struct {
	Kind    string          // one of the kinds above; "" for a boundary that the agent names
	Outcome rollout.Outcome // the boundary that failed: model_api or tool; tool as well for the agent itself
	Err     error
}

// Error is the cause.
func (e *AgentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *AgentError) Unwrap() error { return e.Err }

// attend lets the agent carry the rollout to its answer.
func (e *episode) attend(ctx context.Context) (ending, error) {
	p := Play{
		Item: e.job.Item, Sample: e.job.Sample, Attempt: e.job.Attempt, TraceID: e.trace, Enclosure: e.box,
		MaxSteps: e.cfg.MaxSteps, MaxToolCalls: e.cfg.MaxToolCalls, Timeout: e.cfg.AgentTimeout,
	}
	var done Played
	var heard Heard
	retries, err := e.ask(ctx, e.gates.agent, 0, errand{e.job.Item, e.trace, "agent"}, func(ctx context.Context) (err error) {
		done, heard, err = PlayOnce(ctx, e.b.Agent, e.b.Door, p)
		return err
	})
	e.rec.Retries += retries + heard.Retries
	e.noteAgent(done, heard)
	if end := e.heardModel(heard); end != nil {
		return ending{}, &boundaryError{rollout.ModelAPI, end}
	}
	if err != nil && ctx.Err() == nil && heard.CutOff != "" {
		return ending{outcome: rollout.NoAnswer, finish: FinishOfCutOff(heard.CutOff), why: "the reply was cut off: " + heard.CutOff}, nil
	}
	if err != nil && heard.Failed != nil {
		return ending{}, &boundaryError{rollout.ModelAPI, heard.Failed}
	}
	if err != nil {
		return ending{}, agentFailure(err)
	}
	return e.agentEnding(done, heard), nil
}

// nothing reports whether there is neither an answer nor a reason for none. An agent
// that swallows errors ends so when its model fails, which is nobody's zero.
func (p Played) nothing() bool {
	return strings.TrimSpace(p.Output) == "" && p.Refusal == "" && p.Limit == ""
}

// PlayOnce has the agent carry the rollout once, in its time, and the model behind
// the door, where that is not nil, asked and heard. A failure is worth another try
// as long as the model has answered nothing.
func PlayOnce(ctx context.Context, a Agent, door Door, p Play) (done Played, heard Heard, err error) {
	clock := newClock(ctx, p.Timeout, true)
	defer clock.stop()
	if door == nil {
		done, err = a.Play(clock, p)
		return done, heard, err
	}
	at, shut, err := door.Open(clock, p)
	if err != nil {
		return done, heard, err
	}
	p.Model = &at
	done, err = a.Play(clock, p)
	heard = shut()
	if heard.Limit != "" {
		return done, heard, nil // it was refused another turn, and may not have gone on without
	}
	if err == nil && done.nothing() {
		return done, heard, unanswered(at, heard)
	}
	if f, ok := AsFailure(err); ok && f.Temporary && (heard.Turns > 0 || heard.Usage != (rollout.Usage{})) {
		own := &AgentError{KindAgentCrashed, rollout.ToolFailed, fmt.Errorf("the agent failed after the model had answered it: %w", f)}
		err = &Failure{URL: f.URL, Hidden: http.StatusOK, Boundary: f.Boundary, Err: own}
	}
	return done, heard, err
}

// unanswered is why the last request of an agent that gave no answer had none; nil
// when it had.
func unanswered(at Entrance, heard Heard) error {
	own := &AgentError{Kind: KindAgentError, Outcome: rollout.ToolFailed}
	if heard.Failed != nil {
		own = &AgentError{Outcome: rollout.ModelAPI, Err: heard.Failed}
	} else if why := at.refused(); why != "" {
		own.Err = fmt.Errorf("the agent gave no answer, and its last request was not handed on to the model: %s", why)
	}
	if own.Err == nil {
		return nil
	}
	return &Failure{URL: AgentBoundary, Hidden: http.StatusOK, Err: own}
}

// heardModel has the model's gate take note of what an agent heard, and returns
// the error that ends the run, if it should end: no rollout can do without a model
// that refuses the key.
func (e *episode) heardModel(heard Heard) error {
	_, failed := AsFailure(heard.Failed)
	if failed || heard.Failed == nil && heard.Turns > 0 {
		e.gates.model.heard(heard.Failed)
	}
	end := e.gates.model.failed(e.job.Item, heard.Failed)
	if end != nil {
		e.stop(end)
	}
	return end
}

// noteAgent puts into the record what is known of the conversation: what the
// agent tells goes before what was heard, but for tokens, which were counted.
func (e *episode) noteAgent(done Played, heard Heard) {
	if e.rec.Messages = done.Messages; done.Messages == nil {
		e.rec.Messages = heard.Messages
	}
	if e.rec.Calls = done.Calls; done.Calls == nil {
		e.rec.Calls = heard.Calls
	}
	e.rec.Turns = max(done.Turns, heard.Turns)
	e.usage.add(UsageOf(done, heard))
	e.steps = e.rec.Turns + len(e.rec.Calls)
	e.lookAgent(done, heard)
}

// UsageOf is what a rollout of an agent used: tokens that were counted go before
// those that it tells.
func UsageOf(done Played, heard Heard) rollout.Usage {
	if heard.Turns == 0 && done.Usage != (rollout.Usage{}) {
		return done.Usage
	}
	return heard.Usage
}

// lookAgent looks for canaries in all that is known of the conversation, whoever
// told it.
func (e *episode) lookAgent(done Played, heard Heard) {
	e.look.inCalls(done.Calls)
	e.look.inCalls(heard.Calls)
	e.look.inMessages(heard.Messages, atModel)
	e.look.inMessages(done.Messages, atAgent)
	e.look.in(done.Output, atAgent, "")
	e.look.in(done.Refusal, atAgent, "")
	for _, c := range done.Calls {
		e.look.in(c.Arguments, atAgent, "")
		e.look.in(c.Error, atAgent, "")
	}
}

// agentEnding is how a rollout ended that the agent came to the end of.
func (e *episode) agentEnding(done Played, heard Heard) ending {
	blank := strings.TrimSpace(done.Output) == ""
	text := done.Output
	if blank {
		text = ""
	}
	limit := done.Limit
	switch {
	case limit != "":
	case heard.Limit != "":
		limit = heard.Limit
	case e.cfg.MaxSteps > 0 && e.steps > e.cfg.MaxSteps:
		limit = fmt.Sprintf("max_steps of %d", e.cfg.MaxSteps)
	case e.cfg.MaxToolCalls > 0 && len(e.rec.Calls) > e.cfg.MaxToolCalls:
		limit = fmt.Sprintf("max_tool_calls of %d", e.cfg.MaxToolCalls)
	}
	switch {
	case limit != "":
		return ending{outcome: rollout.StepLimit, finish: heard.Finish, text: text, why: limit + " reached"}
	case done.Refusal != "":
		return ending{outcome: rollout.NoAnswer, finish: rollout.FinishRefusal, why: "the model refused: " + done.Refusal}
	case blank && (heard.Finish == "" || heard.Finish == rollout.FinishStop):
		return ending{outcome: rollout.NoAnswer, finish: rollout.FinishEmpty, why: "the answer is empty"}
	case blank:
		return ending{outcome: rollout.NoAnswer, finish: heard.Finish, why: fmt.Sprintf("the answer is empty: the model's last reply ended with %q", heard.Finish)}
	}
	return ending{outcome: rollout.Graded, finish: heard.Finish, text: text}
}

// agentFailure says which boundary an agent's rollout ended at.
func agentFailure(err error) error {
	b := &boundaryError{rollout.ToolFailed, err}
	if own, ok := errors.AsType[*AgentError](err); ok && own.Outcome != "" {
		b.outcome = own.Outcome
	}
	return b
}
