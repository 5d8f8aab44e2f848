package sampler

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// blank removes the secrets of the run from texts that the model or the grader is about to read,
// and counts the texts that it changed: these are no longer what the tool or the model wrote.
func (e *episode) blank(texts ...*string) {
	for _, text := range texts {
		if masked := e.cfg.Secrets.Mask(*text); masked != *text {
			*text = masked
			e.rec.Blanked++
		}
	}
}

// blankAgent blanks what an agent returned.
func (e *episode) blankAgent(done *AgentResult) {
	e.blank(&done.Output, &done.Refusal)
	for i := range done.Messages {
		e.blank(&done.Messages[i].Content, &done.Messages[i].Reasoning)
	}
	for i := range done.Calls {
		e.blank(&done.Calls[i].Output)
	}
}

// sessionSecrets holds what a rollout's session put into headers that carry credentials. No other
// part of the run knows these secrets; the record is written without them.
type sessionSecrets struct {
	mu  sync.Mutex // guards all: the calls of a turn run concurrently
	all endpoint.Secrets
}

// keep remembers secrets, except canaries: those are searched for in what the rollout reads.
func (s *sessionSecrets) keep(secrets endpoint.Secrets) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range secrets {
		canary := false
		rollout.Canaries(secret, func(string) bool { canary = true; return false })
		if !canary && !slices.Contains(s.all, secret) {
			s.all = append(s.all, secret)
		}
	}
}

// withoutSessionSecrets returns the record with the session's secrets masked.
func (e *episode) withoutSessionSecrets(rec *rollout.Record) *rollout.Record {
	if e.box == nil || e.box.secrets == nil {
		return rec
	}
	e.box.secrets.mu.Lock()
	defer e.box.secrets.mu.Unlock()
	hide := e.box.secrets.all.Mask
	if len(e.box.secrets.all) == 0 {
		return rec
	}
	c := *rec
	c.Answer, c.Error = hide(c.Answer), hide(c.Error)
	c.Messages, c.Calls = slices.Clone(c.Messages), slices.Clone(c.Calls)
	for i := range c.Messages {
		m := &c.Messages[i]
		m.Content, m.Refusal, m.Reasoning, m.Name = hide(m.Content), hide(m.Refusal), hide(m.Reasoning), hide(m.Name)
		if len(m.Parts) > 0 {
			m.Parts = json.RawMessage(hide(string(m.Parts)))
		}
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for j := range m.ToolCalls {
			m.ToolCalls[j].Name, m.ToolCalls[j].Arguments = hide(m.ToolCalls[j].Name), hide(m.ToolCalls[j].Arguments)
		}
	}
	for i := range c.Calls {
		call := &c.Calls[i]
		call.Name, call.Arguments, call.Output, call.Error = hide(call.Name), hide(call.Arguments), hide(call.Output),
			hide(call.Error)
	}
	c.Extra = maps.Clone(c.Extra)
	for key, value := range c.Extra {
		c.Extra[key] = json.RawMessage(hide(string(value)))
	}
	return &c
}
