package endpoint

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"gonogo/sampler/limit"
)

// State is the state of one endpoint. Rate and P95 cover the last half minute to minute.
type State struct {
	Name     string        // model, judge, grader, "grader PART" or "tool NAME"
	InFlight int           // requests in flight
	Waiting  int           // requests waiting for their turn
	Limit    int           // how many may be in flight at once
	HeldBy   limit.HeldBy  // what keeps Limit from growing; "" if nothing does
	Silent   time.Duration // how long nothing has been answered, with requests in flight
	Paused   time.Duration // how long no request will be admitted; 0 = not paused
	Why      limit.Hold    // why it is paused
	Rate     float64       // answers per second
	P95      time.Duration // 95 of 100 answers took no longer; 0 if there are none
	Requests int           // completed requests
	Errors   int           // completed requests without an answer
	Limited  int           // of the errors, 429s
	Retries  int           // retries
	Cause    string        // of the last error: its status and text; "" if there was none
}

// meterSpan is how long a meter counts before it drops the previous count.
const meterSpan = 30 * time.Second

// meter counts the outcome of an endpoint's requests.
type meter struct {
	requests, errors, limited, retries int

	cause string // cause of the last error

	now, last stretch
}

// stretch is what was counted in one span of time.
type stretch struct {
	begun time.Time
	n     int
	took  [spanBins]int32
}

// Bins are a twelfth of a decade wide, starting at a tenth of a millisecond: 21 %.
const (
	spanBins    = 100
	binsADecade = 12
	firstBin    = 100 * time.Microsecond
)

// turn starts a new stretch if the current one is full.
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

// causeOf returns the text of a failure without its URL, which the endpoint's name stands for.
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
