package limit

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// queueing works on that many requests at once, and lets others wait in the order in which
// they came. It works on those to the end that nobody waits for any more.
type queueing struct {
	free []time.Time // when each slot is
	took func(r *rand.Rand) time.Duration
	made int
}

func slots(n int, took func(*rand.Rand) time.Duration) *queueing {
	return &queueing{free: make([]time.Time, n), took: took}
}

func (q *queueing) serve(now time.Time, _ int, r *rand.Rand) (time.Duration, Result) {
	i := 0
	for j, at := range q.free {
		if at.Before(q.free[i]) {
			i = j
		}
	}
	begin := now
	if q.free[i].After(now) {
		begin = q.free[i]
	}
	q.free[i] = begin.Add(q.took(r))
	q.made++
	return q.free[i].Sub(now), Result{Class: Served}
}

// moody refuses a share of the requests, whatever the load.
type moody struct {
	server
	share float64
	asks  time.Duration
}

func (m moody) serve(now time.Time, inFlight int, r *rand.Rand) (time.Duration, Result) {
	if r.Float64() < m.share {
		return 2 * time.Millisecond, Result{Class: Limited, RetryAfter: m.asks}
	}
	return m.server.serve(now, inFlight, r)
}

// swift answers any number of requests at once.
type swift struct {
	took func(*rand.Rand) time.Duration
}

func (s swift) serve(_ time.Time, _ int, r *rand.Rand) (time.Duration, Result) {
	return s.took(r), Result{Class: Served}
}

func always(d time.Duration) func(*rand.Rand) time.Duration {
	return func(*rand.Rand) time.Duration { return d }
}

func spread(d time.Duration) func(*rand.Rand) time.Duration {
	return func(r *rand.Rand) time.Duration { return lognormal(r, d) }
}

// finished is how a simulated run of requests went.
type finished struct {
	took          time.Duration
	lost, refused int
	late          int
	settled       int             // most in flight at once after 40 answers
	half          time.Duration   // the median time of an answer
	times         []time.Duration // of answers
	l             *Limiter
}

// asking is one request of a run, with its tries.
type asking struct {
	due   time.Time
	tries Tries
	first time.Time
}

type due []asking

func (d due) Len() int           { return len(d) }
func (d due) Less(i, j int) bool { return d[i].due.Before(d[j].due) }
func (d due) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *due) Push(x any)        { *d = append(*d, x.(asking)) }
func (d *due) Pop() any {
	old := *d
	last := old[len(old)-1]
	*d = old[:len(old)-1]
	return last
}

// finish has a server answer n requests, as a run asks them: the first one alone, each
// again as DefaultRetry says, and no longer than timeout.
func finish(t *testing.T, cfg Limits, s server, n int, timeout time.Duration, seed uint64) finished {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	l, retry := NewLimiter(cfg), DefaultRetry()
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	now := begin
	got := finished{l: l}
	var out flights
	of := map[uint64]asking{}
	var waiting due
	ready := make([]asking, n)
	for left := n; left > 0; {
		var wake time.Duration
		for len(ready) > 0 && (len(got.times) > 0 || len(out) == 0 || now.Sub(begin) >= 2*time.Second) {
			ticket, ok, wait := l.Admit(now)
			if !ok {
				wake = wait
				break
			}
			if l.InFlight() > l.Limit() {
				t.Fatalf("%d in flight with a limit of %d", l.InFlight(), l.Limit())
			}
			took, res := s.serve(now, len(out)+1, r)
			if timeout > 0 && took > timeout {
				took, res = timeout, Result{Class: Silent, Late: true}
			}
			a := ready[0]
			ready, of[ticket.seq] = ready[1:], a
			res.Again = a.tries.Made > 0
			heap.Push(&out, flight{now.Add(took), ticket, res})
			if len(got.times) >= 40 {
				got.settled = max(got.settled, len(out))
			}
		}
		next := time.Time{}
		sooner := func(at time.Time) {
			if next.IsZero() || at.Before(next) {
				next = at
			}
		}
		if len(out) > 0 {
			sooner(out[0].end)
		}
		if len(waiting) > 0 {
			sooner(waiting[0].due)
		}
		if wake > 0 {
			sooner(now.Add(wake))
		}
		if next.IsZero() {
			t.Fatal("nothing is in flight, nothing may be made, and nothing is waited for")
		}
		now = next
		for len(waiting) > 0 && !waiting[0].due.After(now) {
			ready = append(ready, heap.Pop(&waiting).(asking))
		}
		if len(out) > 0 && !out[0].end.After(now) { // one, and others may take its place
			f := heap.Pop(&out).(flight)
			l.Done(now, f.t, f.res)
			a := of[f.t.seq]
			delete(of, f.t.seq)
			switch f.res.Class {
			case Served:
				got.times = append(got.times, now.Sub(f.t.at))
				left--
				continue
			case Limited:
				got.refused++
			default:
				got.late++
			}
			if a.first.IsZero() {
				a.first = now
			}
			if f.res.Class.Rule().Counted {
				a.tries.Counted++
			}
			a.tries.Since = now.Sub(a.first)
			delay, again := retry.ShouldRetry(f.res.Class, a.tries, f.res.RetryAfter, r.Float64())
			if !again {
				got.lost++
				left--
				continue
			}
			a.tries.Made++
			a.due = now.Add(delay)
			heap.Push(&waiting, a)
		}
	}
	got.took = now.Sub(begin)
	if len(got.times) > 0 {
		slices.Sort(got.times)
		got.half = got.times[len(got.times)/2]
	}
	return got
}

// A server that queues what it does not work on is asked for as many requests at
// once as it works on, and no request is lost to a queue of our making.
func TestSlots(t *testing.T) {
	for _, c := range []struct {
		slots, n int
	}{{1, 130}, {2, 221}, {4, 364}, {5, 600}, {8, 800}, {16, 1600}} {
		q := slots(c.slots, always(500*time.Millisecond))
		got := finish(t, Limits{}, q, c.n, 5*time.Second, 1)
		ideal := time.Duration(math.Ceil(float64(c.n-1)/float64(c.slots))+1) * 500 * time.Millisecond
		share := float64(got.took) / float64(ideal)
		t.Logf("%d slots: lost %d, late %d, made %d of %d, %.3f of the time, at most %d in flight after 40 answers, half within %v", c.slots, got.lost, got.late, q.made, c.n, share, got.settled, got.half)
		if got.lost > 0 || float64(q.made) > 1.02*float64(c.n) || share > 1.05 || got.settled > 2*c.slots || got.half > time.Second {
			t.Error("want none lost, 1.02 made, 1.05 of the time, twice the slots in flight, half of them within twice the time")
		}
	}
}

// Refusals that come at any load cost little more time than they do themselves.
func TestRefusalsAtAnyLoad(t *testing.T) {
	for _, c := range []struct {
		share float64
		asks  time.Duration
		most  float64
	}{
		{0.02, 0, 1.5}, {0.05, 0, 1.5}, {0.1, 0, 2.5}, {0.02, time.Second, 1.5}, {0.05, time.Second, 1.5},
	} {
		for _, fixed := range []int{0, 64} {
			var sum, worst float64
			const seeds = 12
			for seed := range uint64(seeds) {
				without := finish(t, Limits{Fixed: fixed}, swift{spread(200 * time.Millisecond)}, 3200, time.Minute, seed)
				got := finish(t, Limits{Fixed: fixed}, moody{swift{spread(200 * time.Millisecond)}, c.share, c.asks}, 3200, time.Minute, seed)
				share := float64(got.took-c.asks) / float64(without.took) // the first pause is taken at its word
				sum, worst = sum+share, max(worst, share)
			}
			t.Logf("%.0f%% refused, Retry-After %v, fixed %d: %.2f of the time, %.2f at most", 100*c.share, c.asks, fixed, sum/seeds, worst)
			if sum/seeds > c.most {
				t.Errorf("%.2f of the time, want at most %.2f", sum/seeds, c.most)
			}
		}
	}
}

// An allowance of so many requests each second of the clock is used from the second's
// beginning.
func TestSecondOfTheClock(t *testing.T) {
	for _, c := range []struct {
		why     string
		cfg     Limits
		most    float64 // of the time
		refused int
	}{
		{"found out", Limits{}, 1.06, 400},
		{"64 at once", Limits{Fixed: 64}, 1.06, 400},
		{"a rate that is set", Limits{Requests: 6000}, 1.05, 5},
		{"a rate that is set, 64 at once", Limits{Fixed: 64, Requests: 6000}, 1.05, 5},
	} {
		var shares []float64
		refused := 0
		for seed := range uint64(11) {
			got := finish(t, c.cfg, &minutely{most: 100, span: time.Second, took: 50 * time.Millisecond, tells: true}, 3200, time.Minute, seed)
			shares = append(shares, got.took.Seconds()/32)
			refused = max(refused, got.refused)
		}
		slices.Sort(shares)
		t.Logf("%s: %.3f of the time in the median, %.3f at most, %d refused at most", c.why, shares[5], shares[10], refused)
		if shares[5] > c.most || refused > c.refused {
			t.Errorf("want %.2f, and %d refused", c.most, c.refused)
		}
	}
}

// pausing refuses more than that many at once, and asks for a pause.
type pausing struct {
	capped
	asks time.Duration
}

func (p pausing) serve(now time.Time, inFlight int, r *rand.Rand) (time.Duration, Result) {
	took, res := p.capped.serve(now, inFlight, r)
	if res.Class == Limited {
		res.RetryAfter = p.asks
	}
	return took, res
}

// hanging never answers a share of the requests.
type hanging struct {
	server
	share float64
}

func (h hanging) serve(now time.Time, inFlight int, r *rand.Rand) (time.Duration, Result) {
	if r.Float64() < h.share {
		return time.Hour, Result{Class: Served}
	}
	return h.server.serve(now, inFlight, r)
}

// What servers do that nothing above is like, in shares of the time that it takes at best.
func TestOddServers(t *testing.T) {
	for _, c := range []struct {
		why     string
		server  func() server
		n       int
		timeout time.Duration
		best    time.Duration
		most    float64
	}{
		{"any number at once, a minute each", func() server { return swift{always(time.Minute)} }, 512, time.Hour, time.Minute, 8},
		{"any number at once, a minute each in the median", func() server { return swift{spread(time.Minute)} }, 512, time.Hour, 4 * time.Minute, 8},
		{"one in five refused at random", func() server { return moody{swift{spread(200 * time.Millisecond)}, 0.2, 0} }, 3200, time.Hour, 6 * time.Second, 40},
		{"64 at once, and a pause of 30 s for more", func() server { return pausing{capped{64}, 30 * time.Second} }, 3200, time.Hour, 3200 / 64 * 9 * time.Second, 2},
		{"4 at once, and a pause of a second for more", func() server { return pausing{capped{4}, time.Second} }, 400, time.Hour, 400 / 4 * 9 * time.Second, 1.5},
		{"one request in fifty is never answered", func() server { return hanging{swift{always(time.Second)}, 0.02} }, 800, 10 * time.Second, 20 * time.Second, 4},
		{"two requests in five are never answered", func() server { return hanging{swift{always(time.Second)}, 0.4} }, 800, 10 * time.Second, 20 * time.Second, 4},
		{"two slots that queue, answers that differ", func() server { return slots(2, spread(time.Second)) }, 400, time.Minute, 400 / 2 * 1133 * time.Millisecond, 1.1},
		{"64 slots that queue", func() server { return slots(64, spread(time.Second)) }, 3200, time.Minute, 3200 / 64 * 1133 * time.Millisecond, 1.3},
	} {
		var sum float64
		lost, late, settled := 0, 0, 0
		const seeds = 5
		for seed := range uint64(seeds) {
			got := finish(t, Limits{}, c.server(), c.n, c.timeout, seed)
			sum += float64(got.took) / float64(c.best) / seeds
			lost, late, settled = lost+got.lost, late+got.late, max(settled, got.settled)
		}
		t.Logf("%s: %.2f of the time, %d lost, %d late, at most %d in flight", c.why, sum, lost, late, settled)
		if sum > c.most || lost > 0 && late == 0 {
			t.Errorf("%s: want at most %.2f of the time, and none lost", c.why, c.most)
		}
	}
}
