package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
)

// session is a connection to a server: a process, or a session over HTTP.
type session struct {
	server *server
	client *sdk.ClientSession
	tap    *tap
	pipe   *pipe         // nil over HTTP
	gone   chan struct{} // closed when the connection has ended
	shut   sync.Once     // closes the session
	flying atomic.Int32  // calls in flight
}

// oldVersion is the newest protocol version that begins with an initialize request.
const oldVersion = "2025-11-25"

// connect starts a session, for the rollout with that trace id unless it is "". An error is an
// *endpoint.Failure. Programs built with an early SDK exit at the first request of newer protocol
// versions, which they do not know; connect retries them with oldVersion.
func (s *server) connect(ctx context.Context, t *endpoint.Try, trace string) (*session, error) {
	if s.old.Load() {
		return s.open(ctx, t, trace, oldVersion)
	}
	begin := time.Now()
	c, err := s.open(ctx, t, trace, "")
	f, failed := endpoint.AsFailure(err)
	if !failed || f.Fatal || s.cfg.URL != "" || ctx.Err() != nil || time.Since(begin) >= s.opts.Start {
		return c, err
	}
	if c, err = s.open(ctx, t, trace, oldVersion); err == nil {
		s.old.Store(true)
	}
	return c, err
}

// open starts a session with a version of the protocol; "" is the newest.
func (s *server) open(ctx context.Context, t *endpoint.Try, trace, version string) (*session, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.opts.Start, fmt.Errorf("it did not answer within %v of its start",
		s.opts.Start))
	defer cancel()
	ctx, outcome := withOutcome(ctx, t)
	c := &session{server: s, tap: &tap{}, gone: make(chan struct{})}
	if s.cfg.URL != "" {
		client := *s.opts.HTTP
		client.Transport = &carrier{s.opts.HTTP.Transport, s.cfg.Headers, c.tap}
		c.tap.Transport = &sdk.StreamableClientTransport{
			Endpoint: s.cfg.URL, HTTPClient: &client,
			DisableStandaloneSSE: true, MaxEventSize: largestMessage,
		}
	} else {
		p, err := start(s.cfg, s.opts, trace)
		if err != nil {
			missing := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) ||
				errors.Is(err, fs.ErrPermission)
			return nil, s.fails(&endpoint.Failure{Temporary: !missing, Fatal: missing, Err: err})
		}
		c.pipe, c.tap.Transport = p, p
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "gonogo", Version: "1"}, &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{}, // gonogo answers no requests from servers
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	stop := func() bool { return true }
	if c.pipe != nil {
		stop = context.AfterFunc(ctx, c.pipe.child.Kill) // the SDK would give it time to exit
	}
	var err error
	c.client, err = client.Connect(ctx, c.tap, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if stop(); err != nil {
		err = c.failure(ctx, outcome, err)
		if c.pipe != nil {
			c.pipe.child.Kill()
		}
		return nil, err
	}
	go func() {
		defer close(c.gone)
		_ = c.client.Wait() // the call that fails reports why it ended
	}()
	return c, nil
}

// alive reports whether the connection seems to be open.
func (c *session) alive() bool {
	select {
	case <-c.gone:
		return false
	default:
		return c.pipe == nil || c.pipe.broken() == nil
	}
}

// close ends the session, and a program with everything that it started.
func (c *session) close() {
	c.shut.Do(func() {
		if c.pipe != nil {
			c.pipe.child.Finish(c.pipe.grace) // before the SDK, which would wait for answers
		}
		_ = c.client.Close() // the session is over, whatever the error
		<-c.gone
	})
}

// The limits of a list of tools.
const (
	mostPages = 100
	mostTools = 1000
)

// list lists the server's tools.
func (c *session) list(ctx context.Context) ([]Definition, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.server.opts.Start,
		fmt.Errorf("it did not list its tools within %v", c.server.opts.Start))
	defer cancel()
	var all []Definition
	seen := map[string]bool{}
	for cursor := ""; ; {
		ctx, outcome := withOutcome(ctx, nil)
		_, err := c.client.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		c.tap.forget(outcome)
		if err != nil {
			return nil, c.failure(ctx, outcome, fmt.Errorf("list its tools: %w", err))
		}
		raw, _, _ := outcome.get()
		p, err := readPage(raw)
		if err != nil {
			return nil, c.server.fails(&endpoint.Failure{Err: err})
		}
		all = append(all, p.tools...)
		switch {
		case p.next == "":
			return all, nil
		case seen[p.next], len(seen) >= mostPages, len(all) > mostTools:
			return nil, c.server.fails(&endpoint.Failure{Err: fmt.Errorf("its list of tools does not end: %d of "+
				"them on %d pages", len(all), len(seen)+1)})
		}
		cursor = p.next
		seen[cursor] = true
	}
}

// call calls a tool.
func (c *session) call(ctx context.Context, remote string, call sampler.Call) (res sampler.Result, err error) {
	c.flying.Add(1)
	defer c.flying.Add(-1)
	ctx, outcome := withOutcome(ctx, call.Try)
	_, err = c.client.CallTool(ctx, &sdk.CallToolParams{
		Meta: sdk.Meta{traceKey: call.TraceID}, Name: remote, Arguments: json.RawMessage(call.Arguments),
	})
	c.tap.forget(outcome)
	raw, _, over := outcome.get()
	switch rpcErr, ok := errors.AsType[*jsonrpc.Error](err); {
	case ctx.Err() == nil && over:
		return tooLong(c.server.opts.MaxReply), nil
	case err == nil:
		if res, err = readResult(raw, c.server.opts.MaxReply); err != nil {
			return res, c.server.fails(&endpoint.Failure{Temporary: true, Err: err})
		}
		return res, nil
	case ok && (rpcErr.Code == jsonrpc.CodeMethodNotFound || rpcErr.Code == jsonrpc.CodeInvalidParams):
		return refuse(endpoint.Brief(rpcErr.Message)), nil
	}
	return sampler.Result{}, c.failure(ctx, outcome, err)
}

// traceKey names the rollout in a call's _meta.
const traceKey = "gonogo/trace_id"

// failure returns the failure of a request: ctx ended, the server answered with a protocol error or
// an HTTP error, or the connection broke.
func (c *session) failure(ctx context.Context, outcome *outcome, err error) error {
	_, answer, _ := outcome.get()
	rpcErr, answered := errors.AsType[*jsonrpc.Error](err)
	var broken error
	if c.pipe != nil {
		broken = c.pipe.broken()
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
		return c.server.fails(&endpoint.Failure{Temporary: true, Err: err})
	case broken != nil:
		return c.server.fails(&endpoint.Failure{Temporary: true, Err: broken})
	case answer.Status >= http.StatusBadRequest && (!answered || answer.Status != http.StatusBadRequest):
		f := endpoint.StatusFailure(c.server.cfg.URL, answer)
		if c.client != nil && c.client.ID() != "" && answer.Status == http.StatusNotFound {
			f.Temporary, f.Fatal = true, false // the server has forgotten the session; a retry opens another
		}
		return c.server.fails(f)
	case answered && outcome.noAnswer() != nil: // the SDK says "rejected by transport" and not why
		return c.server.fails(endpoint.TransportFailure(c.server.cfg.URL, outcome.noAnswer()))
	case answered:
		return c.server.fails(&endpoint.Failure{
			Temporary: true,
			Err:       fmt.Errorf("error %d: %s", rpcErr.Code, endpoint.Brief(rpcErr.Message)),
		})
	case c.pipe == nil:
		return c.server.fails(endpoint.TransportFailure(c.server.cfg.URL, err))
	}
	return c.server.fails(&endpoint.Failure{Temporary: true, Err: err})
}
