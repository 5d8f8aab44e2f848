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

// room is one try of a rollout, as far as its agent asks the model.
type room struct {
	ctx   context.Context
	play  sampler.AgentRequest
	begun time.Time
	busy  sync.WaitGroup // requests under way

	mu       sync.Mutex                 // guards what follows
	asked    int                        // requests that went to the model
	seen     map[[sha256.Size]byte]bool // requests, by their text
	messages []rollout.Message
	calls    []rollout.Call
	usage    rollout.Usage
	replies  int // answers of the model, whatever was in them
	turns    int
	finish   rollout.Finish // how the last reply ended
	served   string         // what gave it
	blanked  int            // answers out of which a secret was blanked
	failures int            // requests that the model failed
	failed   error          // the last request's failure; nil when it was answered
	cutOff   string         // why that failure is the rollout\'s own doing; "" when it is the model\'s
	limit    string
	refused  string // why the last request was not handed on; "" when it was
}

func newRoom(ctx context.Context, play sampler.AgentRequest) *room {
	return &room{ctx: ctx, play: play, begun: time.Now(), seen: make(map[[sha256.Size]byte]bool)}
}

// admit takes down what is new in a request, and numbers it, or says which limit is
// in its way.
func (r *room) admit(q asked) (turn int, limit string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listen(q)
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

// refuse takes down why a request is not handed on.
func (r *room) refuse(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = why
}

// refusal is why the last request was not handed on.
func (r *room) refusal() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refused
}

// blank masks what no agent may read in an answer of the model, and counts where it did.
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

// listen takes down what a request says that was not said before. A request that
// is made again says nothing new: the model failed, the agent did not wait, or it wants
// another answer.
func (r *room) listen(q asked) {
	again := r.seen[q.sum]
	r.seen[q.sum] = true
	if again || r.failed != nil {
		return
	}
	for _, m := range news(q.messages, r.play.Item, r.turns == 0) {
		r.messages = append(r.messages, m)
		if m.Role == "tool" {
			r.answer(m)
		}
	}
}

// note takes down a reply.
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
			continue // it was cut off: no call that the model got wrong
		}
		r.calls = append(r.calls, rollout.Call{
			Turn: r.turns, ID: c.ID, Name: c.Name, Arguments: c.Arguments, Status: status,
			Offset: rollout.Seconds(ended.Sub(r.begun)),
		})
	}
	r.turns++
}

// answer puts a tool's output to its call. How long the tool took is at most the
// time until the agent came back with it.
func (r *room) answer(m rollout.Message) {
	for i := len(r.calls) - 1; i >= 0; i-- {
		if c := &r.calls[i]; c.ID == m.ToolCallID && c.Elapsed == 0 {
			c.Output, c.OutputBytes = m.Content, len(m.Content)
			c.Elapsed = rollout.Seconds(time.Since(r.begun)) - c.Offset
			return
		}
	}
}

// news is what a request says that was not said before: what follows the model's
// last turn. Of the first request the item's own messages are left out.
func news(request []rollout.Message, it *rollout.Item, first bool) []rollout.Message {
	from := 0
	for i, m := range request {
		if m.Role == "assistant" {
			from = i + 1
		}
	}
	request = request[from:]
	if !first {
		return request
	}
	own := make(map[string]bool, len(it.Messages))
	for _, m := range it.Messages {
		own[m.Content] = true
	}
	var out []rollout.Message
	for _, m := range request {
		if !own[m.Content] {
			out = append(out, m)
		}
	}
	return out
}

// fail takes down that the model did not answer; cutOff is why that is the rollout's
// own doing, "" when it is the model's.
func (r *room) fail(err error, cutOff string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures, r.failed, r.cutOff = r.failures+1, err, cutOff
}

// heard is all that was taken down.
func (r *room) heard() sampler.ModelTraffic {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := sampler.ModelTraffic{
		Messages: r.messages, Calls: r.calls, Usage: r.usage, Turns: r.turns, Finish: r.finish,
		Served: r.served, Retries: r.failures, Limit: r.limit, Failed: r.failed, CutOff: r.cutOff, Blanked: r.blanked,
	}
	if r.failed != nil {
		h.Retries-- // that one was the last
	}
	return h
}
