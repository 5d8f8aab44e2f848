package proxy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// room records the requests that an agent makes to the model in one try of a rollout.
type room struct {
	ctx   context.Context
	play  sampler.AgentRequest
	begun time.Time
	busy  sync.WaitGroup // requests in flight

	mu       sync.Mutex                 // guards the fields below
	asked    int                        // requests admitted
	seen     map[[sha256.Size]byte]bool // hashes of the requests so far
	messages []rollout.Message
	calls    []rollout.Call
	usage    rollout.Usage
	replies  int            // the model's answers, including those without a message
	turns    int            // answers with a message
	finish   rollout.Finish // how the last reply ended
	served   string         // what served it
	blanked  int            // answers in which a secret was masked
	failures int            // requests that the model failed to answer
	failed   error          // the last request's failure; nil if it was answered
	cutOff   string         // why that failure is the rollout's own doing; "" if it is the model's
	limit    string         // the limit that was reached; "" if none
	refused  string         // why the last request was not forwarded; "" if it was
}

func newRoom(ctx context.Context, play sampler.AgentRequest) *room {
	return &room{ctx: ctx, play: play, begun: time.Now(), seen: make(map[[sha256.Size]byte]bool)}
}

// admit records the new messages of a request, and returns the request's number from 0, or the limit that
// was reached.
func (r *room) admit(q asked) (turn int, limit string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record(q)
	switch steps := r.turns + len(r.calls); {
	case r.play.MaxSteps > 0 && steps >= r.play.MaxSteps:
		r.limit = fmt.Sprintf("max_steps of %d", r.play.MaxSteps)
	case r.play.MaxToolCalls > 0 && len(r.calls) > r.play.MaxToolCalls:
		r.limit = fmt.Sprintf("max_tool_calls of %d", r.play.MaxToolCalls)
	}
	if r.limit != "" {
		return 0, r.limit
	}
	r.asked++
	r.refused = ""
	return r.asked - 1, ""
}

// refuse records why a request is not forwarded.
func (r *room) refuse(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = why
}

// refusal returns why the last request was not forwarded; "" if it was.
func (r *room) refusal() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refused
}

// blank masks secrets in an answer of the model, and counts the answers that it changes.
func (r *room) blank(text []byte, secrets endpoint.Secrets) []byte {
	masked := secrets.Mask(string(text))
	if masked == string(text) {
		return text
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.blanked++
	return []byte(masked)
}

// record records the new messages of a request. A repeated request has none: the model failed, the agent
// did not wait, or it wants another answer.
func (r *room) record(q asked) {
	repeated := r.seen[q.sum]
	r.seen[q.sum] = true
	if repeated || r.failed != nil {
		return
	}
	for _, m := range news(q.messages, r.play.Item, r.turns == 0) {
		r.messages = append(r.messages, m)
		if m.Role == "tool" {
			r.answer(m)
		}
	}
}

// note records a reply.
func (r *room) note(reply reply, ended time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed, r.cutOff = nil, ""
	if r.usage = r.usage.Plus(reply.usage); r.replies == 0 {
		r.usage = reply.usage
	}
	r.replies++
	if reply.message == nil {
		return
	}
	r.finish, r.served = reply.finish, cmp.Or(reply.served, r.served)
	r.messages = append(r.messages, *reply.message)
	for _, c := range reply.message.ToolCalls {
		status := transcript.CallStatus(c.Arguments)
		if status == rollout.CallMalformed && reply.finish == rollout.FinishLength {
			continue // the reply was cut off, so this is not the model's mistake
		}
		r.calls = append(r.calls, rollout.Call{
			Turn: r.turns, ID: c.ID, Name: c.Name, Arguments: c.Arguments, Status: status,
			Offset: rollout.Seconds(ended.Sub(r.begun)),
		})
	}
	r.turns++
}

// answer adds a tool's output to its call. Elapsed is the time until the agent sent the output, an upper
// bound of the tool's own time.
func (r *room) answer(m rollout.Message) {
	for i := len(r.calls) - 1; i >= 0; i-- {
		if c := &r.calls[i]; c.ID == m.ToolCallID && c.Elapsed == 0 {
			c.Output, c.OutputBytes = m.Content, len(m.Content)
			c.Elapsed = rollout.Seconds(time.Since(r.begun)) - c.Offset
			return
		}
	}
}

// news returns the messages after the model's last turn. In the first request it leaves out the
// item's messages.
func news(request []rollout.Message, it *rollout.Item, first bool) []rollout.Message {
	start := 0
	for i, m := range request {
		if m.Role == "assistant" {
			start = i + 1
		}
	}
	request = request[start:]
	if !first {
		return request
	}
	prompt := make(map[string]bool, len(it.Messages))
	for _, m := range it.Messages {
		prompt[m.Content] = true
	}
	var out []rollout.Message
	for _, m := range request {
		if !prompt[m.Content] {
			out = append(out, m)
		}
	}
	return out
}

// fail records that the model did not answer. cutOff says why that is the rollout's own doing; "" if it is
// the model's.
func (r *room) fail(err error, cutOff string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures, r.failed, r.cutOff = r.failures+1, err, cutOff
}

// traffic returns everything that was recorded.
func (r *room) traffic() sampler.ModelTraffic {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := sampler.ModelTraffic{
		Messages: r.messages, Calls: r.calls, Usage: r.usage, Turns: r.turns, Finish: r.finish,
		Served: r.served, Retries: r.failures, Limit: r.limit, Failed: r.failed, CutOff: r.cutOff, Blanked: r.blanked,
	}
	if r.failed != nil {
		t.Retries-- // the last failure was not retried
	}
	return t
}
