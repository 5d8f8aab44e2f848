package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// conversation has n turns of two calls each.
func conversation(n, size int) []sampler.Turn {
	turns := make([]sampler.Turn, n)
	for i := range turns {
		out := fmt.Sprintf("\"output\" %d\n", i) + strings.Repeat("a line of a report\n", size/19)
		turns[i] = sampler.Turn{
			Reply: sampler.Reply{
				Carry: json.RawMessage(fmt.Sprintf(`{"type":"message","n":%d}`, i)),
				Calls: []rollout.ToolCall{{ID: fmt.Sprint("a", i)}, {ID: fmt.Sprint("b", i)}},
			},
			Outputs: []string{out, "short"},
		}
	}
	return turns
}

func wires(tb testing.TB) map[string]wire {
	tb.Helper()
	all := map[string]wire{}
	for _, api := range []string{Chat, Responses} {
		w, err := newWire(Config{Name: "m", API: api})
		if err != nil {
			tb.Fatal(err)
		}
		all[api] = w
	}
	return all
}

// A conversation that goes on is sent as one that is written again for each
// turn, and no turn of it is written twice.
func TestTurnsAreWrittenOnce(t *testing.T) {
	const n = 6
	p := prefix{messages: []byte(`{"role":"user"}`), tools: []byte(`[{"name":"f"}]`)}
	for api, w := range wires(t) {
		turns := conversation(n, 100)
		var written sampler.EncodedTurns
		for k := range n + 1 {
			for try := range 2 { // the second one is a repeat
				start := w.start(p, omitted{})
				got, want := whole(w.request(start, turns[:k], &written)), whole(w.request(start, conversation(n, 100)[:k], nil))
				if string(got) != string(want) || !json.Valid(got) {
					t.Fatalf("%s, turn %d, try %d:\n%s\nwant\n%s", api, k, try, got, want)
				}
			}
			for i := range turns[:k] {
				turns[i].Outputs[0] = "written a second time"
			}
		}
	}
}

func whole(body net.Buffers) []byte { return bytes.Join(body, nil) }

// BenchmarkConversation writes the requests of one rollout: the time per turn
// grows with the bytes that are sent, at the speed of a copy.
func BenchmarkConversation(b *testing.B) {
	for _, n := range []int{10, 100} {
		turns := conversation(n, 20_000)
		for api, w := range wires(b) {
			b.Run(fmt.Sprintf("%s/turns=%d", api, n), func(b *testing.B) {
				b.ReportAllocs()
				start := w.start(prefix{messages: []byte(`{"role":"user"}`)}, omitted{})
				for b.Loop() {
					sent := 0
					var written sampler.EncodedTurns
					for k := range n + 1 {
						sent += len(whole(w.request(start, turns[:k], &written)))
					}
					b.SetBytes(int64(sent))
				}
			})
		}
	}
}
