package stage

import (
	"fmt"
	"io"
	"slices"

	"gonogo/analysis/gate"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// watchedSink passes records on and warns, once each, of what is better fixed now
// than after the last rollout: a reward outside the range, which is missing data,
// and first answers with markup that the server should have parsed.
type watchedSink struct {
	to    sampler.Sink
	say   io.Writer
	items []rollout.Item // of the rollouts; nil where the answers are not looked at

	told           bool // of a reward
	looked, marked int  // first answers, and those with markup
	kinds          []rollout.MarkupKind
}

// firstAnswers are looked at for markup: a run without a terminal has no rehearsal.
const firstAnswers = 8

// Hold hands on a record whose grade is still to come.
func (w *watchedSink) Hold(r *rollout.Record) error {
	if h, keeps := w.to.(sampler.Holder); keeps {
		return h.Hold(r)
	}
	return nil
}

// Append hands the record on.
func (w *watchedSink) Append(r *rollout.Record) error {
	if r.Kind == sampler.KindRange && !w.told {
		w.told = true
		fmt.Fprintf(w.say, "warning: item %s: %s. Until then it is missing data, never a number; gonogo grade RUN grades what is recorded again, without sampling\n", ShownID(r.Item), ui.Visible(r.Error))
	}
	if w.items != nil && w.looked < firstAnswers && r.Answer != "" {
		w.look(r)
	}
	return w.to.Append(r)
}

// look warns when most of the first answers hold what the server should have parsed.
func (w *watchedSink) look(r *rollout.Record) {
	w.looked++
	var item *rollout.Item
	if i := slices.IndexFunc(w.items, func(it rollout.Item) bool { return it.ID == r.Item && it.Split == r.Split }); i >= 0 {
		item = &w.items[i]
	}
	m, found := rollout.MarkupIn(r.Answer, item)
	if !found {
		return
	}
	if !slices.Contains(w.kinds, m.Kind) {
		w.kinds = append(w.kinds, m.Kind)
	}
	if w.marked++; w.marked == firstAnswers/2+1 {
		fmt.Fprintf(w.say, "warning: %d of the first %d answers hold markup that the server should have parsed, such as %s: they are graded as they are. %s The run goes on; Ctrl-C stops it\n",
			w.marked, w.looked, m.Text, gate.MarkupAdvice(w.kinds...))
	}
}
