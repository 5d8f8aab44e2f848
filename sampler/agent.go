package sampler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// Agent is a policy with its own loop, and perhaps its own tools and its own
// model: a user's program, measured as it is.
type Agent interface {
	// Run makes one rollout. It tries once and does not retry: a try may cost as
	// much as a rollout. An error is a *endpoint.Failure; one that concerns this rollout alone
	// wraps an *AgentError. ctx is cancelled with the cause ErrAgentTimeout when
	// p.Timeout has passed.
	Run(ctx context.Context, p AgentRequest) (AgentResult, error)
}

// Entry returns what the tries of an Agent or a Grader must wait for, as endpoint.Request has
// it: one of a few processes, or with a pace of its own, has the method Enter. nil is
// nothing.
func Entry(boundary any) func(context.Context) (leave func(), err error) {
	if e, ok := boundary.(interface {
		Enter(ctx context.Context) (leave func(), err error)
	}); ok {
		return e.Enter
	}
	return nil
}

// ModelProxy gives agents access to the run's model, so their requests are
// limited, counted and recorded.
type ModelProxy interface {
	// Open returns an address for one try of a rollout. Requests to it belong to ctx.
	// close ends those in flight and returns what was recorded.
	Open(ctx context.Context, p AgentRequest) (at ModelAccess, close func() ModelTraffic, err error)
}

// ModelAccess is how an agent reaches the model during one try of a rollout.
type ModelAccess struct {
	BaseURL string // of an OpenAI-compatible server on loopback
	Key     string // to be sent as the API key; good for this rollout alone
	Model   string // the model's name
	API     string // responses or chat

	// Refused returns why the last request was not forwarded to the model; "" when it
	// was, or when a limit stopped it. A nil func refuses nothing.
	Refused func() string
}

// refused is why the last request was not forwarded; "" when it was.
func (e ModelAccess) refused() string {
	if e.Refused == nil {
		return ""
	}
	return e.Refused()
}

// AgentRequest is a rollout for an agent to make.
type AgentRequest struct {
	Item           *rollout.Item
	Sample         int
	Attempt        int
	TraceID        string
	RolloutSession *RolloutSession // the rollout's own session; nil when it has none
	Model          *ModelAccess    // nil: the agent uses its own model

	MaxSteps     int           // model turns and tool calls; 0 is not a limit
	MaxToolCalls int           // 0 is not a limit
	Timeout      time.Duration // for the whole rollout, without time in our own queues; 0 is not a limit

	Try    *endpoint.Try    // that this is; nil outside a run
	Caller *endpoint.Caller // makes the requests of the rollout that are forwarded to the model
}

// AgentResult is what an agent returned for a rollout.
type AgentResult struct {
	Output   string            // the final answer; "" when there is none
	Refusal  string            // set when the model refused
	Limit    string            // the limit that ended it, such as max_steps; "" when none did
	Messages []rollout.Message // after the item's own, as far as the agent reports them
	Calls    []rollout.Call    // tool calls, as far as it reports them
	Usage    rollout.Usage     // tokens, as far as it reports them
	Turns    int               // model replies; 0 when not reported
}

// ModelTraffic is what went through a ModelProxy.
type ModelTraffic struct {
	Messages []rollout.Message
	Calls    []rollout.Call
	Usage    rollout.Usage
	Turns    int
	Retries  int            // requests that failed in transport and were made again by the agent
	Limit    string         // the limit that stopped its requests; "" when none did
	Finish   rollout.Finish // how the model's last reply ended; "" when it is not known
	Served   string         // what gave it, as the server names it
	Failed   error          // why the model did not answer the last request; nil when it did
	// why that was the rollout's own doing, such as a conversation too long for it; "" when it was the model's
	CutOff  string
	Blanked int // answers out of which a secret was blanked
}

// ErrAgentTimeout is the cause of an agent's context when its time has run out.
var ErrAgentTimeout = errors.New("the agent gave no result in time")

// The kinds of a rollout that ended because its agent did.
const (
	KindAgentStart   = "agent_start_error"  // it could not be started or reached
	KindAgentCrashed = "agent_crashed"      // it ended without an answer
	KindAgentHung    = "agent_timeout"      // it gave none in time
	KindAgentGarbled = "agent_output_error" // what it gave is not a result
	KindAgentError   = "agent_error"        // it says itself that it failed
)

// AgentError is a rollout that its agent failed to finish.
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
	p := AgentRequest{
		Item: e.job.Item, Sample: e.job.Sample, Attempt: e.job.Attempt, TraceID: e.trace, RolloutSession: e.box,
		MaxSteps: e.cfg.MaxSteps, MaxToolCalls: e.cfg.MaxToolCalls, Timeout: e.cfg.AgentTimeout,
	}
	var done AgentResult
	var heard ModelTraffic
	r := endpoint.Request{Endpoint: endpoint.Agent, Name: "agent", Enter: Entry(e.b.Agent)}
	retries, err := e.by.Do(ctx, r, func(ctx context.Context, t *endpoint.Try) (err error) {
		p.Try, p.Caller = t, e.by.Inside(t)
		done, heard, err = RunAgent(ctx, e.b.Agent, e.b.ModelProxy, p)
		t.Used(done.Usage)
		return err
	})
	e.rec.Retries += retries + heard.Retries
	e.blankAgent(&done)
	e.noteAgent(done, heard)
	if end := e.heardModel(heard); end != nil {
		return ending{}, &boundaryError{rollout.ModelAPI, end}
	}
	if err != nil && ctx.Err() == nil && heard.CutOff != "" {
		return refusedRequest(heard.CutOff, heard.Turns), nil
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
// that swallows errors ends so when its model fails, which is no one's zero.
func (p AgentResult) nothing() bool {
	return strings.TrimSpace(p.Output) == "" && p.Refusal == "" && p.Limit == ""
}

// RunAgent has the agent make the rollout once, within its timeout, and returns
// what went through the model proxy, if that is not nil. A failure is worth another
// try as long as the model has not answered anything.
func RunAgent(ctx context.Context, a Agent, proxy ModelProxy,
	p AgentRequest,
) (done AgentResult, heard ModelTraffic, err error) {
	p.Caller = p.Caller.Until(ctx, p.Timeout, ErrAgentTimeout)
	defer p.Caller.Stop()
	ctx = p.Caller.Context()
	if proxy == nil {
		done, err = a.Run(ctx, p)
		return done, heard, err
	}
	at, shut, err := proxy.Open(ctx, p)
	if err != nil {
		return done, heard, err
	}
	p.Model = &at
	done, err = a.Run(ctx, p)
	p.Try.Failed(err)
	heard = shut()
	if heard.Limit != "" {
		return done, heard, nil // it was refused another turn, and may not have gone on without
	}
	if err == nil && done.nothing() {
		return done, heard, unanswered(at, heard)
	}
	if f, ok := endpoint.AsFailure(err); ok && f.Temporary && (heard.Turns > 0 || heard.Usage != (rollout.Usage{})) {
		own := &AgentError{
			KindAgentCrashed, rollout.ToolFailed,
			fmt.Errorf("the agent failed after the model had answered it: %w", f),
		}
		err = &endpoint.Failure{URL: f.URL, Hidden: http.StatusOK, Err: own}
	}
	return done, heard, err
}

// unanswered is why the last request of an agent that gave no answer had none; nil
// when it had.
func unanswered(at ModelAccess, heard ModelTraffic) error {
	own := &AgentError{Kind: KindAgentError, Outcome: rollout.ToolFailed}
	if heard.Failed != nil {
		own = &AgentError{Outcome: rollout.ModelAPI, Err: heard.Failed}
	} else if why := at.refused(); why != "" {
		own.Err = fmt.Errorf("the agent gave no answer, and its last request was not forwarded to the model: %s", why)
	}
	if own.Err == nil {
		return nil
	}
	return &endpoint.Failure{URL: endpoint.Agent, Hidden: http.StatusOK, Err: own}
}

// heardModel has the model's endpoint take note of what an agent heard, and returns
// the error that ends the run, if it should end: no rollout can do without a model
// that refuses the key.
func (e *episode) heardModel(heard ModelTraffic) error {
	if _, failed := endpoint.AsFailure(heard.Failed); failed || heard.Failed == nil && heard.Turns > 0 {
		return e.by.Ended(endpoint.Model, heard.Failed)
	}
	return nil
}

// noteAgent puts into the record what is known about the conversation: the
// agent's report takes precedence over what was observed, except for tokens, which were counted.
func (e *episode) noteAgent(done AgentResult, heard ModelTraffic) {
	if e.rec.Messages = done.Messages; done.Messages == nil {
		e.rec.Messages = heard.Messages
	}
	if e.rec.Calls = done.Calls; done.Calls == nil {
		e.rec.Calls = heard.Calls
	}
	e.rec.Turns = max(done.Turns, heard.Turns)
	e.usage.add(UsageOf(done, heard))
	e.rec.Served, e.rec.Blanked = heard.Served, e.rec.Blanked+heard.Blanked
	e.steps = e.rec.Turns + len(e.rec.Calls)
	e.lookAgent(done, heard)
}

// UsageOf returns the usage of an agent's rollout: counted tokens take precedence
// over those that the agent reports.
func UsageOf(done AgentResult, heard ModelTraffic) rollout.Usage {
	if heard.Turns == 0 && done.Usage != (rollout.Usage{}) {
		return done.Usage
	}
	return heard.Usage
}

// lookAgent looks for canaries in all that is known about the conversation, whoever
// reported it.
func (e *episode) lookAgent(done AgentResult, heard ModelTraffic) {
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
func (e *episode) agentEnding(done AgentResult, heard ModelTraffic) ending {
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
		return ending{outcome: rollout.NoAnswer, finish: rollout.FinishRefusal, why: "the model refused: " +
			done.Refusal}
	case blank && (heard.Finish == "" || heard.Finish == rollout.FinishStop):
		return ending{outcome: rollout.NoAnswer, finish: rollout.FinishEmpty, why: "the answer is empty"}
	case blank:
		return ending{
			outcome: rollout.NoAnswer, finish: heard.Finish,
			why: fmt.Sprintf("the answer is empty: the model's last reply ended with %q", heard.Finish),
		}
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
