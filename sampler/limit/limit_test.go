package limit

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDelay(t *testing.T) {
	r := Retry{Max: 3, Wait: 500 * time.Millisecond, Cap: 3 * time.Second}
	for _, c := range []struct {
		why        string
		attempt    int
		retryAfter time.Duration
		u          float64
		want       time.Duration
	}{
		{"the first repeat waits up to Wait", 0, 0, 1, 500 * time.Millisecond},
		{"the edge doubles each time", 2, 0, 1, 2 * time.Second},
		{"the edge stops at Cap", 9, 0, 1, 3 * time.Second},
		{"full jitter reaches down to nothing", 2, 0, 0, 0},
		{"full jitter is linear in u", 1, 0, 0.25, 250 * time.Millisecond},
		{"Retry-After is a floor", 0, 7 * time.Second, 0, 7 * time.Second},
		{"Retry-After is spread by Wait", 0, 7 * time.Second, 1, 7500 * time.Millisecond},
		{"Retry-After may pass Cap", 0, time.Minute, 0, time.Minute},
		{"a huge attempt does not overflow", 5000, 0, 1, 3 * time.Second},
	} {
		t.Run(c.why, func(t *testing.T) {
			if got := r.Delay(c.attempt, c.retryAfter, c.u); got != c.want {
				t.Errorf("Delay(%d, %v, %v) = %v, want %v", c.attempt, c.retryAfter, c.u, got, c.want)
			}
		})
	}
}

func TestDelayProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Retry{
			Wait: time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "wait")),
			Cap:  time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "cap")),
		}
		after := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "after"))
		u := rapid.Float64Range(0, 0.999).Draw(t, "u")
		got := r.Delay(rapid.IntRange(0, 100).Draw(t, "attempt"), after, u)
		if got < after {
			t.Fatalf("delay %v is less than Retry-After %v", got, after)
		}
		if after == 0 && got > r.Cap {
			t.Fatalf("delay %v is more than the cap %v", got, r.Cap)
		}
	})
}

func TestAgain(t *testing.T) {
	r := Retry{Max: 2, Wait: time.Second, Cap: time.Second, Total: time.Minute}
	for _, c := range []struct {
		why   string
		class Class
		tries Tries
		after time.Duration
		want  bool
	}{
		{"repeats are left", Broken, Tries{Made: 1, Counted: 2}, 0, true},
		{"no repeat is left", Broken, Tries{Made: 2, Counted: 3}, 0, false},
		{"a 429 says later, and does not count", Limited, Tries{Made: 90, Counted: 0}, 0, true},
		{"a 429 after a hundred others", Limited, Tries{Made: 100, Counted: 0}, 0, false},
		{"a 429 too long after the first failure", Limited, Tries{Made: 90, Counted: 0, Since: time.Minute}, 0, false},
		{"a failure that counts after many that do not", Silent, Tries{Made: 90, Counted: 1}, 0, true},
		{"a 5xx too long after the first failure", Unavailable, Tries{Made: 1, Counted: 2, Since: time.Minute}, 0, false},
		{"the wait asked for would pass the total", Limited, Tries{Since: 30 * time.Second}, 31 * time.Second, false},
		{"the server asks for more than our patience", Limited, Tries{}, Patience + 1, false},
	} {
		if _, got := r.ShouldRetry(c.class, c.tries, c.after, 0.5); got != c.want {
			t.Errorf("%s: got %v", c.why, got)
		}
	}
	if _, again := (Retry{}).ShouldRetry(Limited, Tries{}, 0, 0.5); again {
		t.Error("0 retries are no retries")
	}
	if _, again := (Retry{Max: 2}).ShouldRetry(Limited, Tries{Made: 2}, 0, 0.5); again {
		t.Error("without a total the number bounds 429s too")
	}
	// With no limit on the time of all retries, or with one of hours, only our patience bounds the wait.
	for _, r := range []Retry{{Max: 2}, {Max: 2, Total: 6 * time.Hour}} {
		for _, class := range []Class{Limited, Unavailable, Silent, Broken} {
			if delay, again := r.ShouldRetry(class, Tries{Counted: 1}, Patience, 0); !again || delay != Patience {
				t.Errorf("%v, %v: asked for ten minutes: %v after %v, want a retry then", r, class, again, delay)
			}
			if delay, again := r.ShouldRetry(class, Tries{Counted: 1}, Patience+time.Second, 0); again {
				t.Errorf("%v, %v: asked for more than ten minutes: a retry after %v", r, class, delay)
			}
		}
	}
}

func TestBudgetNeverBeginsMoreRollouts(t *testing.T) {
	b := NewBudget(Bounds{Rollouts: 100}).Open("", true)
	var begun atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for b.Reserve(time.Time{}) == Granted {
				begun.Add(1)
				b.Settle(noon, Used{Tokens: nil})
			}
		})
	}
	wg.Wait()
	if begun.Load() != 100 {
		t.Errorf("begun %d rollouts, the budget allows 100", begun.Load())
	}
}

func TestBudgetTokens(t *testing.T) {
	tokens := func(n int64) *int64 { return &n }
	b := NewBudget(Bounds{Tokens: 1000}).Open("", true)
	reserve := func(want Grant, why string) {
		t.Helper()
		if got := b.Reserve(time.Time{}); got != want {
			t.Fatalf("%s: Reserve() = %v, want %v", why, got, want)
		}
	}
	reserve(Granted, "nothing used yet")
	reserve(Granted, "what is in flight is unknown before the first ended")
	b.Settle(noon, Used{Tokens: tokens(100)})
	reserve(Granted, "100 used and one in flight at 100, and as much twice over")
	reserve(Granted, "100 used and two in flight at 300 each: 700")
	reserve(Later, "100 used and three in flight at 300 each: 1000")
	b.Settle(noon, Used{Tokens: tokens(300)})
	reserve(Later, "400 used and two in flight at 200 (1 + √2) each: 1366")
	b.Settle(noon, Used{Tokens: tokens(500)})
	reserve(Later, "900 used and one in flight")
	b.Settle(noon, Used{Tokens: tokens(100)})
	reserve(Spent, "1000 used")
}

func TestUnknownTokensCountTheMean(t *testing.T) {
	tokens := func(n int64) *int64 { return &n }
	b := NewBudget(Bounds{Tokens: 1000}).Open("", true)
	var ends []*int64
	for i := range 12 {
		ends = append(ends, tokens(100))
		if i%3 == 1 {
			ends[i] = nil
		}
	}
	begun := 0
	for b.Reserve(time.Time{}) == Granted {
		b.Settle(noon, Used{Tokens: ends[begun]})
		begun++
	}
	if begun != 10 {
		t.Errorf("begun %d rollouts of 100 tokens each, of which every third did not tell; want 10", begun)
	}
}

func TestABudgetOfTokensThatNobodyTells(t *testing.T) {
	n := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		why  string
		max  int64
		ends []*int64
		want Grant
	}{
		{"three in a row", 1000, []*int64{nil, nil, nil}, UnknownUsage},
		{"two may be answers that got lost", 1000, []*int64{nil, nil}, Granted},
		{"one in between told", 1000, []*int64{nil, nil, n(5), nil, nil}, Granted},
		{"one in between used nothing", 1000, []*int64{nil, nil, n(0), nil}, UnknownUsage},
		{"three in a row after many that told", 1000, []*int64{n(5), n(5), n(5), nil, nil, nil}, UnknownUsage},
		{"no bound needs no telling", 0, []*int64{nil, nil, nil, nil}, Granted},
	} {
		b := NewBudget(Bounds{Tokens: c.max}).Open("", true)
		for range c.ends {
			b.Reserve(time.Time{})
		}
		for _, e := range c.ends {
			b.Settle(noon, Used{Tokens: e})
		}
		if got := b.Reserve(time.Time{}); got != c.want {
			t.Errorf("%s: Reserve() = %v, want %v", c.why, got, c.want)
		}
	}
}

func TestRetryValidate(t *testing.T) {
	if err := DefaultRetry().Validate(); err != nil {
		t.Errorf("the default is refused: %v", err)
	}
	for _, r := range []Retry{{Max: -1}, {Wait: -1}, {Cap: -1}, {Total: -1}} {
		if r.Validate() == nil {
			t.Errorf("%+v is accepted", r)
		}
	}
}
