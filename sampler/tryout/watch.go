package tryout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/markup"
)

// Watch is a sink that passes records on and warns, once each, about what is better fixed now than
// after the last rollout: a reward outside the range, which is missing data; first answers with
// markup that the server should have parsed; and first rollouts that call none of their tools. The
// zero values of its counts are ready for use.
type Watch struct {
	To     sampler.Sink
	Warn   func(text string)
	Jobs   []sampler.Rollout                 // in the order in which they start; nil if answers are not to be checked
	Advice func(kinds ...markup.Kind) string // how to make a server parse such markup
	Unused string                            // what to check if no rollout calls a tool

	warned         bool                // warned about a reward
	place          map[rollout.Key]int // of the first jobs that have not ended
	ended          []*ended            // by place
	next           int                 // the next place to check
	looked, marked int                 // checked first answers, and those with markup
	kinds          []markup.Kind
	offered        int  // first rollouts with tools
	called         bool // one of them called a tool
}

// ended is what is checked of a first rollout.
type ended struct {
	missing, calls bool
	answer         string
}

// The number of first answers that are checked, among the first jobs: a run without a terminal has
// no rehearsal.
const (
	firstAnswers = 8
	firstJobs    = 256
)

// Hold passes on a record whose grade is pending.
func (w *Watch) Hold(r *rollout.Record) error {
	if h, keeps := w.To.(sampler.Holder); keeps {
		return h.Hold(r)
	}
	return nil
}

// Append passes the record on.
func (w *Watch) Append(r *rollout.Record) error {
	if r.Kind == sampler.KindRange && !w.warned {
		w.warned = true
		w.Warn(fmt.Sprintf("item %s: %s. Until then it is missing data, never a number; gonogo grade RUN grades "+
			"what is recorded again, without sampling", shownID(r.Item), r.Error))
	}
	w.look(r)
	return w.To.Append(r)
}

// look checks the first rollouts in the order in which they started: those that end first are the
// short ones, which call no tools.
func (w *Watch) look(r *rollout.Record) {
	if w.place == nil {
		w.place, w.ended = map[rollout.Key]int{}, make([]*ended, min(len(w.Jobs), firstJobs))
		for i := range w.ended {
			w.place[rollout.Key{Split: w.Jobs[i].Item.Split, Item: w.Jobs[i].Item.ID, Sample: w.Jobs[i].Sample}] = i
		}
	}
	if i, first := w.place[r.Key()]; first {
		delete(w.place, r.Key())
		w.ended[i] = &ended{missing: r.Outcome.Missing(), calls: len(r.Calls) > 0, answer: r.Answer}
	}
	for ; w.next < len(w.ended) && w.ended[w.next] != nil; w.next++ {
		if e, item := w.ended[w.next], w.Jobs[w.next].Item; !e.missing {
			w.lookForCalls(e.calls, item)
			w.lookForMarkup(e.answer, item)
		}
		w.ended[w.next] = nil
	}
}

// shownID returns an item's id on one line: quoted if it has unprintable characters.
func shownID(id string) string {
	if strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(id)
	}
	return id
}

// lookForCalls warns if the first rollouts with tools call none.
func (w *Watch) lookForCalls(calls bool, item *rollout.Item) {
	if w.called || w.offered >= firstAnswers || !item.OffersTools() {
		return
	}
	if w.offered++; calls {
		w.called = true
	} else if w.offered == firstAnswers {
		w.Warn(
			fmt.Sprintf("none of the first %d rollouts with tools called one. %s The run continues; Ctrl-C stops it",
				w.offered, w.Unused))
	}
}

// lookForMarkup warns if most of the first answers contain markup that the server should have
// parsed.
func (w *Watch) lookForMarkup(answer string, item *rollout.Item) {
	if w.looked >= firstAnswers || answer == "" {
		return
	}
	w.looked++
	m, found := markup.In(answer, markup.OwnOf(item.Row))
	if !found {
		return
	}
	if !slices.Contains(w.kinds, m.Kind) {
		w.kinds = append(w.kinds, m.Kind)
	}
	if w.marked++; w.marked == firstAnswers/2+1 {
		w.Warn(fmt.Sprintf("%d of the first %d answers hold markup that the server should have parsed, such as %s: "+
			"they are graded as they are. %s The run continues; Ctrl-C stops it",
			w.marked, w.looked, m.Text, w.Advice(w.kinds...)))
	}
}
