package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync/atomic"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Model is the policy: one model behind one of the wire formats. It is safe for concurrent use and
// implements sampler.Model.
type Model struct {
	*server
	wire    wire
	refused omissions
	limit   *int         // the limit on output tokens that is sent; nil if none
	context atomic.Int64 // see SetContext
}

// SetContext sets the size of the server's context, prompt and reply together, in tokens, as Ask
// returns it; 0 means unknown.
func (m *Model) SetContext(tokens int) { m.context.Store(int64(tokens)) }

// wire is one of the formats.
type wire interface {
	// prefix converts an item's messages and tools.
	prefix(item *rollout.Item) (prefix, error)
	start(p prefix, without omitted) []byte
	request(start []byte, turns []sampler.Turn, written *sampler.EncodedTurns) net.Buffers
	// prompt returns the body of a request with these messages instead of an item's.
	prompt(messages json.RawMessage, seed *int64, without omitted) ([]byte, error)
	// parse reads an answer with status 200. An error is a *fault.
	parse(body []byte, ids *ids) (sampler.Reply, error)
}

// New returns a model. It makes no request.
func New(cfg Config) (*Model, error) {
	if cfg.Name == "" {
		return nil, errors.New("model name is missing")
	}
	e, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	m := &Model{server: e}
	// A parameter that is configured or not sent anyway counts as left out: a refusal cannot change it.
	leftOut := func(name string) bool { return slices.Contains(cfg.LeaveOut, name) }
	cfg = cfg.withoutLeftOut()
	m.limit = cfg.MaxOutputTokens
	m.refused.remember(omitted{
		include: cfg.API == Chat || leftOut("include"), parallel: cfg.ParallelToolCalls != nil ||
			leftOut("parallel_tool_calls"),
		limit: cfg.API != Chat || cfg.MaxOutputTokens == nil,
	})
	if m.wire, err = newWire(cfg); err != nil {
		return nil, err
	}
	return m, nil
}

func newWire(cfg Config) (wire, error) {
	if cfg.API == Chat {
		return newChat(cfg), nil
	}
	return newResponses(cfg)
}

// Close closes idle connections.
func (m *Model) Close() { m.close() }

// Reply makes one request for the next turn. It makes another one only if the server refuses a
// parameter that gonogo adds by itself; once a request without the parameter succeeds, later requests
// leave it out. If the request no longer fits the model's context, or the server's content filter
// blocks it, Reply returns a reply that was cut off: the rollout ends without an answer, and that
// counts as the model's own doing.
func (m *Model) Reply(ctx context.Context, req sampler.Request) (sampler.Reply, error) {
	without := m.refused.load()
	start, err := m.start(req, without)
	if err != nil {
		return sampler.Reply{}, err
	}
	for {
		body, header, err := m.post(ctx, req.Try, m.wire.request(start, req.Turns, req.Encoded), req.RequestID)
		if err == nil {
			reply, err := m.read(body, req.Turns)
			if err == nil {
				m.refused.remember(without)
				reply.Served = m.secrets.Mask(sampler.ServedBy(reply.Served, header))
			}
			return reply, err
		}
		var r *refused
		if !errors.As(err, &r) {
			return sampler.Reply{}, err
		}
		if fewer, ok := without.about(r); ok {
			without = fewer
			if start, err = m.start(req, without); err != nil {
				return sampler.Reply{}, err
			}
			continue
		}
		if r.cutOff != "" {
			return sampler.Reply{CutOff: r.cutOff, Finish: sampler.FinishOfCutOff(r.cutOff), Usage: zeroUsage()}, nil
		}
		return sampler.Reply{}, r.Failure
	}
}

// read parses an answer with status 200, which may still contain an error.
func (m *Model) read(body []byte, turns []sampler.Turn) (sampler.Reply, error) {
	reply, err := m.wire.parse(body, newIDs(turns))
	var f *fault
	if errors.As(err, &f) {
		return m.fault(f, body)
	}
	cutAt(&reply, m.limit)
	m.cutByServer(&reply)
	return reply, err
}

// cutByServer sets CutOff of a reply that was cut off not by the limit that was sent, but by the
// server's context or default limit. The Responses API of llama.cpp reports a reply that fills the
// context exactly as completed; cutByServer corrects this.
func (m *Model) cutByServer(reply *sampler.Reply) {
	in, out, room := reply.Usage.Input, reply.Usage.Output, m.context.Load()
	full := room > 0 && in != nil && out != nil && *in+*out >= room
	if full && *in+*out == room && transcript.CutWhole(reply.Finish, reply.Calls) {
		setFinish(reply, rollout.FinishLength)
	}
	switch {
	case reply.Finish != rollout.FinishLength || m.limit != nil && (!full || *out >= int64(*m.limit)):
	case full && *out == 0 && reply.Text == "" && len(reply.Calls) == 0:
		reply.CutOff = fmt.Sprintf("%s: the prompt has %d tokens, and the server has room for %d",
			rollout.ContextExceeded, *in, room)
	case full:
		reply.CutOff = fmt.Sprintf("the prompt (%d tokens) and the reply (%d) fill the server's context of %d (%s)",
			*in, *out, room, rollout.ContextExceeded)
	default:
		reply.CutOff = rollout.NoLimitSent + ", so it was the server's context or its default limit"
	}
}

// cutAt marks a reply as cut off if it was and the server does not say so.
func cutAt(reply *sampler.Reply, limit *int) {
	if transcript.CutAt(limit, reply.Finish, reply.Usage, reply.Calls) {
		setFinish(reply, rollout.FinishLength)
	}
}

// fault is the error of an answer with status 200 that contains no turn.
type fault struct {
	code, message string
	status        int // the error status that a proxy put into the body; 0 if none
}

func (f *fault) Error() string { return f.code + " " + f.message }

// fault turns a faulty answer into a reply that was cut off, or a failure. The failure is never
// Fatal: the endpoint answered with success, so the trouble is upstream of it.
func (e *server) fault(f *fault, body []byte) (sampler.Reply, error) {
	if f.message == "" && f.code == "" {
		return sampler.Reply{},
			e.bad("the answer cannot be used: %s",
				endpoint.ErrorText(endpoint.Answer{Body: []byte(e.secrets.Mask(string(body)))}))
	}
	failure := &endpoint.Failure{
		URL: e.address, Status: http.StatusOK, Hidden: f.status,
		Err:       errors.New(endpoint.Brief(e.secrets.Mask(f.Error()))),
		Temporary: f.status == 0 || endpoint.Temporary(f.status),
	}
	if why := sampler.CutOff(&endpoint.Failure{Status: f.status}, f.code, e.secrets.Mask(f.message)); why != "" {
		return sampler.Reply{CutOff: why, Finish: sampler.FinishOfCutOff(why), Usage: zeroUsage()}, nil
	}
	return sampler.Reply{}, failure
}

// zeroUsage returns the usage of a request that the server did not accept.
func zeroUsage() rollout.Usage {
	var zero int64
	return rollout.Usage{Input: &zero, Output: &zero, Reasoning: &zero, Cached: &zero}
}

// faultOf reads the "error" of an answer; nil if there is none.
func faultOf(raw json.RawMessage) *fault {
	text := jsontext.TextOrJSON(raw)
	if text == "" || text == "{}" || text == "false" {
		return nil
	}
	f := &fault{message: text}
	var e struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
	}
	if jsontext.Unmarshal(raw, &e) == nil {
		f.code = jsontext.TextOrJSON(e.Code)
		f.message = jsontext.TextOrJSON(e.Message)
		_ = jsontext.Unmarshal(e.Code, &f.status) // a code that is not a number leaves 0
		if f.status < 400 || f.status > 599 {
			f.status = 0
		}
	}
	if f.message == "" {
		f.message = text
	}
	return f
}
