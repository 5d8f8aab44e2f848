package model

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"sync"

	"gonogo/sampler"
)

// Judge asks models at one endpoint for structured answers. It is safe for
// concurrent use and implements sampler.Judge.
type Judge struct {
	*server
	cfg Config
	old sync.Map // names of models whose server knows max_completion_tokens as max_tokens alone
}

// NewJudge returns a judge at an endpoint. Of the Config, only what concerns
// the endpoint counts, and LeaveOut: each prompt brings its own model and parameters.
func NewJudge(cfg Config) (*Judge, error) {
	e, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	return &Judge{server: e, cfg: cfg}, nil
}

// Close closes idle connections.
func (j *Judge) Close() { j.close() }

// Complete makes one request, and another one as Model.Reply does when the server
// refuses a parameter. A seed is sent in Chat only: Responses has none.
func (j *Judge) Complete(ctx context.Context, p sampler.Prompt) (sampler.Completion, error) {
	cfg := Config{
		API: j.cfg.API, Name: p.Model, Temperature: p.Temperature, TopP: p.TopP, MaxOutputTokens: p.MaxTokens,
		ReasoningEffort: p.ReasoningEffort, ResponseFormat: format(p), LeaveOut: j.cfg.LeaveOut,
	}.lean()
	w, err := newWire(cfg)
	if err != nil {
		return sampler.Completion{}, err
	}
	if slices.Contains(cfg.LeaveOut, "seed") {
		p.Seed = nil
	}
	_, old := j.old.Load(p.Model)
	// What is not sent counts as left out.
	without := omitted{include: true, parallel: true, limit: old || cfg.API != Chat || cfg.MaxOutputTokens == nil}
	repeated := false
	for {
		prompt, err := w.prompt(p.Messages, p.Seed, without)
		if err != nil {
			return sampler.Completion{}, err
		}
		answer, _, err := j.post(ctx, p.Try, net.Buffers{prompt}, p.RequestID)
		if err == nil {
			if repeated {
				j.old.Store(p.Model, nil)
			}
			return j.read(w, answer, cfg.MaxOutputTokens)
		}
		var r *refused
		if !errors.As(err, &r) {
			return sampler.Completion{}, err
		}
		if fewer, ok := without.about(r); ok {
			without, repeated = fewer, true
			continue
		}
		if r.cutOff != "" {
			return sampler.Completion{CutOff: r.cutOff, Usage: nothing()}, nil
		}
		return sampler.Completion{}, r.Failure
	}
}

// read parses an answer of status 200.
func (j *Judge) read(w wire, answer []byte, limit *int) (sampler.Completion, error) {
	reply, err := w.parse(answer, newIDs(nil))
	var f *fault
	if errors.As(err, &f) {
		reply, err = j.fault(f, answer)
	}
	cutAt(&reply, limit)
	return sampler.Completion{Text: reply.Text, Refusal: reply.Refusal, CutOff: reply.CutOff, Usage: reply.Usage}, err
}

// format is the response_format of a structured answer, in chat form; nil when
// the prompt asks for none.
func format(p sampler.Prompt) json.RawMessage {
	if len(p.Schema) == 0 {
		return nil
	}
	b := object(nil)
	b.raw("type", `"json_schema"`)
	b.key("json_schema")
	f := object(b.buf)
	f.text("name", p.SchemaName)
	f.raw("strict", "true")
	f.raw("schema", string(p.Schema))
	b.buf = f.end()
	return b.end()
}
