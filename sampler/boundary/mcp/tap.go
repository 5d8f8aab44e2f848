package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
)

// The methods whose answers are handled here.
const (
	initialize = "initialize"
	callTool   = "tools/call"
)

// errTooLong replaces an answer that is longer than largestMessage.
var errTooLong = &jsonrpc.Error{Code: -32099, Message: "the answer is too long"}

// emptyResult is what the SDK reads instead of a tool's answer.
var emptyResult = json.RawMessage(`{"content":[]}`)

// outcome is the outcome of one request, in addition to what the SDK reports.
type outcome struct {
	try *endpoint.Try // the try that makes the request; nil if none

	mu     sync.Mutex      // guards the fields below
	result json.RawMessage // the server's original bytes
	answer endpoint.Answer // over HTTP; has a body only if the status is an error
	over   bool            // the answer was too long to be read
	broken error           // over HTTP, why the last request got no answer; nil if it got one
}

type outcomeKey struct{}

// outcomeOf returns the outcome that ctx carries; nil if none.
func outcomeOf(ctx context.Context) *outcome {
	o, _ := ctx.Value(outcomeKey{}).(*outcome)
	return o
}

// withOutcome returns a context whose requests belong to a try and record their outcome.
func withOutcome(ctx context.Context, t *endpoint.Try) (context.Context, *outcome) {
	o := &outcome{try: t}
	return context.WithValue(ctx, outcomeKey{}, o), o
}

func (o *outcome) update(f func(o *outcome)) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	f(o)
}

// get returns what was recorded.
func (o *outcome) get() (result json.RawMessage, answer endpoint.Answer, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.result, o.answer, o.over
}

// noAnswer returns why the last request over HTTP got no answer; nil if it got one.
func (o *outcome) noAnswer() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.broken
}

// watch reports a response to the try.
func (o *outcome) watch(resp *http.Response) error {
	if o == nil {
		return (*endpoint.Try)(nil).Watch(resp)
	}
	return o.try.Watch(resp)
}

// tap is a transport that records the servers' answers in their original bytes.
type tap struct {
	sdk.Transport
	version atomic.Pointer[string] // negotiated protocol version; nil before

	mu      sync.Mutex // guards waiting
	waiting map[jsonrpc.ID]request
}

// request is a request that waits for its answer.
type request struct {
	method  string
	outcome *outcome
}

// Connect connects, and returns a connection that records answers.
func (t *tap) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.waiting = make(map[jsonrpc.ID]request)
	return &tapped{c, t}, nil
}

// forget drops the requests of an outcome that no longer waits for answers.
func (t *tap) forget(o *outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, r := range t.waiting {
		if r.outcome == o {
			delete(t.waiting, id)
		}
	}
}

// tapped is a connection with a tap.
type tapped struct {
	sdk.Connection
	tap *tap
}

// Write writes a message. It registers a request as waiting for its answer.
func (c *tapped) Write(ctx context.Context, msg jsonrpc.Message) error {
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		c.tap.mu.Lock()
		c.tap.waiting[req.ID] = request{req.Method, outcomeOf(ctx)}
		c.tap.mu.Unlock()
	}
	return c.Connection.Write(ctx, msg)
}

// Read reads a message. It records an answer in the outcome of its request.
func (c *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	resp, ok := msg.(*jsonrpc.Response)
	if err != nil || !ok {
		return msg, err
	}
	c.tap.mu.Lock()
	r := c.tap.waiting[resp.ID]
	delete(c.tap.waiting, resp.ID)
	c.tap.mu.Unlock()
	result := resp.Result
	r.outcome.update(func(o *outcome) {
		o.result = result
		o.over = o.over || errors.Is(resp.Error, errTooLong)
	})
	switch {
	case resp.Error != nil:
	case r.method == initialize:
		var negotiated struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		if jsontext.Unmarshal(result, &negotiated) == nil { // otherwise the SDK refuses it
			c.tap.version.Store(&negotiated.ProtocolVersion)
		}
	case r.method == callTool:
		resp.Result = emptyResult
	}
	return msg, nil
}
