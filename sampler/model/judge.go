package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"gonogo/sampler"
)

// Judge asks models at one endpoint for structured answers. It is safe for
// concurrent use and implements sampler.Judge.
type Judge struct {
	*endpoint
	chat bool
}

// NewJudge returns a judge at an endpoint. Of the Config, only what concerns
// the endpoint counts: each prompt brings its own model and parameters.
func NewJudge(cfg Config) (*Judge, error) {
	e, err := newEndpoint(cfg)
	if err != nil {
		return nil, err
	}
	return &Judge{endpoint: e, chat: cfg.API == Chat}, nil
}

// Close closes idle connections.
func (j *Judge) Close() { j.close() }

// Complete makes one request. A seed is sent in Chat only: Responses has none.
func (j *Judge) Complete(ctx context.Context, p sampler.Prompt) (sampler.Completion, error) {
	var w wire = &responses{}
	body := j.responsesBody(p)
	if j.chat {
		w, body = &chat{}, j.chatBody(p)
	}
	answer, err := j.post(ctx, body, p.RequestID)
	var r *refused
	if errors.As(err, &r) {
		if why, ok := r.cutOff(); ok {
			return sampler.Completion{CutOff: why, Usage: nothing()}, nil
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

func (j *Judge) responsesBody(p sampler.Prompt) []byte {
	b := object(nil)
	b.text("model", p.Model)
	b.raw("store", "false")
	b.raw("input", string(orEmpty(p.Messages)))
	if p.ReasoningEffort != "" {
		b.raw("reasoning", `{"effort":`+string(sampler.AppendQuoted(nil, p.ReasoningEffort))+`}`)
	}
	b.number("temperature", p.Temperature)
	b.number("top_p", p.TopP)
	b.count("max_output_tokens", p.MaxTokens)
	if len(p.Schema) > 0 {
		b.key("text")
		text := object(b.buf)
		text.key("format")
		text.buf = schema(text.buf, p, true)
		b.buf = text.end()
	}
	return b.end()
}

func (j *Judge) chatBody(p sampler.Prompt) []byte {
	b := object(nil)
	b.text("model", p.Model)
	b.raw("messages", string(orEmpty(p.Messages)))
	if p.ReasoningEffort != "" {
		b.text("reasoning_effort", p.ReasoningEffort)
	}
	b.number("temperature", p.Temperature)
	b.number("top_p", p.TopP)
	b.count("max_completion_tokens", p.MaxTokens)
	if p.Seed != nil {
		seed := int(*p.Seed)
		b.count("seed", &seed)
	}
	if len(p.Schema) > 0 {
		b.key("response_format")
		f := object(b.buf)
		f.raw("type", `"json_schema"`)
		f.key("json_schema")
		f.buf = schema(f.buf, p, false)
		b.buf = f.end()
	}
	return b.end()
}

// schema writes a strict schema; flat adds the type that chat nests outside.
func schema(buf []byte, p sampler.Prompt, flat bool) []byte {
	f := object(buf)
	if flat {
		f.raw("type", `"json_schema"`)
	}
	f.text("name", p.SchemaName)
	f.raw("strict", "true")
	f.raw("schema", string(p.Schema))
	return f.end()
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(raw)) == 0 {
		return json.RawMessage("[]")
	}
	return raw
}
