package sampler

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

func TestTraceIDIsPinned(t *testing.T) {
	// printf 'gonogo/trace/1\0%s\0%s\0%s\0%s\0%s' 1 train q1 0 0 | sha256sum
	const want = "trace_7c1dda33cde8262f104b5a3b3a759d82"
	if got := TraceID(1, rollout.Train, "q1", 0, 0); got != want {
		t.Errorf("TraceID = %s, want %s: old runs must stay resumable", got, want)
	}
}

func TestTraceIDsDiffer(t *testing.T) {
	type place struct {
		seed            uint64
		split           rollout.Split
		item            string
		sample, attempt int
	}
	form := regexp.MustCompile(`^trace_[0-9a-f]{32}$`)
	draw := rapid.Custom(func(t *rapid.T) place {
		return place{
			rapid.Uint64Range(0, 3).Draw(t, "seed"),
			rapid.SampledFrom(rollout.Splits()).Draw(t, "split"),
			rapid.StringMatching(`[a1\x00]{0,3}`).Draw(t, "item"),
			rapid.IntRange(0, 12).Draw(t, "sample"), rapid.IntRange(0, 12).Draw(t, "attempt"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		x := TraceID(a.seed, a.split, a.item, a.sample, a.attempt)
		y := TraceID(b.seed, b.split, b.item, b.sample, b.attempt)
		if (x == y) != (a == b) {
			t.Fatalf("%+v gives %s, %+v gives %s", a, x, b, y)
		}
		if !form.MatchString(x) {
			t.Fatalf("%q is no trace id", x)
		}
	})
}

func TestJitterIsSpread(t *testing.T) {
	var buckets [10]int
	const n = 20000
	for i := range n {
		u := limit.Jitter("trace_x", requestID("r", i), 1)
		if u < 0 || u >= 1 {
			t.Fatalf("jitter %v", u)
		}
		buckets[int(u*10)]++
	}
	for i, got := range buckets { // binomial: mean 2000, sd 42
		if got < 1790 || got > 2210 {
			t.Errorf("bucket %d holds %d of %d", i, got, n)
		}
	}
}
