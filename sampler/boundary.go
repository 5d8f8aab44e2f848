package sampler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gonogo/sampler/rollout"
)

// Model is the policy under test.
type Model interface {
	// Reply makes one request, without retrying, and returns the model's next
	// turn. Failures of the endpoint are *Failure.
	Reply(ctx context.Context, req Request) (Reply, error)
}

// Request asks for the next turn of a rollout.
type Request struct {
	Item      *rollout.Item
	Turns     []Turn        // the conversation after the item's own messages, oldest first
	RequestID string        // <trace_id>/<turn>: sent as X-Client-Request-Id
	Encoded   *EncodedTurns // the rollout's own, one request at a time; nil: every turn is written again
}

// EncodedTurns caches a rollout's conversation as the Model encodes it, so that
// each turn is encoded once. It is opaque to the loop.
type EncodedTurns struct {
	Start   []byte // what every request of the rollout begins with; nil: not written yet
	Without any    // the parameters that Start leaves out
	Turns   int    // are written
	Text    []byte // as the model writes them
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
	Reasoning string             // summary or text of the reasoning, as far as the server shows it
	Refusal   string             // set when the model refused
	Calls     []rollout.ToolCall // the calls it asks for; ids are never empty, and unique in a rollout's turn
	Final     bool               // an answer: no more calls follow
	CutOff    string             // why the turn is incomplete ("max_output_tokens", "content_filter", …); "" when it is whole
	Finish    rollout.Finish     // how the turn ended, as the server says; "" when it does not say
	Served    string             // what replied, as the server names it: see rollout.Record
	Usage     rollout.Usage
	Carry     json.RawMessage // what the model's package must send back on the next turn, opaque to the loop
}

// Tool is one tool of the job. One with an endpoint may also have a method URL()
// string, for messages.
type Tool interface {
	Name() string
	// Call makes one request, without retrying. A refusal that the model may see (a
	// 4xx) is a Result with Error set; a failure of the endpoint is a *Failure.
	Call(ctx context.Context, call Call) (Result, error)
}

// Releaser is a Tool that keeps something per rollout, such as a process.
type Releaser interface {
	// Release ends what is kept for a finished rollout, however it ended. It may be
	// called for a rollout that the tool does not know.
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
	RolloutSession *RolloutSession // the rollout's own session; nil when it has none
}

// Result is a tool's answer.
type Result struct {
	Output     string // what the model is shown
	Error      string // the tool refused the call; Output then says so to the model
	HTTPStatus int
	NoOutput   bool   // a refusal that brought no output of its own: the error payload replaces it
	Note       string // an oddity of the answer worth counting, such as "output was not a string"
}

// Grader turns an output into a reward.
type Grader interface {
	// Grade makes one attempt, without retrying. Any error means that there is
	// no grade; failures worth another try are *Failure with Temporary set.
	Grade(ctx context.Context, out Output) (Grade, error)
}

// Output is what a rollout passes to its grader.
type Output struct {
	Item         *rollout.Item
	TraceID      string
	Text         string // the final answer; "" when there is none
	Messages     []rollout.Message
	Calls        []rollout.Call
	FinishReason string // stop, length, content_filter, tool_calls
	Reasoning    string // reasoning summary of the last turn

	// RolloutSession is the session of the rollout, or of the grading of a recorded one;
	// nil when it has none.
	RolloutSession *RolloutSession

	// Regrade numbers the gradings of the same output from 0, so requests of a
	// second one have their own ids.
	Regrade int
	// Kept holds, by part, what an earlier try of this grading already got. A grader
	// made of several keeps its parts here, so a retry asks only for the rest.
	// nil keeps nothing.
	Kept map[string]Grade
}

// Grade is the grader's answer.
type Grade struct {
	Reward  float64
	Parts   map[string]float64 // sub-scores by grader name
	Clipped bool               // the number was outside the grader's own range and was clipped
	Usage   rollout.Usage      // tokens of a model that graded

	// JudgeCalls counts the requests that a model worked on for this attempt, even
	// when it returns an error: those answered, and those whose answer was lost.
	JudgeCalls int
}

// Failure is an endpoint that failed.
type Failure struct {
	URL        string        // which endpoint, without query and credentials
	Status     int           // HTTP status; 0 when no answer came
	Hidden     int           // the status that Status means: one that a proxy hid in the body of a success, 413 where a 429 cannot pass; 0 when it is Status
	Temporary  bool          // worth another try
	RetryAfter time.Duration // what the server asked for; 0 when it did not say
	Boundary   string        // the endpoint's name, as Admit got it; "" outside a run
	Fatal      bool          // other rollouts will most likely fail too: a missing or refused key, an unknown model
	Err        error
}

// Error names the endpoint, the status and the cause.
func (f *Failure) Error() string {
	switch {
	case f.Status != 0:
		return fmt.Sprintf("%s: status %d: %v", f.URL, f.Status, f.Err)
	case f.URL != "":
		return fmt.Sprintf("%s: %v", f.URL, f.Err)
	}
	return f.Err.Error()
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// AsFailure returns the *Failure in err's chain, if there is one.
func AsFailure(err error) (*Failure, bool) {
	var f *Failure
	ok := errors.As(err, &f)
	return f, ok
}
