package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// otlpRollout is one rollout of a trace.
type otlpRollout struct {
	trace  string
	top    *otlpNode
	nodes  []*otlpNode // top and what is below it, by their start, without evaluators and what they do
	last   *otlpNode   // the last call of the model; nil if there is none
	scores map[string]float64
	names  []string // of scores, in the order of their spans
}

// send passes on the rollouts: each when the file comes to its last model span, which holds the whole conversation.
func (r *otlpReader) send(ctx context.Context) error {
	waits := make(map[[2]string]*otlpRollout) // by trace and last model span
	var silent []*otlpRollout
	var names []string
	for _, id := range r.ids {
		rollouts := r.traces[id].rollouts(id)
		for _, o := range rollouts {
			for _, name := range o.names {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			if o.last == nil {
				silent = append(silent, o)
			} else {
				waits[[2]string{id, o.last.id}] = o
			}
		}
		if len(rollouts) == 0 {
			r.count("trace[|s] without a call of a model and without a named item [was|were] left out")
		}
	}
	r.choose(names, "reward", "score")
	for _, f := range r.files {
		err := eachRequest(ctx, f, Sink{}, func(_ int, req *otlpRequest) error {
			for _, resource := range req.Spans {
				for _, scope := range resource.Scopes {
					for i := range scope.Spans {
						s := &scope.Spans[i]
						key := [2]string{s.Trace, s.ID}
						o := waits[key]
						if o == nil {
							continue
						}
						delete(waits, key)
						talk, err := s.conversation()
						if err != nil {
							return fmt.Errorf("span %s of trace %s: %w", s.ID, s.Trace, err)
						}
						if err := r.rollout(f, o, talk, s.Attributes); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, o := range silent {
		if err := r.rollout(r.files[0], o, nil, nil); err != nil {
			return err
		}
	}
	switch {
	case r.opt.Item == ItemPrompt:
	case len(r.keys) > 0:
		r.sink.note("item = %s; a rollout = the outermost span that names an item", strings.Join(r.keys, ", "))
	default:
		r.sink.note("no span names an item (%s, ... or --item KEY): item = the hash of the prompt; a rollout = the root "+
			"span over a call of a model", strings.Join(otlpItemKeys[1:4], ", "))
	}
	r.sink.note("sample = the order of an item's rollouts in the file; split = %s", r.split)
	if r.several {
		r.sink.note("there are several scores, and %s counts; --score NAME selects another", r.wanted)
	}
	return nil
}

// rollouts returns the rollouts of a trace, by their start: the outermost spans that name an item;
// without any, the roots over a call of the model.
func (t *otlpTrace) rollouts(trace string) []*otlpRollout {
	tops := make(map[*otlpNode]*otlpRollout)
	named := false
	for _, n := range t.nodes {
		named = named || n.item != ""
	}
	var out []*otlpRollout
	of := make(map[string]*otlpRollout, len(t.order)) // by span
	for _, id := range t.order {
		top, judged := t.top(id, named)
		if top == nil {
			continue
		}
		o := tops[top]
		if o == nil {
			o = &otlpRollout{trace: trace, top: top, scores: make(map[string]float64)}
			tops[top] = o
			out = append(out, o)
		}
		of[id] = o
		n := t.nodes[id]
		o.add(n)
		if !judged {
			o.nodes = append(o.nodes, n)
		}
	}
	for _, l := range t.later {
		o := of[l.Span]
		if o == nil && len(out) == 1 {
			o = out[0]
		}
		if o != nil {
			late := new(otlpNode)
			late.score(evaluationName(l.Name, l.Attributes), scoreOf(l.Attributes))
			o.add(late)
		}
	}
	for _, o := range out {
		slices.SortStableFunc(o.nodes, func(a, b *otlpNode) int { return cmp.Compare(a.start, b.start) })
		for _, n := range o.nodes {
			if n.role == otlpModel {
				o.last = n
			}
		}
	}
	if !named {
		out = slices.DeleteFunc(out, func(o *otlpRollout) bool { return o.last == nil })
	}
	slices.SortStableFunc(out, func(a, b *otlpRollout) int { return cmp.Compare(a.top.start, b.top.start) })
	return out
}

// top returns the span of the rollout that a span belongs to, nil if it belongs to none, and whether
// the span is an evaluator or below one.
func (t *otlpTrace) top(id string, named bool) (top *otlpNode, judged bool) {
	seen := 0
	for n := t.nodes[id]; n != nil; n = t.nodes[n.parent] {
		if seen++; seen > len(t.nodes) { // parents in a circle
			return nil, false
		}
		judged = judged || n.role == otlpJudge
		if !named || n.item != "" {
			top = n
		}
	}
	return top, judged
}

// add adds the scores of a span; the last of several with one name counts.
func (o *otlpRollout) add(n *otlpNode) {
	for _, name := range n.graded {
		if _, seen := o.scores[name]; !seen {
			o.names = append(o.names, name)
		}
		o.scores[name] = n.scores[name]
	}
}

// rollout passes on a rollout with the conversation of its last call of the model.
func (r *otlpReader) rollout(f File, o *otlpRollout, talk []rollout.Message, last otlpAttributes) error {
	if o.last != nil && !o.last.failed {
		if err := r.setModel(f, o.last.model); err != nil {
			return err
		}
	}
	if len(talk) == 0 && o.top.asked != "" {
		talk = []rollout.Message{{Role: "user", Content: o.top.asked}}
		if o.top.said != "" {
			talk = append(talk, rollout.Message{Role: "assistant", Content: o.top.said})
		}
	}
	n := transcript.UntilAnswer(talk)
	rec := &rollout.Record{
		Item: o.top.item, Split: r.split, TraceID: o.trace, Messages: talk[n:], Answer: transcript.LastAnswer(talk[n:]),
	}
	if rec.Item == "" && n == 0 && r.opt.Item == "" {
		return fmt.Errorf("trace %s names no item and holds no messages: record the content of messages (with "+
			"OpenTelemetry's own instrumentations OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY), or "+
			"set the attribute item.id on the rollout's span", o.trace)
	}
	switch {
	case rec.Item == "":
		rec.Item = fmt.Sprintf("%016x", rollout.PromptOf(talk[:n], nil).Sum)
	case !slices.Contains(r.keys, o.top.key):
		r.keys = append(r.keys, o.top.key)
	}
	if n == 0 {
		r.count("rollout[|s] [holds|hold] no messages: [its conversation is|their conversations are] unknown")
	}
	r.sink.beginRow(o.top.row)
	r.sink.tell("agent", o.agent())
	err := sendItem(r.sink, f, rollout.Item{ID: rec.Item, Split: r.split}, talk[:n],
		map[string]json.RawMessage{"tools": offered(last.tools())})
	if err != nil {
		return err
	}
	o.fill(rec)
	r.grade(rec, o)
	return r.record(rec, r.again(rec.Item))
}

// agent returns the name of the rollout's agent.
func (o *otlpRollout) agent() string {
	for _, n := range o.nodes {
		if n.agent != "" {
			return n.agent
		}
	}
	return ""
}

// fill sets calls, turns, usage, end and times of a record from the spans.
func (o *otlpRollout) fill(rec *rollout.Record) {
	var models []*otlpNode
	var tools []*otlpNode
	for _, n := range o.nodes {
		switch n.role {
		case otlpModel:
			models = append(models, n)
		case otlpTool:
			tools = append(tools, n)
		}
	}
	if len(rec.Messages) > 0 {
		rec.Calls, rec.Turns = transcript.CallsOf(rec.Messages, func(answer *rollout.Message) (rollout.CallStatus, string) {
			for _, n := range tools {
				if n.call.ID != "" && n.call.ID == answer.ToolCallID {
					return n.call.Status, n.call.Error
				}
			}
			return rollout.CallOK, ""
		})
	} else {
		rec.Turns = len(models)
		for _, n := range tools {
			c := *n.call
			c.Turn = max(0, turnsBefore(models, n.start)-1)
			rec.Calls = append(rec.Calls, c)
		}
	}
	rec.Usage = rollout.Usage{
		Input:     summed(models, func(n *otlpNode) otlpCount { return n.input }),
		Output:    summed(models, func(n *otlpNode) otlpCount { return n.output }),
		Cached:    summed(models, func(n *otlpNode) otlpCount { return n.cached }),
		Reasoning: summed(models, func(n *otlpNode) otlpCount { return n.reasoning }),
	}
	if o.last != nil {
		finished(rec, o.last.finish)
	}
	if o.top.start > 0 {
		rec.Started = time.Unix(0, o.top.start).UTC()
	}
	if took := float64(o.top.end-o.top.start) / float64(time.Second); o.top.end > 0 {
		rec.Elapsed = seconds(&took)
	}
}

// turnsBefore returns how many calls of the model began before a time.
func turnsBefore(models []*otlpNode, at int64) (n int) {
	for _, m := range models {
		if m.start < at {
			n++
		}
	}
	return n
}

// summed returns the sum of a count over the calls of the model that did not fail; nil if one lacks it.
func summed(models []*otlpNode, of func(*otlpNode) otlpCount) *int64 {
	sum, any := int64(0), false
	for _, n := range models {
		switch c := of(n); {
		case c.known:
			sum, any = sum+c.n, true
		case !n.failed:
			return nil
		}
	}
	if !any {
		return nil
	}
	return &sum
}

// grade sets outcome, reward and parts of a record.
func (r *otlpReader) grade(rec *rollout.Record, o *otlpRollout) {
	switch last := o.last; {
	case last != nil && last.failed:
		r.failed(rec, rollout.ModelAPI, last.cause)
		return
	case o.top.failed:
		r.failed(rec, rollout.Boundary(o.top.cause), o.top.cause)
		return
	}
	reward, graded := o.scores[r.wanted]
	if !graded || r.wanted == "" {
		r.ungraded(rec, "the trace holds no score")
		return
	}
	rec.Outcome, rec.Reward = rollout.Graded, &reward
	for _, name := range o.names {
		if name != r.wanted {
			value := o.scores[name]
			setParts(rec, name, &value)
		}
	}
}
