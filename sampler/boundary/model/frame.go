package model

import (
	"bytes"
	"encoding/json"
	"net"

	"gonogo/sampler"
)

// frame writes requests. The formats differ only in a few names.
type frame struct {
	head    []byte // {"model":…, and every other parameter that never changes
	include string // value of the parameter include; "" if the format does not have it
	list    string // name of the list of messages
	seeds   bool   // the format has a seed

	kind, call, text string // fields of a tool's output: its type, with the value; the call's id; the text

	parallel   string // "true" or "false"
	configured bool   // parallel is configured, so it is never left out
	limit      *int   // max_completion_tokens, formerly max_tokens; nil for Responses, where it is in head
}

// setParallel sets whether a turn may call several tools. The default is true, as in training.
func (f *frame) setParallel(allowed *bool) {
	f.parallel, f.configured = "true", allowed != nil
	if f.configured && !*allowed {
		f.parallel = "false"
	}
}

// start writes the beginning of all requests for an item: everything up to the turns.
func (f *frame) start(p prefix, without omitted) []byte {
	b := fields{buf: make([]byte, 0, len(f.head)+len(p.tools)+len(p.messages)+spare), more: true}
	b.buf = append(b.buf, f.head...)
	if f.include != "" && !without.include {
		b.raw("include", f.include)
	}
	b.count(limitName(without.limit), f.limit)
	if p.tools != nil {
		b.raw("tools", string(p.tools))
		if f.configured || !without.parallel {
			b.raw("parallel_tool_calls", f.parallel)
		}
	}
	b.key(f.list)
	return append(append(b.buf, '['), p.messages...)
}

// request returns the body for the next turn of a rollout, in pieces. It neither copies nor overwrites
// the pieces of earlier requests, because an abandoned request may still be in flight. It does not
// encode again the turns that are in written.
func (f *frame) request(start []byte, turns []sampler.Turn, written *sampler.EncodedTurns) net.Buffers {
	text := f.write(written, turns).Text[1:]
	if len(text) == 0 {
		return net.Buffers{start, end}
	}
	if start[len(start)-1] == '[' {
		return net.Buffers{start, text, end}
	}
	return net.Buffers{start, comma, text, end}
}

var comma, end = []byte(","), []byte("]}")

func limitName(old bool) string {
	if old {
		return "max_tokens"
	}
	return "max_completion_tokens"
}

// spare is the number of bytes reserved in a start in addition to head, tools and messages.
const spare = 256

// write encodes the turns that are not in w yet.
func (f *frame) write(w *sampler.EncodedTurns, turns []sampler.Turn) *sampler.EncodedTurns {
	if w == nil {
		w = new(sampler.EncodedTurns)
	}
	if w.Turns == 0 {
		w.Text = append(w.Text[:0], '[')
	}
	b := fields{buf: w.Text}
	for _, t := range turns[w.Turns:] {
		b.elements(t.Reply.Carry)
		for i, c := range t.Reply.Calls {
			b.element()
			out := fields{buf: append(append(b.buf, '{'), f.kind...), more: true}
			out.text(f.call, c.ID)
			out.text(f.text, t.Outputs[i])
			b.buf = out.end()
		}
	}
	w.Turns, w.Text = len(turns), b.buf
	return w
}

// prompt returns the body of a request with these messages instead of an item's.
func (f *frame) prompt(messages json.RawMessage, seed *int64, without omitted) []byte {
	b := fields{buf: bytes.Clone(f.head), more: true}
	b.count(limitName(without.limit), f.limit)
	if seed != nil && f.seeds {
		n := int(*seed)
		b.count("seed", &n)
	}
	if len(bytes.TrimSpace(messages)) == 0 {
		messages = json.RawMessage("[]")
	}
	b.raw(f.list, string(messages))
	return b.end()
}
