package endpoint

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"gonogo/sampler/limit"
)

// State is how one endpoint does. Rate and P95 are of the last half minute
// to minute.
type State struct {
	Name     string        // model, judge, grader, "grader PART" or "tool NAME"
	InFlight int           // requests under way
	Waiting  int           // requests that wait for their turn
	Limit    int           // how many may be under way at once
	HeldBy   limit.HeldBy  // what keeps them from being more; "" when nothing does
	Silent   time.Duration // nothing was answered for so long, with requests under way
	Paused   time.Duration // for which none is let through; 0 = not paused
	Why      limit.Hold    // that is
	Rate     float64       // answers a second
	P95      time.Duration // 95 of 100 answers took no longer; 0 when there is none
	Requests int           // that have ended
	Errors   int           // of them, those that were no answer
	Limited  int           // of the errors, 429s
	Retries  int           // requests repeated
	Cause    string        // of the last error: its status and text; "" when there was none
}

// meterSpan is how long a meter counts before it forgets the count before.
const meterSpan = 30 * time.Second

// meter counts the outcome of an endpoint's requests.
type meter struct {
	requests, errors, limited, retries int

	cause string // of the last error

	now, last stretch
}

// stretch is what was counted in a stretch of time.
type stretch struct {
	begun time.Time
	n     int
	took  [spanBins]int32
}

// Bins are a twelfth of a decade wide, from a tenth of a millisecond on: 21 %.
const (
	spanBins    = 100
	binsADecade = 12
	firstBin    = 100 * time.Microsecond
)

// turn begins a new stretch when the one at hand is full.
func (m *meter) turn(now time.Time) {
	if m.now.begun.IsZero() {
		m.now.begun = now
	}
	if now.Sub(m.now.begun) < meterSpan {
		return
	}
	m.last = m.now
	if now.Sub(m.now.begun) >= 2*meterSpan {
		m.last = stretch{begun: now.Add(-meterSpan)}
	}
	m.now = stretch{begun: now}
}

func (m *meter) note(now time.Time, took time.Duration, c limit.Class, cause string) {
	if c == limit.Void {
		return
	}
	m.requests++
	if c == limit.Limited {
		m.limited++
	}
	if c != limit.Served {
		m.errors++
		m.cause = cmp.Or(cause, m.cause)
		return
	}
	m.turn(now)
	m.now.n++
	m.now.took[binOf(took)]++
}

// causeOf is a failure without its URL, which the endpoint's name stands for.
func causeOf(f *limit.Fault) string {
	if f.Status == 0 {
		return Brief(f.Text)
	}
	return Brief(fmt.Sprintf("status %d: %s", f.Status, f.Text))
}

func binOf(took time.Duration) int {
	if took <= firstBin {
		return 0
	}
	return min(spanBins-1, int(math.Ceil(binsADecade*math.Log10(float64(took)/float64(firstBin)))))
}

func (m *meter) state(now time.Time) State {
	m.turn(now)
	b := State{Requests: m.requests, Errors: m.errors, Limited: m.limited, Retries: m.retries, Cause: m.cause}
	n, begun := m.now.n+m.last.n, m.now.begun
	if !m.last.begun.IsZero() {
		begun = m.last.begun
	}
	if s := now.Sub(begun).Seconds(); s > 0 {
		b.Rate = float64(n) / max(s, 1)
	}
	need := int32(math.Ceil(0.95 * float64(n)))
	for i := range spanBins {
		if need -= m.now.took[i] + m.last.took[i]; n > 0 && need <= 0 {
			b.P95 = time.Duration(float64(firstBin) * math.Pow(10, float64(i)/binsADecade))
			break
		}
	}
	return b
}
