package limit

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// server is a simulated endpoint: it answers a request at once with what it will
// come to, and after how long.
type server interface {
	serve(now time.Time, inFlight int, r *rand.Rand) (took time.Duration, res Result)
}

// rated lets that many requests a second through, and that many at once on top.
type rated struct {
	rate, burst, level float64
	at                 time.Time
}

func (s *rated) serve(now time.Time, _ int, r *rand.Rand) (time.Duration, Result) {
	s.level = min(s.burst, s.level+s.rate*now.Sub(s.at).Seconds())
	s.at = now
	if s.level < 1 {
		return 50 * time.Millisecond, Result{Class: Limited}
	}
	s.level--
	return lognormal(r, 8*time.Second), Result{Class: Served}
}

// minutely lets that many requests through in each minute by the clock, or another
// span, and says so in Retry-After, in whole seconds, when it tells.
type minutely struct {
	most, n int
	span    time.Duration
	begun   time.Time
	tells   bool
	took    time.Duration // for an answer, in the median
}

func (s *minutely) serve(now time.Time, _ int, r *rand.Rand) (time.Duration, Result) {
	if at := now.Truncate(s.span); at.After(s.begun) {
		s.begun, s.n = at, 0
	}
	if s.n >= s.most {
		res := Result{Class: Limited}
		if s.tells {
			res.RetryAfter = time.Duration(math.Ceil(s.begun.Add(s.span).Sub(now).Seconds())) * time.Second
		}
		return min(50*time.Millisecond, s.took), res
	}
	s.n++
	return lognormal(r, s.took), Result{Class: Served}
}

// capped refuses more than that many at once.
type capped struct{ most int }

func (s capped) serve(_ time.Time, inFlight int, r *rand.Rand) (time.Duration, Result) {
	if inFlight > s.most {
		return 50 * time.Millisecond, Result{Class: Limited}
	}
	return lognormal(r, 8*time.Second), Result{Class: Served}
}

// batched never refuses. Above a number at once it takes longer in proportion,
// as servers that batch do.
type batched struct{ knee int }

func (s batched) serve(_ time.Time, inFlight int, r *rand.Rand) (time.Duration, Result) {
	tokens := int64(200 * math.Exp(0.5*r.NormFloat64()))
	slow := max(1, float64(inFlight)/float64(s.knee))
	return time.Duration(float64(tokens) * slow * (0.9 + 0.2*r.Float64()) * float64(40*time.Millisecond)), Result{Class: Served, Output: tokens}
}

func lognormal(r *rand.Rand, median time.Duration) time.Duration {
	return time.Duration(float64(median) * math.Exp(0.5*r.NormFloat64()))
}

type flight struct {
	end time.Time
	t   Ticket
	res Result
}

type flights []flight

func (f flights) Len() int           { return len(f) }
func (f flights) Less(i, j int) bool { return f[i].end.Before(f[j].end) }
func (f flights) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *flights) Push(x any)        { *f = append(*f, x.(flight)) }
func (f *flights) Pop() any {
	old := *f
	last := old[len(old)-1]
	*f = old[:len(old)-1]
	return last
}

type simulated struct {
	served, refused int
	most            int     // in flight at once
	mean            float64 // limit in the second half
}

// simulate asks a server as fast as the limiter lets it, for an hour.
func simulate(t *testing.T, cfg Limits, s server, demand int, seed uint64) simulated {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	l := NewLimiter(cfg)
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	now, end := begin, begin.Add(time.Hour)
	var out flights
	var got simulated
	var limits, n float64
	for now.Before(end) {
		var wake time.Duration
		for len(out) < demand {
			ticket, ok, wait := l.Admit(now)
			if !ok {
				wake = wait
				break
			}
			if l.InFlight() > l.Limit() {
				t.Fatalf("%d in flight with a limit of %d", l.InFlight(), l.Limit())
			}
			took, res := s.serve(now, len(out)+1, r)
			heap.Push(&out, flight{now.Add(took), ticket, res})
			got.most = max(got.most, len(out))
		}
		switch {
		case len(out) > 0 && (wake == 0 || !out[0].end.After(now.Add(wake))):
			f := heap.Pop(&out).(flight)
			now = f.end
			l.Done(now, f.t, f.res)
			if f.res.Class == Served {
				got.served++
			} else {
				got.refused++
			}
		case wake > 0:
			now = now.Add(wake)
		default:
			t.Fatal("nothing is in flight, nothing may be made, and nothing is waited for")
		}
		if now.Sub(begin) > 30*time.Minute {
			limits += float64(l.Limit())
			n++
		}
	}
	got.mean = limits / n
	return got
}

func TestConverges(t *testing.T) {
	hour := time.Hour.Seconds()
	mean := 8 * math.Exp(0.125) // of the lognormal latency
	for _, c := range []struct {
		why    string
		fixed  int // requests at once
		server func() server
		can    float64 // what it can answer in an hour
		share  float64 // of it, at least
		refuse float64 // share of the requests, at most
		most   int     // at once, at most; 0 = any
	}{
		{"10 requests a second", 0, func() server { return &rated{rate: 10, burst: 10} }, 10 * hour, 0.78, 0.02, 0},
		{"half a request a second, to which 4.5 at once is too little to divide", 0, func() server { return &rated{rate: 0.5, burst: 5} }, 0.5 * hour, 0.70, 0.04, 0},
		{"a cap of 64 at once", 0, func() server { return capped{64} }, 64 / mean * hour, 0.85, 0.02, 0},
		{"a cap of 4 at once", 0, func() server { return capped{4} }, 4 / mean * hour, 0.85, 0.03, 0},
		{"600 in each minute by the clock, with Retry-After", 0, func() server { return &minutely{most: 600, span: time.Minute, took: 2 * time.Second, tells: true} }, 10 * hour, 0.85, 0.02, 0},
		{"600 in each minute by the clock, which says nothing", 0, func() server { return &minutely{most: 600, span: time.Minute, took: 2 * time.Second} }, 10 * hour, 0.85, 0.05, 0},
		{"100 in each second by the clock, with a Retry-After of a whole second, 64 at once", 64, func() server {
			return &minutely{most: 100, span: time.Second, took: 50 * time.Millisecond, tells: true}
		}, 100 * hour, 0.65, 0.05, 64},
		{"a server that slows down above 48 at once", 0, func() server { return batched{48} }, 48 / 8.0 / math.Exp(0.125) * hour, 0.85, 0, 200},
	} {
		t.Run(c.why, func(t *testing.T) {
			const seeds = 3
			var got simulated
			for seed := range uint64(seeds) {
				one := simulate(t, Limits{Fixed: c.fixed}, c.server(), 512, seed)
				got.served, got.refused, got.mean = got.served+one.served, got.refused+one.refused, got.mean+one.mean/seeds
				got.most = max(got.most, one.most)
			}
			share, refused := float64(got.served)/c.can/seeds, float64(got.refused)/float64(got.served+got.refused)
			t.Logf("%.1f%% of what it can, %.2f%% refused, %d at once at most, %.0f on average", 100*share, 100*refused, got.most, got.mean)
			if share < c.share || refused > c.refuse {
				t.Errorf("%.1f%% of what it can, want %.0f%%; %.2f%% refused, want at most %.0f%%", 100*share, 100*c.share, 100*refused, 100*c.refuse)
			}
			if c.most > 0 && got.most > c.most {
				t.Errorf("%d at once, want at most %d", got.most, c.most)
			}
		})
	}
}
