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
	item   string
	key    string      // the attribute that names the item; "" if it is that of top
	judged bool        // an evaluator is below top
	nodes  []*otlpNode // top and what is below it, by their start, without evaluators and what they do
	last   *otlpNode   // the last call of the model; nil if there is none
	ends   bool        // of the conversation only the prompt and the last reply are known
	scores map[string]float64
	names  []string // of scores, in the order of their spans
	words  []string // names of scores that are words, such as pass
}

// send passes on the rollouts: each when the file comes to its last model span, which holds the whole
// conversation.
func (r *otlpReader) send(ctx context.Context) error {
	waits := make(map[[2]string]*otlpRollout) // by trace and last model span
	var silent []*otlpRollout
	var names, words []string
	outside := 0
	for _, id := range r.ids {
		t := r.traces[id]
		rollouts, leftOut, err := t.rollouts(id)
		if err != nil {
			return err
		}
		outside += leftOut
		if t.orphaned {
			r.count("trace[ lacks|s lack] a span that others name as their parent: what is below it is one rollout")
		}
		for _, o := range rollouts {
			for _, name := range o.names {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
			words = append(words, o.words...)
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
	r.sink.noteCount(outside, "call[|s] of a model outside the spans that name items [was|were] left out")
	numbers := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(words, name) })
	names = slices.Concat(numbers, slices.DeleteFunc(names, func(name string) bool { return slices.Contains(numbers, name) }))
	r.choose(names, "reward", "score")
	for _, f := range r.files {
		err := eachRequest(ctx, f, Sink{}, func(_ int, req *otlpRequest) error {
			for s := range req.spans() {
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
		r.sink.note("there are several scores (%s), and %s counts; --score NAME selects another", strings.Join(names, ", "), r.wanted)
	}
	return nil
}

// rollouts returns the rollouts of a trace, by their start: the outermost spans that name an item;
// without any, the roots over a call of the model. leftOut counts calls of the model that are in none.
func (t *otlpTrace) rollouts(trace string) (out []*otlpRollout, leftOut int, err error) {
	t.adopt()
	key := t.itemKey()
	t.orphaned = t.orphaned && key == "" // else the spans that name items are the rollouts
	find := topFinder{t: t, key: key, found: make(map[string]placed, len(t.nodes))}
	tops := make(map[*otlpNode]*otlpRollout)
	of := make(map[string]*otlpRollout, len(t.order)) // by span
	for _, id := range t.order {
		n := t.nodes[id]
		at := find.place(id)
		if at.circle {
			return nil, 0, fmt.Errorf("trace %s: span %s is its own ancestor", trace, id)
		}
		if at.top == nil {
			if n.role == otlpModel && !at.judged {
				leftOut++
			}
			continue
		}
		if n != at.top && key != "" && n.key == key && n.role == otlpOther && n.item != at.top.item {
			return nil, 0, fmt.Errorf("trace %s: a span of item %s is within one of item %s: name the attribute that "+
				"tells rollouts apart with --item KEY", trace, n.item, at.top.item)
		}
		o := tops[at.top]
		if o == nil {
			o = &otlpRollout{trace: trace, top: at.top, item: at.top.item, scores: make(map[string]float64)}
			tops[at.top] = o
			out = append(out, o)
		}
		of[id] = o
		if o.add(n); at.judged {
			o.judged = true
			continue
		}
		n.within = at.model
		o.nodes = append(o.nodes, n)
	}
	slices.SortStableFunc(t.later, func(a, b otlpLog) int { return cmp.Compare(a.at, b.at) })
	for _, l := range t.later {
		o := of[l.Span]
		if o == nil && len(out) == 1 {
			o = out[0]
		}
		if o != nil {
			late := new(otlpNode)
			late.evaluated(evaluationName(l.Name, l.Attributes), l.Attributes)
			o.add(late)
		}
	}
	for _, o := range out {
		o.addOwn()
		slices.SortStableFunc(o.nodes, func(a, b *otlpNode) int { return cmp.Compare(a.start, b.start) })
		for _, n := range o.nodes {
			if n.role == otlpModel && !n.within {
				o.last = n
			}
			if o.item == "" { // no span around the calls names one
				o.item, o.key = n.item, n.key
			}
		}
	}
	if key == "" {
		out = slices.DeleteFunc(out, func(o *otlpRollout) bool { return o.last == nil })
	}
	slices.SortStableFunc(out, func(a, b *otlpRollout) int { return cmp.Compare(a.top.start, b.top.start) })
	return out, leftOut, nil
}

// adopt adds a root for each parent that is not in the trace, over all of its children.
func (t *otlpTrace) adopt() {
	for _, id := range slices.Clone(t.order) {
		n := t.nodes[id]
		if n.parent == "" {
			continue
		}
		parent := t.nodes[n.parent]
		if parent == nil {
			parent = &otlpNode{id: n.parent, start: n.start, adopted: true}
			t.nodes[n.parent] = parent
			t.order = append(t.order, n.parent)
			t.orphaned = true
		}
		if parent.adopted {
			parent.start, parent.end = min(parent.start, n.start), max(parent.end, n.end)
		}
	}
}

// itemKey returns the attribute by which spans around calls name items: the best one that any of them
// has; "" if none does.
func (t *otlpTrace) itemKey() string {
	best, key := -1, ""
	for _, n := range t.nodes {
		if n.item == "" || n.role != otlpOther {
			continue
		}
		rank := slices.Index(otlpItemKeys, strings.TrimPrefix(n.key, "metadata."))
		if best < 0 || rank < best || rank == best && n.key < key {
			best, key = rank, n.key
		}
	}
	return key
}

// placed says where a span belongs: to the rollout of top, nil if to none; judged: it is an evaluator or
// below one; model: it is below a call of the model.
type placed struct {
	top                   *otlpNode
	judged, model, circle bool
}

// topFinder places the spans of a trace.
type topFinder struct {
	t     *otlpTrace
	key   string
	found map[string]placed
}

// place places a span and its ancestors.
func (f topFinder) place(id string) placed {
	var path []string
	at := placed{}
	for next := id; next != ""; next = f.t.nodes[next].parent {
		if known, ok := f.found[next]; ok {
			at = known
			break
		}
		if len(path) >= len(f.t.nodes) {
			return placed{circle: true}
		}
		path = append(path, next)
	}
	for _, next := range slices.Backward(path) {
		n := f.t.nodes[next]
		if parent := f.t.nodes[n.parent]; parent != nil {
			at.model = at.model || parent.role == otlpModel
		}
		at.judged = at.judged || n.role == otlpJudge
		if at.top == nil && (f.key == "" || n.key == f.key && n.role == otlpOther) {
			at.top = n
		}
		f.found[next] = at
	}
	return at
}

// addOwn adds the reward and the score that are attributes of the rollout's own span.
func (o *otlpRollout) addOwn() {
	own := new(otlpNode)
	own.score("reward", o.top.reward)
	own.score("score", o.top.rated)
	o.add(own)
}

// add adds the scores of a span; the last of several with one name counts.
func (o *otlpRollout) add(n *otlpNode) {
	for _, name := range n.graded {
		if _, seen := o.scores[name]; !seen {
			o.names = append(o.names, name)
		}
		o.scores[name] = n.scores[name]
	}
	o.words = append(o.words, n.words...)
}

// rollout passes on a rollout with the conversation of its last call of the model.
func (r *otlpReader) rollout(f File, o *otlpRollout, talk []rollout.Message, last otlpAttributes) error {
	if o.last != nil && !o.last.failed {
		if err := r.setModel(f, o.last.model); err != nil {
			return err
		}
	}
	if len(talk) == 0 && o.top.asked != "" {
		o.ends = true
		talk = []rollout.Message{{Role: "user", Content: o.top.asked}}
		if o.top.said != "" {
			talk = append(talk, rollout.Message{Role: "assistant", Content: o.top.said})
		}
	}
	n := transcript.UntilAnswer(talk)
	rec := &rollout.Record{
		Item: o.item, Split: r.split, TraceID: o.trace, Messages: talk[n:], Answer: transcript.LastAnswer(talk[n:]),
	}
	if rec.Item == "" && n == 0 && r.opt.Item == "" {
		return fmt.Errorf("trace %s names no item and holds no messages: record the content of messages (with "+
			"OpenTelemetry's own instrumentations OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY), or "+
			"set the attribute item.id on the rollout's span", o.trace)
	}
	switch {
	case rec.Item == "":
		rec.Item = fmt.Sprintf("%016x", rollout.PromptOf(talk[:n], nil).Sum)
	case !slices.Contains(r.keys, cmp.Or(o.key, o.top.key)):
		r.keys = append(r.keys, cmp.Or(o.key, o.top.key))
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
			if !n.within { // else the call around it counts
				models = append(models, n)
			}
		case otlpTool:
			tools = append(tools, n)
		}
	}
	// A conversation without the calls that spans hold is only its beginning and its end.
	shown := len(tools) == 0 || slices.ContainsFunc(rec.Messages, func(m rollout.Message) bool {
		return m.Role == "tool" || len(m.ToolCalls) > 0
	})
	if len(rec.Messages) > 0 && !o.ends && shown {
		answers := 0
		for _, m := range rec.Messages {
			if m.Role == "tool" {
				answers++
			}
		}
		inOrder := answers == len(tools) && !slices.ContainsFunc(tools, func(n *otlpNode) bool { return n.call.ID != "" })
		answered := 0
		rec.Calls, rec.Turns = transcript.CallsOf(rec.Messages, func(answer *rollout.Message) (rollout.CallStatus, string) {
			answered++
			for i, n := range tools {
				if n.call.ID != "" && n.call.ID == answer.ToolCallID || inOrder && i == answered-1 {
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
	end := o.top.end
	if o.judged { // and then the evaluators took their time
		end = 0
		for _, n := range o.nodes {
			if n != o.top {
				end = max(end, n.end)
			}
		}
	}
	if took := float64(end-o.top.start) / float64(time.Second); end > 0 {
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
		case c.known && sum+c.n < 0:
			return nil
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
		why := "the trace holds no score"
		if len(o.names) > 0 {
			why = fmt.Sprintf("the trace holds no score %s, but %s", r.wanted, counted(o.names, few))
		}
		r.ungraded(rec, why)
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
