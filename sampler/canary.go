package sampler

import (
	"bytes"
	"context"
	"slices"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// inspector is an Isolation that plants a canary in each session and later reports which canaries
// it finds there.
type inspector interface {
	// Inspect is called when a rollout has ended, before its Stop. It adds the canaries that are
	// now in the session's files to Found.
	Inspect(ctx context.Context, e *RolloutSession)
}

// The places where canaries are found, in addition to tools.
const (
	atSession = "session"
	atAgent   = "agent"
	atModel   = "model"
)

// lookout looks for canaries in what a rollout reads and writes.
type lookout struct {
	own string // this rollout's canary; "" looks for none
	row []byte // the row of the item: a canary in it is not a leak
	rec *rollout.Record
}

// in looks for canaries in a text that was found at place+name.
func (l *lookout) in(text, place, name string) {
	rollout.Canaries(text, func(canary string) bool {
		l.met(canary, place+name)
		return len(l.rec.Leaks) < rollout.MaxLeaksListed || !l.rec.Planted
	})
}

// met notes a canary, once: the model may later repeat what a tool answered.
func (l *lookout) met(canary, place string) {
	switch {
	case canary == l.own:
		// An agent may repeat what it was given; that does not show that the canary was planted.
		l.rec.Planted = l.rec.Planted || place != atAgent && place != atModel
	case len(l.rec.Leaks) == rollout.MaxLeaksListed, bytes.Contains(l.row, []byte(canary)):
	case !slices.ContainsFunc(l.rec.Leaks, func(k rollout.Leak) bool { return k.Canary == canary }):
		l.rec.Leaks = append(l.rec.Leaks, rollout.Leak{Canary: canary, At: endpoint.Brief(place)})
	}
}

// inMessages looks into the messages: those of the assistant are found at place model, all others
// at the agent. Those of tools have been searched by then.
func (l *lookout) inMessages(messages []rollout.Message, model string) {
	for i := range messages {
		m, place := &messages[i], model
		if m.Role != "assistant" {
			place = atAgent
		}
		for _, text := range []string{m.Content, m.Refusal, m.Reasoning} {
			l.in(text, place, "")
		}
		for _, c := range m.ToolCalls {
			l.in(c.Arguments, place, "")
		}
	}
}

// inCalls looks into the outputs of tools.
func (l *lookout) inCalls(calls []rollout.Call) {
	for i := range calls {
		l.in(calls[i].Output, "tool ", calls[i].Name)
	}
}

// inPlace notes the canaries that were found in the session's files.
func (l *lookout) inPlace(e *RolloutSession) {
	for _, canary := range e.Found {
		l.met(canary, atSession)
	}
	e.Found = nil
}

// inspect looks at the session's files once more, before the session is stopped.
func (e *episode) inspect(ctx context.Context) {
	by, ok := e.cfg.Isolation.(inspector)
	if !ok || e.box == nil {
		return
	}
	by.Inspect(ctx, e.box)
	e.look.inPlace(e.box)
}
