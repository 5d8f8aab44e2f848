package limit

import "time"

// Quotas is what remains of a server's limits, by its rate limit headers.
type Quotas struct{ Requests, Tokens Quota }

// Quota is what remains of one limit.
type Quota struct {
	Known bool
	Left  float64
	Reset time.Duration // until there is more; 0 when it does not say
}

// Asks returns how long to leave alone a server that refused a request, by its
// quotas: until a used-up limit resets, if that is longer than Patience; 0 if no
// limit asks for that long.
func (q Quotas) Asks() (longest time.Duration) {
	for _, one := range []Quota{q.Requests, q.Tokens} {
		if one.Known && one.Left <= 0 && one.Reset > Patience {
			longest = max(longest, one.Reset)
		}
	}
	return longest
}

// unsaid is how long a limit that is used up is taken to stay so, where the
// server does not say.
const unsaid = time.Second

// together is how far apart requests may be let through and still reach the server
// in another order.
const together = 20 * time.Millisecond

// quota keeps what a server said until it says something newer, or until the
// time that it named has come.
type quota struct {
	known bool
	left  float64
	until time.Time
	heard uint64  // the newest request whose answer said so
	first uint64  // of those let through together with it
	low   float64 // the least that the answers to these said is left

	again bool          // when the time has come, most and no more, each span, until it says something newer
	most  float64       // it ever said was left
	span  time.Duration // it last said until there is more
}

// hear takes what the answer to a request said. Requests let through after it, and
// those in flight that were let through together with it, may not have been counted
// by then: they are taken off. What comes back only after more than Patience is
// no one's to wait for: the next request is made, and when it is refused, Quotas.Asks
// says for how long.
func (q *quota) hear(now time.Time, t Ticket, admitted uint64, inFlight int, cost float64, said Quota) {
	if !said.Known || t.first < q.first {
		return
	}
	more := t.seq > q.heard && said.Left > q.low+cost*float64(admitted-t.first+1) // than another order explains
	if t.first > q.first || more {
		q.first, q.low = t.first, said.Left
	}
	reset := said.Reset
	if reset <= 0 {
		reset = max(0, unsaid-now.Sub(t.at)) // it was counted when the request came
	}
	q.known, q.heard, q.low = reset <= Patience, max(q.heard, t.seq), min(q.low, said.Left)
	q.most, q.span = max(q.most, said.Left), max(said.Reset, unsaid)
	uncounted := max(admitted-q.heard, min(uint64(inFlight), admitted-t.first))
	q.left, q.until = q.low-cost*float64(uncounted), now.Add(reset)
}

// wait is how long until a request of such a cost may be made.
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

// bucket lets so much through a minute, a twentieth of a second's worth of it at once: what
// a server counts by the second may begin in the middle of it.
type bucket struct {
	rate  float64 // a second; 0 = no bound
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

// wait is how long until a request of such a cost may be made. One that costs
// more than the bucket holds may be made when it is full.
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
