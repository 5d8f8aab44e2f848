package collect

import (
	"fmt"
	"runtime"
	"testing"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// A run of a million rollouts fits into 500 MB only if a rollout with two calls takes some 300 bytes.
// It took 475, then 312.
func TestARolloutTakesLittleMemory(t *testing.T) {
	const items, samples, most = 2000, 8, 285
	c := New(stat.Range{Lo: 0, Hi: 1})
	before := live()
	for i := range items {
		for s := range samples {
			if err := c.Add(madeRecord(i, s)); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept := (live() - before) / (items * samples)
	runtime.KeepAlive(c)
	t.Logf("%d bytes a rollout", kept)
	if kept > most {
		t.Errorf("a rollout takes %d bytes, want at most %d", kept, most)
	}
}

// madeRecord is a rollout with two calls and an answer that earns the top half of the time.
func madeRecord(item, sample int) *rollout.Record {
	reward := float64(sample % 2)
	tokens := int64(1000 + item)
	call := rollout.Call{
		Name: "search", Arguments: fmt.Sprintf(`{"query":"%d"}`, item), Status: rollout.CallOK, OutputBytes: 300,
	}
	return &rollout.Record{
		Item: fmt.Sprintf("q-%06d", item), Split: rollout.Train, Sample: sample, Outcome: rollout.Graded, Reward: &reward,
		Category: "kind", Family: fmt.Sprintf("family %d", item/10), Turns: 3, Finish: rollout.FinishStop, Served: "policy",
		Answer: fmt.Sprintf("According to the annual report of company %d, the result is %d.", item, item),
		Calls:  []rollout.Call{call, call}, Usage: rollout.Usage{Input: &tokens, Output: &tokens, Reasoning: &tokens},
		TraceID: fmt.Sprintf("%032x", item*samplesOfMade+sample), Elapsed: 1e9,
	}
}

const samplesOfMade = 8

// live returns the bytes in use after a collection.
func live() uint64 {
	var m runtime.MemStats
	for range 2 { // the second frees what finalizers of the first held
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Counts of tokens are kept exactly, whatever their size and sign.
func TestTokensAreKeptExactly(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	for name, u := range map[string]rollout.Usage{
		"none":       {},
		"zero":       {Input: n(0), Output: n(0), Reasoning: n(0), Cached: n(0)},
		"some":       {Input: n(12), Reasoning: n(1<<32 - 2)},
		"too large":  {Input: n(1<<32 - 1), Output: n(5)},
		"huge":       {Output: n(1 << 62), Cached: n(3)},
		"below zero": {Input: n(-1), Reasoning: n(7)},
	} {
		c := New(stat.Range{Lo: 0, Hi: 1})
		rec := madeRecord(1, 1)
		rec.Usage = u
		if err := c.Add(rec); err != nil {
			t.Fatal(err)
		}
		r := c.Row(rec.Key())
		got := r.Usage()
		for i, pair := range [][2]*int64{
			{u.Input, got.Input}, {u.Output, got.Output}, {u.Reasoning, got.Reasoning}, {u.Cached, got.Cached},
		} {
			want, is := pair[0], pair[1]
			if (want == nil) != (is == nil) || want != nil && *want != *is {
				t.Errorf("%s: count %d differs", name, i)
			}
			if i == 3 {
				continue // is in no mean
			}
			if x, known := r.Tokens(InputTokens + Quantity(i)); known != (want != nil) || known && x != float64(*want) {
				t.Errorf("%s: count %d is %g, %v", name, i, x, known)
			}
		}
	}
}
