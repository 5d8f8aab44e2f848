package limit

import "time"

// Quotas is what remains of a server's limits, according to its rate limit headers.
type Quotas struct{ Requests, Tokens Quota }

// Quota is what remains of one limit.
type Quota struct {
	Known bool
	Left  float64
	Reset time.Duration // until there is more; 0 if the server does not say
}

// Asks returns how long to avoid a server that refused a request, by its quotas: until a used-up
// limit resets, if that is longer than Patience; 0 if no limit takes that long.
func (q Quotas) Asks() (longest time.Duration) {
	for _, one := range []Quota{q.Requests, q.Tokens} {
		if one.Known && one.Left <= 0 && one.Reset > Patience {
			longest = max(longest, one.Reset)
		}
	}
	return longest
}

// unsaid is how long a used-up limit is assumed to remain so if the server does not say.
const unsaid = time.Second

// together is the longest time between the admissions of requests that may reach the server in a
// different order.
const together = 20 * time.Millisecond

// quota keeps what a server reported until it reports something newer, or until the time that it
// named has come.
type quota struct {
	known  bool
	left   float64
	until  time.Time
	newest uint64  // the newest request whose answer reported it
	first  uint64  // the first of those admitted together with it
	low    float64 // the least that the answers to these reported as left

	again bool          // when the time has come, allow most per span until there is a newer report
	most  float64       // the most that was ever reported as left
	span  time.Duration // the last reported time until there is more
}

// observe takes the report in the answer to a request. Requests admitted after it, and those in
// flight that were admitted together with it, may not have been counted by then: they are
// subtracted. A reset that takes longer than Patience is not waited for: the next request is made,
// and if it is refused, Quotas.Asks returns how long to wait.
func (q *quota) observe(now time.Time, t Ticket, admitted uint64, inFlight int, cost float64, reported Quota) {
	if !reported.Known || t.first < q.first {
		return
	}
	more := t.seq > q.newest && reported.Left > q.low+cost*float64(admitted-t.first+1) // than another order explains
	if t.first > q.first || more {
		q.first, q.low = t.first, reported.Left
	}
	reset := reported.Reset
	if reset <= 0 {
		reset = max(0, unsaid-now.Sub(t.at)) // it was counted when the request arrived
	}
	q.known, q.newest, q.low = reset <= Patience, max(q.newest, t.seq), min(q.low, reported.Left)
	q.most, q.span = max(q.most, reported.Left), max(reported.Reset, unsaid)
	uncounted := max(admitted-q.newest, min(uint64(inFlight), admitted-t.first))
	q.left, q.until = q.low-cost*float64(uncounted), now.Add(reset)
}

// wait returns the time until a request of that cost may be made.
func (q *quota) wait(now time.Time, cost float64) time.Duration {
	if !q.known {
		return 0
	}
	if !now.Before(q.until) {
		if !q.again || q.most < max(cost, 1) {
			q.known = false
			return 0
		}
		q.left, q.until = q.most, now.Add(q.span)
	}
	if q.left >= cost && q.left > 0 {
		return 0
	}
	return q.until.Sub(now)
}

func (q *quota) take(cost float64) { q.left -= cost }

// bucket admits a number per minute, at most a twentieth of a second's worth at once: a server's
// count per second may start in the middle of it.
type bucket struct {
	rate  float64 // per second; 0 = no bound
	size  float64
	level float64
	at    time.Time
}

func newBucket(perMinute float64) bucket {
	rate := perMinute / 60
	return bucket{rate: rate, size: max(1, rate/20), level: 1}
}

func (b *bucket) refill(now time.Time) {
	if b.rate == 0 {
		return
	}
	if !b.at.IsZero() {
		b.level = min(b.size, b.level+b.rate*now.Sub(b.at).Seconds())
	}
	b.at = now
}

// wait returns the time until a request of that cost may be made. One that costs more than the
// bucket holds may be made when it is full.
func (b *bucket) wait(now time.Time, cost float64) time.Duration {
	if b.rate == 0 {
		return 0
	}
	b.refill(now)
	missing := min(cost, b.size) - b.level
	if missing <= 1e-9*b.size {
		return 0
	}
	return max(time.Duration(missing/b.rate*float64(time.Second)), time.Microsecond)
}

func (b *bucket) take(cost float64) {
	if b.rate > 0 {
		b.level -= cost
	}
}
