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

// Judge asks models at one endpoint for structured answers. It is safe for concurrent use and
// implements sampler.Judge.
type Judge struct {
	*server
	cfg Config
	old sync.Map // names of models whose server knows only max_tokens, not max_completion_tokens
}

// NewJudge returns a judge at an endpoint. It uses only LeaveOut and the endpoint's settings of the
// Config: each prompt has its own model and parameters.
func NewJudge(cfg Config) (*Judge, error) {
	e, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	return &Judge{server: e, cfg: cfg}, nil
}

// Close closes idle connections.
func (j *Judge) Close() { j.close() }

// Complete makes one request, and another one if the server refuses a parameter, as Model.Reply does.
// It sends a seed only in Chat: Responses has none.
func (j *Judge) Complete(ctx context.Context, p sampler.Prompt) (sampler.Completion, error) {
	cfg := Config{
		API: j.cfg.API, Name: p.Model, Temperature: p.Temperature, TopP: p.TopP, MaxOutputTokens: p.MaxTokens,
		ReasoningEffort: p.ReasoningEffort, ResponseFormat: format(p), LeaveOut: j.cfg.LeaveOut,
	}.withoutLeftOut()
	w, err := newWire(cfg)
	if err != nil {
		return sampler.Completion{}, err
	}
	if slices.Contains(cfg.LeaveOut, "seed") {
		p.Seed = nil
	}
	_, old := j.old.Load(p.Model)
	// A parameter that is not sent counts as left out.
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
			return sampler.Completion{CutOff: r.cutOff, Usage: zeroUsage()}, nil
		}
		return sampler.Completion{}, r.Failure
	}
}

// read parses an answer with status 200.
func (j *Judge) read(w wire, answer []byte, limit *int) (sampler.Completion, error) {
	reply, err := w.parse(answer, newIDs(nil))
	var f *fault
	if errors.As(err, &f) {
		reply, err = j.fault(f, answer)
	}
	cutAt(&reply, limit)
	return sampler.Completion{Text: reply.Text, Refusal: reply.Refusal, CutOff: reply.CutOff, Usage: reply.Usage}, err
}

// format returns the response_format of a structured answer, in chat format; nil if the prompt has no
// schema.
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
