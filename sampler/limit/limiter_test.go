package limit

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// noon is when the tables' clocks start.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// desk plays a table: time passes by wait alone.
type desk struct {
	t    *testing.T
	l    *Limiter
	now  time.Time
	out  []Ticket
	free []time.Time // when each slot of a server is, that works on so many at once
}

func newDesk(t *testing.T, cfg Limits) *desk { return &desk{t: t, l: NewLimiter(cfg), now: noon} }

func (d *desk) wait(span time.Duration) { d.now = d.now.Add(span) }

// fill lets in as many as may be, and returns how many that were and how long
// no one else may come; 0 is until one is done.
func (d *desk) fill() (n int, wait time.Duration) {
	for {
		t, ok, wait := d.l.Admit(d.now)
		if !ok {
			return n, wait
		}
		d.out = append(d.out, t)
		n++
	}
}

// done ends the oldest request.
func (d *desk) done(r Result) {
	d.t.Helper()
	if len(d.out) == 0 {
		d.t.Fatal("nothing is in flight")
	}
	t := d.out[0]
	d.out = d.out[1:]
	d.l.Done(d.now, t, r)
}

// alone makes one more request and ends it.
func (d *desk) alone(r Result) {
	d.t.Helper()
	t, ok, wait := d.l.Admit(d.now)
	if !ok {
		d.t.Fatalf("no request may be made, for %v", wait)
	}
	d.l.Done(d.now, t, r)
}

// answered ends the n oldest with an answer and lets in whoever may come after
// each.
func (d *desk) answered(n int) {
	d.t.Helper()
	for range n {
		d.done(Result{Class: Served})
		d.fill()
	}
}

func (d *desk) wants(what string, got, want any) {
	d.t.Helper()
	if got != want {
		d.t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// refused ends the n oldest with a 429 that asks for a second.
func (d *desk) refused(n int) {
	d.t.Helper()
	for range n {
		d.done(Result{Class: Limited, RetryAfter: time.Second})
	}
}

// limited ends the n oldest with a 429 that says no more.
func (d *desk) limited(n int) {
	d.t.Helper()
	for range n {
		d.done(Result{Class: Limited})
	}
}

// first has the first request answered alone, after a second.
func (d *desk) first() {
	d.t.Helper()
	t, _, _ := d.l.Admit(d.now)
	d.wait(time.Second)
	d.l.Done(d.now, t, served())
	d.fill()
}

// work ends the n oldest, each a second after it was let through.
func (d *desk) work(n int) { d.queue(MaxInFlight, n) }

// queue ends the n oldest, as a server does that works on that many at once for a
// second each, and lets in whoever may come after each.
func (d *desk) queue(slots, n int) {
	d.t.Helper()
	for len(d.free) < slots {
		d.free = append(d.free, d.now)
	}
	for range n {
		slices.SortFunc(d.free, time.Time.Compare)
		begin := d.free[0]
		if at := d.out[0].at; at.After(begin) {
			begin = at
		}
		d.free[0] = begin.Add(time.Second)
		if d.free[0].After(d.now) {
			d.now = d.free[0]
		}
		d.answered(1)
	}
}

func served() Result { return Result{Class: Served} }

func TestTheLimit(t *testing.T) {
	for _, c := range []struct {
		why   string
		cfg   Limits
		play  func(d *desk)
		limit int
	}{
		{"it begins with 8", Limits{}, func(d *desk) { d.fill() }, 8},
		{"a mean of 8 answers is the least that it grows by: then twice as many are tried", Limits{}, func(d *desk) { d.fill(); d.work(8) }, 16},
		{"twice as many that are answered as soon stay, and twice those are tried", Limits{}, func(d *desk) { d.fill(); d.work(2*8 + 16) }, 32},
		{"twice as many that take twice as long do not", Limits{}, func(d *desk) { d.fill(); d.queue(8, 8+2*16) }, 8},
		{"half as many again are tried after four means", Limits{}, func(d *desk) { d.fill(); d.queue(8, 8+2*16+6*8) }, 12},
		{"the first nine answers show that the server works on two at once", Limits{}, func(d *desk) { d.first(); d.queue(2, 8) }, 2},
		{"or on all: then more are tried", Limits{}, func(d *desk) { d.first(); d.queue(8, 8) }, 16},
		{"it does not grow while fewer are in flight than may be", Limits{}, func(d *desk) {
			for range 100 {
				d.alone(served())
			}
		}, 8},
		{"two 429s say nothing", Limits{}, func(d *desk) { d.fill(); d.limited(2) }, 8},
		{"nor do those of one request in twenty", Limits{}, func(d *desk) {
			d.fill()
			for range 100 {
				d.work(19)
				d.limited(1)
				d.fill()
			}
		}, 1024},
		{"five of 8 in flight shrink it, to 0.7 of 8 at least", Limits{}, func(d *desk) { d.fill(); d.limited(5) }, 5},
		{"all 8 refused together: 0.7 of 8", Limits{}, func(d *desk) { d.fill(); d.limited(8) }, 5},
		{"the cut is from what was in flight, not from a limit that was never reached", Limits{}, func(d *desk) {
			d.fill()
			d.work(2 * 8) // the limit is 16
			for len(d.out) > 5 {
				d.done(served())
			}
			d.limited(5)
		}, 3},
		{"429s within a second of the last cut do not shrink it", Limits{}, func(d *desk) {
			d.fill()
			d.limited(5)
			for len(d.out) > 0 {
				d.done(served())
			}
			d.wait(999 * time.Millisecond)
			d.fill()
			d.limited(3)
		}, 5},
		{"429s a second later do", Limits{}, func(d *desk) {
			d.fill()
			d.limited(5)
			for len(d.out) > 0 {
				d.done(served())
			}
			d.wait(time.Second)
			d.fill()
			d.limited(3)
		}, 3},
		{"it never falls below 1", Limits{}, func(d *desk) {
			for range 100 {
				d.wait(time.Minute)
				d.alone(Result{Class: Limited})
				d.wait(time.Minute)
				d.alone(served())
			}
		}, 1},
		{"after a cut it comes back below where that came, and stays for 200 answers", Limits{}, func(d *desk) {
			d.fill()
			d.limited(5)
			d.wait(time.Second)
			d.fill()
			d.answered(190)
		}, 5},
		{"after 200 answers it looks for the knee again", Limits{}, func(d *desk) {
			d.fill()
			d.limited(5)
			d.wait(time.Second)
			d.fill()
			d.work(250)
		}, 48},
		{"5xx do not shrink it", Limits{}, func(d *desk) {
			for range 10 {
				d.wait(time.Minute)
				d.alone(Result{Class: Broken})
				d.wait(time.Minute)
				d.alone(Result{Class: Unavailable})
			}
		}, 8},
		{"hung connections do not shrink it", Limits{}, func(d *desk) { d.fill(); d.done(Result{Class: Silent}) }, 8},
		{"what we broke off ourselves changes nothing", Limits{}, func(d *desk) { d.fill(); d.done(Result{}) }, 8},
		{"a fixed limit does not grow", Limits{Fixed: 3}, func(d *desk) { d.fill(); d.answered(500) }, 3},
		{"a fixed limit does not shrink", Limits{Fixed: 8}, func(d *desk) { d.fill(); d.limited(8) }, 8},
		{"unless the server names its own: 64 in flight, 14 refused together, 0.9 of 51", Limits{Fixed: 64}, func(d *desk) { d.fill(); d.refused(14) }, 45},
		{"all 64 refused together: 0.7 of 64", Limits{Fixed: 64}, func(d *desk) { d.fill(); d.refused(64) }, 44},
		{"and it grows back to what was fixed, no further", Limits{Fixed: 64}, func(d *desk) {
			d.fill()
			d.refused(14)
			d.wait(time.Second)
			d.fill()
			d.answered(5000)
		}, 64},
	} {
		t.Run(c.why, func(t *testing.T) {
			d := newDesk(t, c.cfg)
			c.play(d)
			d.wants("the limit", d.l.Limit(), c.limit)
		})
	}
}

func TestPauses(t *testing.T) {
	trouble := func(class Class, waves int) func(*desk) {
		return func(d *desk) {
			for range waves {
				d.wait(d.l.hold(d.now))
				d.alone(Result{Class: class})
			}
		}
	}
	unlucky := func(d *desk) {
		for range 100 {
			d.alone(served())
			d.alone(Result{Class: Unavailable})
		}
		d.alone(served())
	}
	hanging := func(d *desk, until time.Duration) {
		for end := d.now.Add(until); d.now.Before(end); {
			d.wait(d.l.hold(d.now))
			t, _, _ := d.l.Admit(d.now)
			d.wait(20 * time.Second)
			d.l.Done(d.now, t, Result{Class: Silent, Late: true, Last: true})
		}
	}
	for _, c := range []struct {
		why  string
		play func(d *desk)
		want time.Duration
	}{
		{"a few 5xx pause nobody: they are the retry's business", trouble(Broken, 7), 0},
		{"eight, with no answer between, pause all for half a second", trouble(Broken, 8), 500 * time.Millisecond},
		{"then twice as long each time", trouble(Unavailable, 11), 4 * time.Second},
		{"up to half a minute", trouble(Silent, 30), 30 * time.Second},
		{"5xx of requests that were in flight together are one", func(d *desk) {
			d.fill()
			for range 8 {
				d.done(Result{Class: Broken})
			}
		}, 0},
		{"an answer in between begins again", func(d *desk) {
			trouble(Broken, 7)(d)
			d.alone(served())
			trouble(Broken, 7)(d)
		}, 0},
		{"repeats of a few requests are no eight", func(d *desk) {
			for range 40 {
				d.alone(Result{Class: Broken, Again: true})
			}
		}, 0},
		{"nor are the many requests of a few rollouts", func(d *desk) {
			for range 40 {
				for _, of := range []string{"a", "b", "c", "d", "e", "f", "g"} {
					d.alone(Result{Class: Broken, Of: of})
				}
			}
		}, 0},
		{"those of eight are", func(d *desk) {
			for _, of := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
				d.alone(Result{Class: Broken, Of: of})
			}
		}, 500 * time.Millisecond},
		{"16 are none where every second rollout is beyond it", func(d *desk) { unlucky(d); trouble(Broken, 16)(d) }, 0},
		{"17 are", func(d *desk) { unlucky(d); trouble(Broken, 17)(d) }, 500 * time.Millisecond},
		{"those that hang while what was sent later is answered are their own trouble", func(d *desk) {
			d.fill()
			hung, later := d.out[:7], d.out[7]
			d.l.Done(d.now, later, served())
			d.wait(2 * time.Minute)
			for _, t := range hung {
				d.l.Done(d.now, t, Result{Class: Silent, Late: true})
			}
			trouble(Silent, 7)(d)
		}, 0},
		{"the last of a run that hang wait for each other", func(d *desk) { hanging(d, 14*time.Minute) }, 30 * time.Second},
		{"for a quarter of an hour", func(d *desk) { hanging(d, 17*time.Minute) }, 0},
		{"so does one that was sent before: the server is there", func(d *desk) {
			d.fill()
			before := d.out[0]
			d.out = d.out[1:]
			for range 7 {
				d.done(Result{Class: Broken})
			}
			d.l.Done(d.now, before, served())
			trouble(Broken, 7)(d)
		}, 0},
		{"Retry-After of a 429 holds for all, to the letter", func(d *desk) { d.fill(); d.done(Result{Class: Limited, RetryAfter: 17 * time.Second}) }, 17 * time.Second},
		{"Retry-After of a 503 does too, at once", func(d *desk) { d.fill(); d.done(Result{Class: Unavailable, RetryAfter: 3 * time.Second}) }, 3 * time.Second},
		{"the longest of several holds", func(d *desk) {
			d.fill()
			d.done(Result{Class: Limited, RetryAfter: 9 * time.Second})
			d.done(Result{Class: Limited, RetryAfter: 2 * time.Second})
		}, 9 * time.Second},
		{"one that is past our patience is the failed request's business", func(d *desk) {
			d.fill()
			d.done(Result{Class: Unavailable, RetryAfter: Patience + 1})
		}, 0},
		{"an answer's Retry-After means nothing", func(d *desk) { d.fill(); d.done(Result{Class: Served, RetryAfter: time.Hour}) }, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			for _, cfg := range []Limits{{}, {Fixed: 8}} {
				d := newDesk(t, cfg)
				c.play(d)
				d.wants("the pause", d.l.hold(d.now), c.want)
				if _, wait := d.fill(); c.want > 0 {
					d.wants("how long a request has to wait", wait, c.want)
				}
			}
		})
	}
}

// After a pause one request at a time shows whether the server is back.
func TestAfterAPause(t *testing.T) {
	d := newDesk(t, Limits{})
	for range steady - 2 {
		d.alone(Result{Class: Broken})
	}
	d.fill()
	first := d.out
	d.out = nil
	d.l.Done(d.now, first[0], Result{Class: Broken})
	n, _ := d.fill()
	d.wants("a lone 5xx gives its place to another", n, 1)
	d.done(Result{Class: Broken})
	d.wait(500 * time.Millisecond)
	n, _ = d.fill()
	d.wants("after the pause", n, 1)
	for _, t := range first[1:] {
		d.l.Done(d.now, t, served()) // sent before the trouble, they say nothing about now
	}
	n, _ = d.fill()
	d.wants("while that one is out", n, 0)
	d.done(Result{Class: Broken})
	d.wants("it failed: the pause", d.l.hold(d.now), time.Second)
	d.wait(time.Second)
	n, _ = d.fill()
	d.wants("after the second pause", n, 1)
	d.done(served())
	n, _ = d.fill()
	d.wants("it was answered: all may come", n, 8)
}

// An outage while the server still answers what it had accepted: the last of those answers says
// nothing about now, and the rollouts in trouble show at their retries that the server is down.
func TestALateAnswerDoesNotHideAnOutage(t *testing.T) {
	d := newDesk(t, Limits{Fixed: 8})
	for range 50 {
		d.alone(served())
	}
	d.fill()
	accepted := d.out[0]
	d.out = d.out[1:]
	rollout := func(n int) string { return fmt.Sprint("r", n) }
	for n := range 7 {
		d.done(Result{Class: Broken, Of: rollout(n)})
	}
	d.alone(Result{Class: Broken, Of: rollout(7)})
	d.l.Done(d.now, accepted, served())
	d.wants("down, after the late answer", d.l.Down(), false)
	n := 0
	for ; n < unsteady && !d.l.Down(); n++ {
		d.wait(d.l.hold(d.now))
		d.alone(Result{Class: Broken, Of: rollout(n), Again: true})
	}
	d.wants("rollouts in trouble until then", n >= steady && n <= 2*steady, true)
	d.wants("down", d.l.Down(), true)
	d.wait(d.l.hold(d.now))
	d.alone(served())
	d.wants("down, after a new answer", d.l.Down(), false)
	d.wants("one 5xx of a retry after it pauses", func() bool {
		d.alone(Result{Class: Broken, Of: "r1", Again: true})
		return d.l.hold(d.now) > 0
	}(), false)
}

func TestRateLimitHeaders(t *testing.T) {
	requests := func(left float64, reset time.Duration) Result {
		return Result{Class: Served, Quotas: Quotas{Requests: Quota{Known: true, Left: left, Reset: reset}}}
	}
	tokens := func(used int64, left float64, reset time.Duration) Result {
		return Result{Class: Served, Tokens: &used, Quotas: Quotas{Tokens: Quota{Known: true, Left: left, Reset: reset}}}
	}
	for _, c := range []struct {
		why  string
		play func(d *desk)
		let  int           // requests that may be made then
		wait time.Duration // before the next
	}{
		{"none left: nobody until the reset", func(d *desk) { d.alone(requests(0, 20*time.Second)) }, 0, 20 * time.Second},
		{"three left: three until the reset", func(d *desk) { d.alone(requests(3, 20*time.Second)) }, 3, 20 * time.Second},
		{"a reset that has come gives all back", func(d *desk) { d.alone(requests(0, 20*time.Second)); d.wait(20 * time.Second) }, 8, 0},
		{"none left and no reset said: a second", func(d *desk) { d.alone(requests(0, 0)) }, 0, time.Second},
		{"plenty left: the limit alone", func(d *desk) { d.alone(requests(9999, time.Minute)) }, 8, 0},
		{"requests sent after the one that was answered are taken off", func(d *desk) {
			d.fill() // 8, of which the first is answered
			d.done(requests(9, time.Minute))
		}, 1, 0},
		{"an older answer that comes later is not believed", func(d *desk) {
			d.fill()
			old := d.out[0]
			d.l.Done(d.now, d.out[7], requests(0, time.Minute))
			d.l.Done(d.now, old, requests(100, time.Minute))
		}, 0, time.Minute},
		{"a newer answer is, also when there is more than was said", func(d *desk) {
			d.fill()
			d.done(requests(0, time.Minute))
			d.done(requests(100, time.Minute))
		}, 2, 0},
		{"of those let through together, the least that is said counts", func(d *desk) {
			d.fill()
			first, last := d.out[0], d.out[7]
			for _, t := range d.out[1:7] {
				d.l.Done(d.now, t, Result{Class: Served})
			}
			d.l.Done(d.now, first, requests(2, time.Minute)) // the server counted it after the last
			d.l.Done(d.now, last, requests(5, time.Minute))
		}, 2, time.Minute},
		{"and what is in flight of them is taken off, though it was let through before", func(d *desk) {
			d.fill()
			d.l.Done(d.now, d.out[7], requests(9, time.Minute))
		}, 1, 0},
		{"not what was let through long before", func(d *desk) {
			d.fill()
			for range 7 {
				d.done(requests(100, time.Minute))
			}
			d.wait(time.Second)
			d.alone(requests(7, time.Minute))
		}, 7, time.Minute},
		{"tokens: as many requests as the mean so far leaves room for", func(d *desk) { d.alone(tokens(1000, 3500, 30*time.Second)) }, 3, 30 * time.Second},
		{"tokens: none left", func(d *desk) { d.alone(tokens(1000, 0, 6*time.Second)) }, 0, 6 * time.Second},
		{"the later of both", func(d *desk) {
			r := tokens(10, 0, 6*time.Second)
			r.Quotas.Requests = Quota{Known: true, Reset: 9 * time.Second}
			d.alone(r)
		}, 0, 9 * time.Second},
		{"ten minutes are waited for", func(d *desk) { d.alone(requests(0, Patience)) }, 0, Patience},
		{"three days, or a broken unit, are not", func(d *desk) { d.alone(requests(0, 72*time.Hour)) }, 8, 0},
		{"a day's quota of tokens is not counted down", func(d *desk) { d.alone(tokens(1000, 500, 24*time.Hour)) }, 8, 0},
		{"newer words of three days end an older wait", func(d *desk) {
			d.fill()
			d.done(requests(0, time.Minute))
			d.done(requests(0, 72*time.Hour))
		}, 2, 0},
		{"a 429 may tell as well", func(d *desk) {
			r := requests(0, 40*time.Second)
			r.Class = Limited
			d.alone(r)
		}, 0, 40 * time.Second},
	} {
		t.Run(c.why, func(t *testing.T) {
			for _, cfg := range []Limits{{}, {Fixed: 8}} {
				d := newDesk(t, cfg)
				c.play(d)
				n, wait := d.fill()
				d.wants("requests let through", n, c.let)
				d.wants("the wait for the next", wait, c.wait)
			}
		})
	}
}

// A bound of ours on a minute is kept over any minute, whatever is answered.
func TestPerMinute(t *testing.T) {
	for _, c := range []struct {
		why    string
		cfg    Limits
		tokens int64
		want   int // requests in ten minutes
		slack  int
	}{
		{"60 requests a minute", Limits{Requests: 60}, 100, 600, 1},
		{"half a request a minute", Limits{Requests: 0.5}, 100, 5, 1},
		{"6000 tokens a minute, 100 each", Limits{Tokens: 6000}, 100, 600, 9},
		{"6000 tokens a minute, 3000 each: more than a second's worth", Limits{Tokens: 6000}, 3000, 20, 9},
		{"both: the tighter one", Limits{Requests: 600, Tokens: 6000}, 100, 600, 9},
	} {
		t.Run(c.why, func(t *testing.T) {
			d := newDesk(t, c.cfg)
			made := 0
			for end := noon.Add(10 * time.Minute); d.now.Before(end); {
				n, wait := d.fill()
				made += n
				for len(d.out) > 0 {
					d.done(Result{Class: Served, Tokens: &c.tokens})
				}
				d.wait(max(wait, time.Millisecond))
			}
			if made < c.want-c.slack || made > c.want+c.slack {
				t.Errorf("%d requests in ten minutes, want %d", made, c.want)
			}
		})
	}
}

// Whatever is answered, never more than the limit are in flight, the limit stays
// in its bounds, and there is always something to wait for.
func TestLimiterProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Limits{Fixed: rapid.SampledFrom([]int{0, 0, 1, 5}).Draw(t, "fixed"), Requests: rapid.SampledFrom([]float64{0, 0, 90}).Draw(t, "rpm"), Tokens: rapid.SampledFrom([]float64{0, 0, 9000}).Draw(t, "tpm")}
		l, now := NewLimiter(cfg), noon
		var out []Ticket
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			held := l.hold(now)
			ticket, ok, wait := l.Admit(now)
			switch {
			case ok && held > 0:
				t.Fatalf("a request passes in a pause of %v", held)
			case ok && l.InFlight() > l.Limit():
				t.Fatalf("%d in flight with a limit of %d", l.InFlight(), l.Limit())
			case ok:
				out = append(out, ticket)
			case wait == 0 && l.InFlight() == 0:
				t.Fatal("nothing is in flight, and nothing ends the wait")
			}
			if cfg.Fixed > 0 && l.Limit() > cfg.Fixed || l.Limit() < 1 || l.Limit() > MaxInFlight {
				t.Fatalf("the limit is %d", l.Limit())
			}
			now = now.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond)
			for len(out) > 0 && rapid.Bool().Draw(t, "ends") {
				i := rapid.IntRange(0, len(out)-1).Draw(t, "which")
				tokens := rapid.Int64Range(0, 5000).Draw(t, "tokens")
				l.Done(now, out[i], Result{
					Class: Class(rapid.IntRange(0, len(rules)-1).Draw(t, "class")), Tokens: &tokens, Output: tokens / 2,
					RetryAfter: time.Duration(rapid.IntRange(0, 3000).Draw(t, "after")) * time.Millisecond,
					Quotas:     Quotas{Requests: Quota{Known: rapid.Bool().Draw(t, "told"), Left: float64(rapid.IntRange(0, 9).Draw(t, "left")), Reset: time.Second}},
				})
				out = append(out[:i], out[i+1:]...)
			}
		}
		if l.InFlight() != len(out) {
			t.Fatalf("%d in flight, %d tickets are out", l.InFlight(), len(out))
		}
	})
}

func TestLimitsValidate(t *testing.T) {
	for _, c := range []Limits{{Fixed: -1}, {Fixed: MaxInFlight + 1}, {Requests: -1}, {Tokens: -1}} {
		if c.Validate() == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	if err := (Limits{Fixed: MaxInFlight, Requests: 0.5}).Validate(); err != nil {
		t.Error(err)
	}
}

func BenchmarkLimiter(b *testing.B) {
	l := NewLimiter(Limits{})
	for b.Loop() {
		t, _, _ := l.Admit(noon)
		l.Done(noon, t, Result{Class: Served, Output: 10})
	}
}
