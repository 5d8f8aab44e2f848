package model

import (
	"context"
	"encoding/json"
	"errors"
	"net"

	"gonogo/sampler"
)

// Judge asks models at one endpoint for structured answers. It is safe for
// concurrent use and implements sampler.Judge.
type Judge struct {
	*endpoint
	api string
}

// NewJudge returns a judge at an endpoint. Of the Config, only what concerns
// the endpoint counts: each prompt brings its own model and parameters.
func NewJudge(cfg Config) (*Judge, error) {
	e, err := newEndpoint(cfg)
	if err != nil {
		return nil, err
	}
	return &Judge{endpoint: e, api: cfg.API}, nil
}

// Close closes idle connections.
func (j *Judge) Close() { j.close() }

// Complete makes one request. A seed is sent in Chat only: Responses has none.
func (j *Judge) Complete(ctx context.Context, p sampler.Prompt) (c sampler.Completion, err error) {
	w, err := newWire(Config{
		API: j.api, Name: p.Model, Temperature: p.Temperature, TopP: p.TopP, MaxOutputTokens: p.MaxTokens,
		ReasoningEffort: p.ReasoningEffort, ResponseFormat: format(p),
	})
	if err != nil {
		return sampler.Completion{}, err
	}
	prompt, err := w.prompt(p.Messages, p.Seed)
	if err != nil {
		return sampler.Completion{}, err
	}
	pass, err := sampler.Admit(ctx, sampler.JudgeBoundary)
	if err != nil {
		return sampler.Completion{}, err
	}
	defer func() { pass.Done(c.Usage, err) }()
	answer, err := j.post(ctx, pass, net.Buffers{prompt}, p.RequestID)
	var r *refused
	if errors.As(err, &r) {
		if r.cutOff != "" {
			return sampler.Completion{CutOff: r.cutOff, Usage: nothing()}, nil
		}
		return sampler.Completion{}, r.Failure
	}
	if err != nil {
		return sampler.Completion{}, err
	}
	reply, err := w.parse(answer, newIDs(nil))
	var f *fault
	if errors.As(err, &f) {
		reply, err = j.fault(f, answer)
	}
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
