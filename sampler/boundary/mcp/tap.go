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

// The methods whose answers are read here.
const (
	initialize = "initialize"
	callTool   = "tools/call"
)

// errTooLong stands for an answer that is longer than largestMessage.
var errTooLong = &jsonrpc.Error{Code: -32099, Message: "the answer is too long"}

// nothing is what the SDK reads in the place of a tool's answer.
var nothing = json.RawMessage(`{"content":[]}`)

// heard is the outcome of one request, in addition to what the SDK reports.
type heard struct {
	try *endpoint.Try // that the request belongs to; nil without one

	mu     sync.Mutex      // guards what follows
	result json.RawMessage // as the server wrote it
	answer endpoint.Answer // over HTTP; its body where the status is not a success
	over   bool            // the answer was too long to be read
}

type heardKey struct{}

// heardOf is what the request of ctx is noted in; nil when no one asks.
func heardOf(ctx context.Context) *heard {
	h, _ := ctx.Value(heardKey{}).(*heard)
	return h
}

// listen returns a context whose requests are noted, and are those of a try.
func listen(ctx context.Context, t *endpoint.Try) (context.Context, *heard) {
	h := &heard{try: t}
	return context.WithValue(ctx, heardKey{}, h), h
}

func (h *heard) note(f func(h *heard)) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	f(h)
}

// told returns the notes.
func (h *heard) told() (result json.RawMessage, answer endpoint.Answer, over bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.result, h.answer, h.over
}

// watch has the try take note of a response.
func (h *heard) watch(resp *http.Response) error {
	if h == nil {
		return (*endpoint.Try)(nil).Watch(resp)
	}
	return h.try.Watch(resp)
}

// tap is a transport that notes answers as the server wrote them.
type tap struct {
	sdk.Transport
	version atomic.Pointer[string] // of the protocol, once it is settled

	mu      sync.Mutex // guards waiting
	waiting map[jsonrpc.ID]request
}

// request is one that waits for its answer.
type request struct {
	method string
	heard  *heard
}

// Connect connects, and taps the connection.
func (t *tap) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.waiting = make(map[jsonrpc.ID]request)
	return &tapped{c, t}, nil
}

// forget drops the requests whose answers no one waits for any more.
func (t *tap) forget(h *heard) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, r := range t.waiting {
		if r.heard == h {
			delete(t.waiting, id)
		}
	}
}

// tapped is a connection with a tap.
type tapped struct {
	sdk.Connection
	tap *tap
}

// Write registers the waiter for an answer.
func (c *tapped) Write(ctx context.Context, msg jsonrpc.Message) error {
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		c.tap.mu.Lock()
		c.tap.waiting[req.ID] = request{req.Method, heardOf(ctx)}
		c.tap.mu.Unlock()
	}
	return c.Connection.Write(ctx, msg)
}

// Read delivers an answer to its waiter.
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
	r.heard.note(func(h *heard) {
		h.result = result
		h.over = h.over || errors.Is(resp.Error, errTooLong)
	})
	switch {
	case resp.Error != nil:
	case r.method == initialize:
		var settled struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		if jsontext.Unmarshal(result, &settled) == nil { // else the SDK refuses it
			c.tap.version.Store(&settled.ProtocolVersion)
		}
	case r.method == callTool:
		resp.Result = nothing
	}
	return msg, nil
}
