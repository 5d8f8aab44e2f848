package limit

import (
	"fmt"
	"math"
	"time"
)

// Patience is the longest Retry-After that we wait for. If a server asks for more (a daily quota, a
// planned outage), the request fails; running again later resumes it.
const Patience = 10 * time.Minute

// How long an endpoint that used to answer may answer nothing before it is given up, unless
// requests are retried for longer.
const (
	Gone   = time.Minute      // if every request fails
	Outage = 15 * time.Minute // if requests hang or get 429s
)

// Retry says how often and after which delay a failed request is retried.
type Retry struct {
	Max   int           // most retries that count (all but those after a 429); 0 = none
	Wait  time.Duration // upper bound of the first delay; it doubles each time
	Cap   time.Duration // upper bound of any delay that the server did not ask for
	Total time.Duration // from a request's first failure to its last retry; 0 = no limit
}

// DefaultRetry is three retries, the first within half a second, and up to 15 minutes of retries
// after a 429.
func DefaultRetry() Retry {
	return Retry{Max: 3, Wait: 500 * time.Millisecond, Cap: 30 * time.Second, Total: 15 * time.Minute}
}

// Validate reports invalid values.
func (r Retry) Validate() error {
	switch {
	case r.Max < 0:
		return fmt.Errorf("retries is %d: it cannot be negative (0 = try once)", r.Max)
	case r.Wait < 0 || r.Cap < 0 || r.Total < 0:
		return fmt.Errorf("retry wait %v, cap %v and total %v cannot be negative", r.Wait, r.Cap, r.Total)
	}
	return nil
}

// Delay returns how long to wait before retry number attempt, counted from 0. The delay is
// exponential with full jitter (Brooker, "Exponential backoff and jitter", AWS Architecture Blog,
// 2015): u, from [0, 1), times min(Cap, Wait·2^attempt). A server's Retry-After is a floor: the
// delay is never less, and is spread above it by up to Wait so that callers that were refused
// together do not come back together.
func (r Retry) Delay(attempt int, retryAfter time.Duration, u float64) time.Duration {
	if retryAfter > 0 {
		return retryAfter + time.Duration(u*float64(r.Wait))
	}
	edge := float64(r.Wait) * math.Pow(2, float64(attempt))
	return time.Duration(u * min(edge, float64(r.Cap)))
}

// laterTries is how many retries after a 429 are allowed for each retry that counts.
const laterTries = 50

// GoneAfter returns how long an endpoint may answer nothing but failures: Gone, or the Total of a
// policy that retries for longer than DefaultRetry.
func (r Retry) GoneAfter() time.Duration {
	if r.Total > DefaultRetry().Total {
		return r.Total
	}
	return Gone
}

// OutageAfter returns how long an endpoint may answer nothing if requests hang or get 429s.
func (r Retry) OutageAfter() time.Duration { return max(Outage, r.Total) }

// Tries counts a request's tries so far.
type Tries struct {
	Made    int           // retries
	Counted int           // tries so far that count against Max
	Since   time.Duration // time since the first failure, not counting waits in our own queues
}

// ShouldRetry reports whether a request is retried after its last failure, and after which delay.
// Tries of a class that does not count, such as a 429, are limited by Total and by 50 times Max;
// without a Total, by Max. If the server asks for more than Patience, there is no retry. u is from
// [0, 1).
func (r Retry) ShouldRetry(c Class, t Tries, retryAfter time.Duration, u float64) (delay time.Duration, ok bool) {
	switch rule := c.Rule(); {
	case retryAfter > Patience, r.Max == 0:
		return 0, false
	case rule.Counted && t.Counted > r.Max:
		return 0, false
	case !rule.Counted && (r.Total == 0 && t.Made >= r.Max || t.Made >= laterTries*r.Max):
		return 0, false
	}
	delay = r.Delay(t.Made, retryAfter, u)
	return delay, r.Total == 0 || t.Since+delay <= r.Total
}
