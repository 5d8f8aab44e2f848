package sampler

import (
	"context"
	"encoding/json"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// Model is the policy under test.
type Model interface {
	// Reply makes one request, without retrying, and returns the model's next turn. Failures of the
	// endpoint are *endpoint.Failure.
	Reply(ctx context.Context, req Request) (Reply, error)
}

// Request asks for the next turn of a rollout.
type Request struct {
	Item      *rollout.Item
	Turns     []Turn        // the conversation after the item's own messages, oldest first
	RequestID string        // <trace_id>/<turn>: sent as X-Client-Request-Id
	Try       *endpoint.Try // the try that makes this request; nil outside a run
	Encoded   *EncodedTurns // one per rollout, used by one request at a time; nil: every turn is encoded again
}

// EncodedTurns caches a rollout's conversation as the Model encodes it, so that
// each turn is encoded once. It is opaque to the loop.
type EncodedTurns struct {
	Start   []byte // how every request of the rollout begins; nil: not written yet
	Without any    // the parameters that Start omits
	Turns   int    // number of turns in Text
	Text    []byte // the turns as the model's package encodes them
}

// Turn is one model reply and the outputs of the tools it called, in call
// order: len(Outputs) == len(Reply.Calls).
type Turn struct {
	Reply   Reply
	Outputs []string
}

// Reply is one turn of the model.
type Reply struct {
	Text      string             // the visible text
	Reasoning string             // summary or text of the reasoning, as far as the server returns it
	Refusal   string             // set if the model refused
	Calls     []rollout.ToolCall // the requested calls; ids are never empty, and unique within the turn
	Final     bool               // an answer: no further calls follow
	// why the turn is incomplete ("max_output_tokens", "content_filter", …); "" if it is complete
	CutOff string
	Finish rollout.Finish // how the turn ended, according to the server; "" if it does not say
	Served string         // what replied, as the server names it: see rollout.Record
	Usage  rollout.Usage
	Carry  json.RawMessage // what the model's package must send back with the next turn, opaque to the loop
}

// Tool is one tool of the job. A tool with an endpoint may also have a method URL() string, for
// messages.
type Tool interface {
	Name() string
	// Call makes one request, without retrying. A refusal that the model may see (a 4xx) is a
	// Result with Error set; a failure of the endpoint is a *endpoint.Failure.
	Call(ctx context.Context, call Call) (Result, error)
}

// Releaser is a Tool that keeps state per rollout, such as a process.
type Releaser interface {
	// Release ends what is kept for a finished rollout, however it ended. It may be called for a
	// rollout that the tool does not know.
	Release(traceID string)
}

// ReleaseTools has the tools release what they keep for a finished rollout.
func ReleaseTools(tools map[string]Tool, traceID string) {
	for _, t := range tools {
		if l, ok := t.(Releaser); ok {
			l.Release(traceID)
		}
	}
}

// Call is one tool call to be made.
type Call struct {
	ID             string
	Arguments      string // JSON text
	TraceID        string // the same in all tool and grader calls of one rollout
	Item           *rollout.Item
	RolloutSession *RolloutSession // nil if the rollout has none
	Try            *endpoint.Try   // the try that makes this call; nil outside a run
}

// Result is a tool's answer.
type Result struct {
	Output     string // what the model sees
	Error      string // why the tool refused the call; Output then tells the model so
	HTTPStatus int
	NoOutput   bool   // a refusal without an output of its own: the error payload replaces it
	Note       string // an anomaly of the answer worth counting, such as "output was not a string"
}

// Grader turns an output into a reward.
type Grader interface {
	// Grade makes one attempt, without retrying. Any error means that there is no grade; failures
	// worth another try are *endpoint.Failure with Temporary set.
	Grade(ctx context.Context, out Output) (Grade, error)
}

// Output is what a rollout passes to its grader.
type Output struct {
	Item         *rollout.Item
	TraceID      string
	Text         string // the final answer; "" if there is none
	Messages     []rollout.Message
	Calls        []rollout.Call
	FinishReason string // stop, length, content_filter, tool_calls
	Reasoning    string // reasoning summary of the last turn

	// Rewards, Parts and NoReward are what the rollout's agent reported, as in AgentResult.
	Rewards  []float64
	Parts    map[string]float64
	NoReward *GradeError

	// Again says that what the agent reported has been taken for a grade, by this grader or another: a
	// grader that can find the reward by itself does.
	Again bool

	// Group holds the outputs of the item that are graded together, this one at Place; nil for a
	// grader that grades each output by itself.
	Group []Output
	Place int

	// RolloutSession is the session of the rollout, or of the grading of a recorded one; nil if
	// there is none.
	RolloutSession *RolloutSession

	// Regrade numbers the gradings of the same output from 0, so that the requests of a second
	// grading have ids of their own.
	Regrade int

	// Caller makes the grader's own requests, each a copy of Request with its own endpoint; a nil
	// Caller makes each once.
	Caller  *endpoint.Caller
	Request endpoint.Request
}

// GradeBy has a grader grade the output and retries temporary failures. The grade, also one
// returned with an error, has the tokens and the judge's calls of all tries.
func (o Output) GradeBy(ctx context.Context, g Grader) (grade Grade, retries int, err error) {
	var used tally
	calls := 0
	r := o.Request
	r.Local = true
	retries, err = o.Caller.Do(ctx, r, func(ctx context.Context, t *endpoint.Try) (err error) {
		try := o
		try.Caller = o.Caller.Inside(t)
		grade, err = g.Grade(ctx, try)
		if calls += grade.JudgeCalls; grade.JudgeCalls > 0 || grade.Usage != (rollout.Usage{}) {
			used.add(grade.Usage)
		}
		return err
	})
	grade.Usage, grade.JudgeCalls = used.sum(), calls
	return grade, retries, err
}

// Grade is the grader's answer.
type Grade struct {
	Reward  float64
	Parts   map[string]float64 // sub-scores by grader name
	Clipped bool               // the number was outside the grader's own range and was clipped
	Usage   rollout.Usage      // tokens of a judge

	// JudgeCalls counts the requests that a judge worked on during this attempt, even if it returns
	// an error: those answered, and those whose answer was lost.
	JudgeCalls int
}
