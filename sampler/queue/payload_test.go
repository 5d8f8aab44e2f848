package queue

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"gonogo/sampler/rollout"
)

func TestBodiesOfAnySizeTravel(t *testing.T) {
	t.Parallel()
	server, err := Embed(t.TempDir(), 0, "")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c, err := server.Dial(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p, err := c.Lead(t.Context(), Plan{Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 3<<20)
	_, _ = rand.Read(noise)
	for _, b := range []struct {
		why            string
		body           []byte
		packed, stored bool
	}{
		{"none", nil, false, false},
		{"short", []byte("short"), false, false},
		{"long text", bytes.Repeat([]byte("text "), 1<<20), true, false},
		{"3 MB that cannot be made smaller", noise, true, true},
		{"64 MB", make([]byte, largest), true, false},
	} {
		m, err := c.seal(t.Context(), p.names, "gonogo.r.job.k", "name", b.body, nats.Header{})
		if err != nil {
			t.Fatal(b.why, err)
		}
		if packed, stored := m.Header.Get(packedHeader) != "", m.Header.Get(storedHeader) != ""; packed != b.packed || stored != b.stored || int64(len(m.Data)) > c.nc.MaxPayload()-forHeads {
			t.Errorf("%s: packed %t, stored %t, %d bytes", b.why, packed, stored, len(m.Data))
		}
		got, err := c.unseal(t.Context(), p.names, m.Header, m.Data)
		if err != nil || !bytes.Equal(got, b.body) {
			t.Errorf("%s: %d bytes of %d, %v", b.why, len(got), len(b.body), err)
		}
		c.discard(t.Context(), p.names, m.Header)
	}
	_, err = c.seal(t.Context(), p.names, "s", "name", make([]byte, largest+1<<20), nats.Header{})
	if err == nil || !strings.Contains(err.Error(), "65.0 MB is over the limit of 64 MB") {
		t.Errorf("65 MB: %v", err)
	}
	if _, err := c.unseal(t.Context(), p.names, nats.Header{schemaHeader: {Schema}, storedHeader: {"gone"}}, nil); err == nil {
		t.Error("what is not stored was read")
	}
	if err := p.Close(true); err != nil {
		t.Error(err)
	}
}

// An item that no message can hold is found before anything is paid for it.
func TestAnItemThatIsTooLargeDoesNotTravel(t *testing.T) {
	t.Parallel()
	const most = 1 << 20
	item := func(row, shown int) *rollout.Item {
		return &rollout.Item{
			ID: "q", Split: rollout.Train, Row: []byte(`{"messages":[],"more":"` + strings.Repeat("x", row) + `"}`),
			Messages: []rollout.Message{{Role: "user", Content: strings.Repeat("x", shown)}},
		}
	}
	for name, c := range map[string]struct {
		item *rollout.Item
		want string
	}{
		"a usual one":                        {item(100, 100), ""},
		"a large one":                        {item(most/3, most/3), ""},
		"one whose row nothing has room for": {item(most, 100), "1.1 MB is over the limit of 64 MB"},
		"one that a variant makes too large": {item(most/2, most), "1.6 MB is over the limit of 64 MB"},
	} {
		if err := travels(c.item, most); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := CheckJobSize(item(largest, 100)); err == nil {
		t.Error("a row of 64 MB travels")
	}
}

// Packed, a few kilobytes may be gigabytes.
func TestWhatUnpacksToMoreThanMayTravelIsRefused(t *testing.T) {
	bomb := packer().EncodeAll(make([]byte, largest+1), nil)
	if _, err := unpack(bomb, nats.Header{packedHeader: {"zstd"}}); err == nil {
		t.Error("it was unpacked")
	}
	if _, err := unpack(nil, nats.Header{packedHeader: {"rar"}}); err == nil {
		t.Error("an unknown packing was read")
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("text"), "")
	f.Add(packer().EncodeAll([]byte("text"), nil), "zstd")
	f.Fuzz(func(t *testing.T, body []byte, how string) {
		h := nats.Header{}
		if how != "" {
			h.Set(packedHeader, how)
		}
		if out, err := unpack(body, h); err == nil && len(out) > largest {
			t.Errorf("%d bytes", len(out))
		}
	})
}

func FuzzDecodeJob(f *testing.F) {
	f.Add([]byte(`{"item":{"id":"q1","split":"train"},"sample":3,"attempt":1}` + "\n" + `{"messages":[{"role":"user","content":"a"}]}`))
	f.Add([]byte(`{"item":{"id":"q1","split":"train"},"shown":{"messages":[{"role":"system","content":"x"}]},"sample":0,"attempt":0}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		job, err := decodeJob(b)
		if err != nil {
			return
		}
		out, err := encodeJob(job)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeJob(out)
		if err != nil || again.Sample != job.Sample || again.Attempt != job.Attempt || again.Item.ID != job.Item.ID || string(again.Item.Row) != string(job.Item.Row) {
			t.Errorf("%+v, then %+v, %v", job, again, err)
		}
	})
}

// A planner that hears nonsense from a worker goes on.
func FuzzTold(f *testing.F) {
	p, k := deaf(f), keyOf("r", rollout.Train, "q", 0, 0)
	for _, o := range []op{opEnter, opLeave, opRest, opRise, opArrive, opBegin, opBack, opTwice, opLacks, opBye, opBeat} {
		b, err := json.Marshal(workerMessage{Worker: "w", Term: p.term, Op: o, ID: 1, Endpoint: "model", Key: k, N: 9, Beat: &beat{Held: map[string][]uint64{"model": {2}}, Jobs: []key{k}}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"w":"w","t":"` + p.term + `","op":"leave","id":1,"came":{"result":{"Class":99},"fault":{"Class":-1}}}`))
	f.Fuzz(func(_ *testing.T, b []byte) {
		p.told(&nats.Msg{Data: b})
		p.hello(&nats.Msg{Data: b})
		p.asked(&nats.Msg{Data: b})
	})
}

// A worker that hears nonsense from its planner goes on.
func FuzzAnswer(f *testing.F) {
	p := deaf(f)
	for _, o := range []op{opGrant, opDead, opHeard, opOver, opTake} {
		b, err := json.Marshal(plannerReply{Term: "t", Op: o, ID: 1, End: &ending{Kind: endEndpoint, Failure: &failure{Text: "x", Unreached: true}}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m := &Member{
			c: p.c, id: "w", term: "t", ended: make(chan struct{}), changed: make(chan struct{}), turns: map[uint64]*turn{1: {ready: make(chan struct{})}},
			asked: map[uint64]chan op{1: make(chan op, 1)}, meeting: true,
		}
		m.hear(&nats.Msg{Data: b})
		var a plannerReply
		if json.Unmarshal(b, &a) == nil && a.End != nil {
			if err := a.End.error(); err == nil || err.Error() == "\x00" {
				t.Error("an end without an error")
			}
			_ = sendEnd(a.End.error())
		}
	})
}

// deaf is a planner at a server that no one else knows.
func deaf(tb testing.TB) *Planner {
	server, err := Embed(tb.TempDir(), 0, "")
	if err != nil {
		tb.Fatal(err)
	}
	c, err := server.Dial(context.Background(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := c.Lead(context.Background(), Plan{Run: "r"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = p.Close(false) // what nonsense has asked for may have no streams
		c.Close()
		server.Close()
	})
	return p
}
