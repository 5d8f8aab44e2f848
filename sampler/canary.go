package sampler

import (
	"bytes"
	"context"
	"slices"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// Inspector is an Isolation that plants each session's canary and later reports
// whose canary it finds there.
type Inspector interface {
	// Inspect is called when a rollout has ended, before its Stop. It adds the
	// canaries that are in the session's files now to Found.
	Inspect(ctx context.Context, e *RolloutSession)
}

// Where canaries are met, in addition to tools.
const (
	atSession = "session"
	atAgent   = "agent"
	atModel   = "model"
)

// lookout looks for canaries in what a rollout meets.
type lookout struct {
	own string // ""; none is looked for
	row []byte // what the item itself says is not a leak
	rec *rollout.Record
}

// in looks for canaries in a text that was met at a place, whose name may have two
// parts.
func (l *lookout) in(text, at, name string) {
	rollout.Canaries(text, func(canary string) bool {
		l.met(canary, at+name)
		return len(l.rec.Leaks) < rollout.MaxLeaksListed || !l.rec.Planted
	})
}

// met notes a canary, each once: what a tool answered is in the model's words
// later.
func (l *lookout) met(canary, at string) {
	switch {
	case canary == l.own:
		// An agent may repeat what it was given; that is not a place.
		l.rec.Planted = l.rec.Planted || at != atAgent && at != atModel
	case len(l.rec.Leaks) == rollout.MaxLeaksListed, bytes.Contains(l.row, []byte(canary)):
	case !slices.ContainsFunc(l.rec.Leaks, func(k rollout.Leak) bool { return k.Canary == canary }):
		l.rec.Leaks = append(l.rec.Leaks, rollout.Leak{Canary: canary, At: endpoint.Brief(at)})
	}
}

// inMessages looks into what was said: by the model at a place, by others where the
// agent is. Tools have been looked at by then.
func (l *lookout) inMessages(messages []rollout.Message, model string) {
	for i := range messages {
		m, at := &messages[i], model
		if m.Role != "assistant" {
			at = atAgent
		}
		for _, text := range []string{m.Content, m.Refusal, m.Reasoning} {
			l.in(text, at, "")
		}
		for _, c := range m.ToolCalls {
			l.in(c.Arguments, at, "")
		}
	}
}

// inCalls looks into what tools answered.
func (l *lookout) inCalls(calls []rollout.Call) {
	for i := range calls {
		l.in(calls[i].Output, "tool ", calls[i].Name)
	}
}

// inPlace takes over what was found in the session's files.
func (l *lookout) inPlace(e *RolloutSession) {
	for _, canary := range e.Found {
		l.met(canary, atSession)
	}
	e.Found = nil
}

// inspect looks once more at the session's files, before it goes.
func (e *episode) inspect(ctx context.Context) {
	by, ok := e.cfg.Isolation.(Inspector)
	if !ok || e.box == nil {
		return
	}
	by.Inspect(ctx, e.box)
	e.look.inPlace(e.box)
}
