package limit

import (
	"fmt"
	"math"
	"time"
)

// Patience is the longest Retry-After that is waited for. A server that asks
// for more (a daily quota, a planned outage) is taken at its word: the request
// failed, and running again later resumes it.
const Patience = 10 * time.Minute

// Retry says how often and after which delay a failed request is repeated.
type Retry struct {
	Max  int           // repeats after the first try; 0 = none
	Wait time.Duration // upper edge of the first delay; it doubles each time
	Cap  time.Duration // upper edge of any delay that the server did not ask for
}

// DefaultRetry is three repeats, the first within half a second.
func DefaultRetry() Retry {
	return Retry{Max: 3, Wait: 500 * time.Millisecond, Cap: 30 * time.Second}
}

// Validate reports what cannot be obeyed.
func (r Retry) Validate() error {
	switch {
	case r.Max < 0:
		return fmt.Errorf("retries is %d: it cannot be negative (0 = try once)", r.Max)
	case r.Wait < 0 || r.Cap < 0:
		return fmt.Errorf("retry wait %v and cap %v cannot be negative", r.Wait, r.Cap)
	}
	return nil
}

// Delay returns how long to wait before repeat number attempt, counted from 0.
// The delay is exponential with full jitter (Brooker, "Exponential backoff and
// jitter", AWS Architecture Blog, 2015): u, from [0, 1), times
// min(Cap, Wait·2^attempt). A server's Retry-After is a floor: the delay is
// never less, and is spread above it by up to Wait so that callers that were
// refused together do not come back together.
func (r Retry) Delay(attempt int, retryAfter time.Duration, u float64) time.Duration {
	if retryAfter > 0 {
		return retryAfter + time.Duration(u*float64(r.Wait))
	}
	edge := float64(r.Wait) * math.Pow(2, float64(attempt))
	return time.Duration(u * min(edge, float64(r.Cap)))
}

// Again reports whether repeat number attempt, counted from 0, is worth
// making: there are repeats left, and the server did not ask for more than
// Patience.
func (r Retry) Again(attempt int, retryAfter time.Duration) bool {
	return attempt < r.Max && retryAfter <= Patience
}
