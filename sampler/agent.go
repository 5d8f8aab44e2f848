package sampler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/reported"
	"gonogo/sampler/rollout"
)

// Agent is a policy with its own loop, and perhaps its own tools and model: a user's program,
// measured as it is.
type Agent interface {
	// Run makes one rollout. It tries once, without retrying: a try may cost as much as a rollout.
	// An error is a *endpoint.Failure; one that concerns only this rollout wraps an *AgentError.
	// When p.Timeout has passed, ctx is cancelled with the cause ErrAgentTimeout.
	Run(ctx context.Context, p AgentRequest) (AgentResult, error)
}

// Entry returns what each try of an Agent or a Grader must wait for, to be set as
// endpoint.Request.Enter: the method Enter of a boundary that has one, because it has only a few
// processes or a pace of its own; else nil.
func Entry(boundary any) func(context.Context) (leave func(), err error) {
	if e, ok := boundary.(interface {
		Enter(ctx context.Context) (leave func(), err error)
	}); ok {
		return e.Enter
	}
	return nil
}

// ModelProxy gives agents access to the run's model, so that their requests are limited, counted
// and recorded.
type ModelProxy interface {
	// Open returns an address for one try of a rollout. Requests to it belong to ctx. shut ends the
	// requests in flight and returns what was recorded.
	Open(ctx context.Context, p AgentRequest) (access ModelAccess, shut func() ModelTraffic, err error)
}

// ModelAccess is how an agent reaches the model during one try of a rollout.
type ModelAccess struct {
	BaseURL string // of an OpenAI-compatible server on loopback
	Key     string // API key to send; valid for this rollout only
	Model   string // name of the model
	API     string // responses or chat

	// Refused returns why the last request was not forwarded to the model; "" if it was, or if a
	// limit stopped it. A nil func means that nothing was refused.
	Refused func() string
}

// refused returns why the last request was not forwarded; "" if it was.
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
	RolloutSession *RolloutSession // nil if the rollout has none
	Model          *ModelAccess    // nil: the agent uses its own model

	MaxSteps     int           // model turns and tool calls; 0 is no limit
	MaxToolCalls int           // 0 is no limit
	Timeout      time.Duration // of the whole rollout, not counting time in our own queues; 0 is no limit

	Try    *endpoint.Try    // the try that makes this request; nil outside a run
	Caller *endpoint.Caller // makes the requests that are forwarded to the model
}

// AgentResult is what an agent returned for a rollout.
type AgentResult struct {
	Output   string            // the final answer; "" if there is none
	Refusal  string            // set if the model refused
	Limit    string            // the limit that ended it, such as max_steps; "" if none did
	Messages []rollout.Message // after the item's own, as far as reported
	Calls    []rollout.Call    // tool calls, as far as reported
	Usage    rollout.Usage     // tokens, as far as reported
	Turns    int               // model replies; 0 if not reported

	// LastReply says that the agent reports no answer of its own: Output is the text of the model's last reply.
	LastReply bool
	// Rewards holds the rewards that the agent reports: one, or one for each turn, whose sum is the
	// rollout's; nil if it reports none. The run's grader decides whether they count.
	Rewards  []float64
	Parts    map[string]float64 // what a single reward is made of, by name; nil if not reported
	NoReward *GradeError        // why there is no reward, though the rollout should have one; nil without a reason
}

// ModelTraffic is what went through a ModelProxy.
type ModelTraffic struct {
	Messages []rollout.Message
	Calls    []rollout.Call
	Usage    rollout.Usage
	Turns    int
	Retries  int            // requests that failed in transport and that the agent made again
	Limit    string         // the limit that stopped its requests; "" if none did
	Finish   rollout.Finish // how the model's last reply ended; "" if unknown
	Served   string         // what replied, as the server names it
	Failed   error          // why the model did not answer the last request; nil if it did
	// why the rollout itself caused that, such as a conversation that is too long; "" if it did not
	CutOff  string
	Blanked int // answers in which a secret was blanked
}

// ErrAgentTimeout is the cause of an agent's context when its time has run out.
var ErrAgentTimeout = errors.New("the agent gave no result in time")

// The kinds of a rollout that failed because of its agent.
const (
	KindAgentStart   = "agent_start_error"  // it could not be started or reached
	KindAgentCrashed = "agent_crashed"      // it ended without an answer
	KindAgentHung    = "agent_timeout"      // it did not answer in time
	KindAgentGarbled = "agent_output_error" // its output is not a result
	KindAgentError   = "agent_error"        // it reports that it failed
)

// AgentError reports that an agent failed to finish its rollout.
type AgentError struct {
	Kind    string          // one of the kinds above; "" if the agent names the boundary that failed
	Outcome rollout.Outcome // the boundary that failed: model_api or tool; tool also if the agent itself failed
	Err     error
}

// Error returns the text of the cause.
func (e *AgentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *AgentError) Unwrap() error { return e.Err }

// attend has the agent make the rollout.
func (e *episode) attend(ctx context.Context) (ending, error) {
	p := AgentRequest{
		Item: e.todo.Item, Sample: e.todo.Sample, Attempt: e.todo.Attempt, TraceID: e.trace, RolloutSession: e.box,
		MaxSteps: e.cfg.MaxSteps, MaxToolCalls: e.cfg.MaxToolCalls, Timeout: e.cfg.AgentTimeout,
	}
	var done AgentResult
	var traffic ModelTraffic
	r := endpoint.Request{Endpoint: endpoint.Agent, Name: "agent", Enter: Entry(e.b.Agent)}
	retries, err := e.by.Do(ctx, r, func(ctx context.Context, t *endpoint.Try) (err error) {
		p.Try, p.Caller = t, e.by.Inside(t)
		done, traffic, err = RunAgent(ctx, e.b.Agent, e.b.ModelProxy, p)
		t.Used(done.Usage)
		return err
	})
	e.rec.Retries += retries + traffic.Retries
	e.blankAgent(&done)
	e.noteAgent(done, traffic)
	if end := e.observeModel(traffic); end != nil {
		return ending{}, &boundaryError{rollout.ModelAPI, end}
	}
	if err != nil && ctx.Err() == nil && traffic.CutOff != "" {
		return refusedRequest(traffic.CutOff, traffic.Turns), nil
	}
	if err != nil && traffic.Failed != nil {
		return ending{}, &boundaryError{rollout.ModelAPI, traffic.Failed}
	}
	if err != nil {
		return ending{}, agentFailure(err)
	}
	return e.agentEnding(done, traffic), nil
}

// lastReply returns the text of the model's last reply; "" if it replied nothing.
func (t ModelTraffic) lastReply() string {
	for i := len(t.Messages) - 1; i >= 0; i-- {
		if m := t.Messages[i]; m.Role == "assistant" {
			return m.Content
		}
	}
	return ""
}

// unearned reports whether a rollout whose model failed, or whose last request was refused, has no
// answer of its own. Its rewards must not count, because many agents report a 0 then, and the model's
// last reply is not its answer.
func (p AgentResult) unearned(traffic ModelTraffic, refused string) bool {
	return (p.rewarded() || p.LastReply) && (traffic.Failed != nil || refused != "") && traffic.CutOff == ""
}

// nothing reports whether there is neither an answer nor a reason why there is none. An agent that
// swallows errors returns this when its model fails, which must not score zero.
func (p AgentResult) nothing() bool {
	return strings.TrimSpace(p.Output) == "" && p.Refusal == "" && p.Limit == "" && !p.rewarded()
}

// rewarded reports whether the agent says what the rollout earned, or why that is unknown.
func (p AgentResult) rewarded() bool { return p.reward().Known() }

// reward returns what the agent says about the reward.
func (p AgentResult) reward() reported.Reward {
	w := reported.Reward{Rewards: p.Rewards, Parts: p.Parts}
	if p.NoReward != nil {
		w.Kind, w.Error = p.NoReward.Kind, p.NoReward.Error()
	}
	return w
}

// RunAgent has the agent make the rollout once, within its timeout, and returns what went through
// proxy, unless that is nil. A failure is worth another try as long as the model has not answered
// anything.
func RunAgent(ctx context.Context, a Agent, proxy ModelProxy,
	p AgentRequest,
) (done AgentResult, traffic ModelTraffic, err error) {
	p.Caller = p.Caller.Until(ctx, p.Timeout, ErrAgentTimeout)
	defer p.Caller.Stop()
	ctx = p.Caller.Context()
	if proxy == nil {
		done, err = a.Run(ctx, p)
		return done, traffic, err
	}
	access, shut, err := proxy.Open(ctx, p)
	if err != nil {
		return done, traffic, err
	}
	p.Model = &access
	done, err = a.Run(ctx, p)
	p.Try.Failed(err)
	traffic = shut()
	if done.LastReply {
		done.Output = traffic.lastReply()
	}
	if traffic.Limit != "" {
		return done, traffic, nil // it was refused another turn and may have stopped for that
	}
	if err == nil && (done.nothing() || done.unearned(traffic, access.refused())) {
		return done, traffic, unanswered(access, traffic)
	}
	if f, ok := endpoint.AsFailure(err); ok && f.Temporary && (traffic.Turns > 0 || traffic.Usage != (rollout.Usage{})) {
		agentErr := &AgentError{
			KindAgentCrashed, rollout.ToolFailed,
			fmt.Errorf("the agent failed after the model had answered it: %w", f),
		}
		err = &endpoint.Failure{URL: f.URL, Hidden: http.StatusOK, Err: agentErr}
	}
	return done, traffic, err
}

// unanswered returns why the last request of an agent that gave no answer failed; nil if it was
// answered.
func unanswered(access ModelAccess, traffic ModelTraffic) error {
	agentErr := &AgentError{Kind: KindAgentError, Outcome: rollout.ToolFailed}
	if traffic.Failed != nil {
		agentErr = &AgentError{Outcome: rollout.ModelAPI, Err: traffic.Failed}
	} else if why := access.refused(); why != "" {
		agentErr.Err = fmt.Errorf("the agent gave no answer, and its last request was not forwarded to the model: %s", why)
	}
	if agentErr.Err == nil {
		return nil
	}
	return &endpoint.Failure{URL: endpoint.Agent, Hidden: http.StatusOK, Err: agentErr}
}

// observeModel reports the result of an agent's last model request to the model's endpoint. It
// returns the error that ends the run, if it should end: no rollout can do without a model that
// refuses the key.
func (e *episode) observeModel(traffic ModelTraffic) error {
	if _, failed := endpoint.AsFailure(traffic.Failed); failed || traffic.Failed == nil && traffic.Turns > 0 {
		return e.by.Ended(endpoint.Model, traffic.Failed)
	}
	return nil
}

// noteAgent puts what is known about the conversation into the record. The agent's report takes
// precedence over what was observed, except for tokens, which were counted.
func (e *episode) noteAgent(done AgentResult, traffic ModelTraffic) {
	if e.rec.Messages = done.Messages; done.Messages == nil {
		e.rec.Messages = traffic.Messages
	}
	if e.rec.Calls = done.Calls; done.Calls == nil {
		e.rec.Calls = traffic.Calls
	}
	e.rec.Turns = max(done.Turns, traffic.Turns)
	e.usage.add(UsageOf(done, traffic))
	e.rec.Served, e.rec.Blanked = traffic.Served, e.rec.Blanked+traffic.Blanked
	e.steps = e.rec.Turns + len(e.rec.Calls)
	reported.Set(e.rec, done.reward())
	e.lookAgent(done, traffic)
}

// UsageOf returns the usage of an agent's rollout. Counted tokens take precedence over those that
// the agent reports.
func UsageOf(done AgentResult, traffic ModelTraffic) rollout.Usage {
	if traffic.Turns == 0 && done.Usage != (rollout.Usage{}) {
		return done.Usage
	}
	return traffic.Usage
}

// lookAgent looks for canaries in everything that is known about the conversation, no matter who
// reported it.
func (e *episode) lookAgent(done AgentResult, traffic ModelTraffic) {
	e.look.inCalls(done.Calls)
	e.look.inCalls(traffic.Calls)
	e.look.inMessages(traffic.Messages, atModel)
	e.look.inMessages(done.Messages, atAgent)
	e.look.in(done.Output, atAgent, "")
	e.look.in(done.Refusal, atAgent, "")
	for _, c := range done.Calls {
		e.look.in(c.Arguments, atAgent, "")
		e.look.in(c.Error, atAgent, "")
	}
}

// agentEnding returns how a rollout ended that the agent finished.
func (e *episode) agentEnding(done AgentResult, traffic ModelTraffic) ending {
	blank := strings.TrimSpace(done.Output) == ""
	text := done.Output
	if blank {
		text = ""
	}
	limit := done.Limit
	switch {
	case limit != "":
	case traffic.Limit != "":
		limit = traffic.Limit
	case e.cfg.MaxSteps > 0 && e.steps > e.cfg.MaxSteps:
		limit = fmt.Sprintf("max_steps of %d", e.cfg.MaxSteps)
	case e.cfg.MaxToolCalls > 0 && len(e.rec.Calls) > e.cfg.MaxToolCalls:
		limit = fmt.Sprintf("max_tool_calls of %d", e.cfg.MaxToolCalls)
	}
	switch {
	case limit != "":
		return ending{outcome: rollout.StepLimit, finish: traffic.Finish, text: text, why: limit + " reached"}
	case done.Refusal != "":
		return ending{outcome: rollout.NoAnswer, finish: rollout.FinishRefusal, why: "the model refused: " +
			done.Refusal}
	case blank && e.paid(done.rewarded()):
		return ending{outcome: rollout.Graded, finish: traffic.Finish}
	case blank && (traffic.Finish == "" || traffic.Finish == rollout.FinishStop):
		return ending{outcome: rollout.NoAnswer, finish: rollout.FinishEmpty, why: "the answer is empty"}
	case blank:
		return ending{
			outcome: rollout.NoAnswer, finish: traffic.Finish,
			why: fmt.Sprintf("the answer is empty: the model's last reply ended with %q", traffic.Finish),
		}
	}
	return ending{outcome: rollout.Graded, finish: traffic.Finish, text: text}
}

// paid reports whether a rollout without an answer has a reward too: its agent reported one, and the
// grader takes it.
func (e *episode) paid(rewarded bool) bool {
	_, takes := e.b.Grader.(interface{ TakesReported() })
	return takes && rewarded
}

// agentFailure returns err with the boundary at which an agent's rollout ended.
func agentFailure(err error) error {
	b := &boundaryError{rollout.ToolFailed, err}
	if agentErr, ok := errors.AsType[*AgentError](err); ok && agentErr.Outcome != "" {
		b.outcome = agentErr.Outcome
	}
	return b
}
