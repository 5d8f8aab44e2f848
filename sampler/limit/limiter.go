package limit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// The rule's numbers. They were chosen by simulation against a server with a
// request rate, one with a cap on requests at once and one that slows down.
const (
	startAt     = 8    // requests at once, to begin with
	MaxInFlight = 4096 // requests at once to one endpoint, whatever it bears
	slowStart   = 0.5  // by which the limit grows with each answer, to begin with
	shrinkBy    = 0.9  // of what was in flight when a 429 came
	atLeast     = 0.7  // of what was in flight stays, however many were refused together: a limit per second refuses all that come after it
	calm        = 200  // answers after a 429 before as many as then are tried again
	namedCalm   = 400  // the same under a fixed limit, once the server has named its own
	growBy      = 0.05 // of the limit, at least 1, each time that as many as it were answered
	nearWall    = 0.97 // how close to that it comes before
	coolDown    = time.Second
	steady      = 8               // rollouts in trouble one after the other, at least
	unsteady    = 64              // at most
	chance      = 1e-5            // that as many are, where the server is as well as it was
	remembered  = 512             // first tries
	patient     = 2 * time.Minute // four tries that hang for so long outlive most outages without our help
	shortPause  = 20 * time.Millisecond
)

// Limits bounds the requests to one endpoint. The zero value adapts to what the
// endpoint can take.
type Limits struct {
	Fixed    int     // that many at once, fewer only where a 429 names the server's limit; 0 adapts
	Requests float64 // most a minute; 0 = what the server says
	Tokens   float64 // most a minute; 0 = what the server says

	// Pause is the first pause in trouble, Longest the longest: those between
	// tries of one request. 0 stands for DefaultRetry's.
	Pause, Longest time.Duration
}

// Validate reports invalid values.
func (c Limits) Validate() error {
	for _, n := range []struct {
		name  string
		value float64
	}{{"concurrency", float64(c.Fixed)}, {"requests_per_minute", c.Requests}, {"tokens_per_minute", c.Tokens}} {
		if !(n.value >= 0) || math.IsInf(n.value, 0) {
			return fmt.Errorf("%s is %v: it cannot be negative (0 = find out)", n.name, n.value)
		}
	}
	if c.Fixed > MaxInFlight {
		return fmt.Errorf("concurrency is %d: at most %d are possible", c.Fixed, MaxInFlight)
	}
	return nil
}

// Limiter decides how many requests may be in flight at one endpoint, and when
// the next may be made:
//
//   - It starts low and, while as many are in flight as may be, grows by a half
//     with each answer until the first 429: slow start. From then on it grows by
//     a twentieth, at least one, each time that as many as the limit were
//     answered: additive increase.
//   - A 429 shrinks it to 0.9 of what was in flight, once for all requests that
//     were in flight together and at most once a second: multiplicative decrease
//     with a cool-down. (Chiu and Jain, Computer Networks and ISDN Systems 17,
//     1989; Jacobson, SIGCOMM 1988.)
//   - An answer that takes longer in proportion to its tokens than it did when
//     fewer were in flight stops the growth, and then shrinks the limit: a
//     server that queues never says 429.
//   - Trouble of the server, 5xx or no answer, does not shrink it. When requests of
//     eight rollouts have met it at their first try and none was answered, all
//     pause, as long as a request waits for its first repeat and twice as long each
//     time, up to the longest of its waits; after it one request at a time is let
//     through until one is answered. Where some rollouts are beyond a server that
//     is well it takes more of them: 17 in a row where that is every second one.
//     One that hung for minutes, while what was sent later was answered, is none of
//     them; and when nothing new begins any more, those that hang are kept back for
//     no longer than an Outage.
//   - Retry-After, and the rate limit headers, hold for all requests to the
//     endpoint: what the server says is left is not exceeded before it says that
//     there is more.
//
// With a fixed limit the first three do not apply, the others do. It is the most
// that may be in flight: a 429 that names the server's limit, in Retry-After or
// rate limit headers, shrinks it too, by all that were refused together but to no
// less than 0.7 of what was in flight, and it grows back to what was fixed.
//
// It has no clock and no goroutines: the time comes in, and must not go back. It
// is not safe for concurrent use.
type Limiter struct {
	cfg      Limits
	limit    float64
	slow     bool   // in slow start
	inFlight int    // admitted and not done
	seq      uint64 // requests admitted so far
	burst    uint64 // the first of those let through together
	burstAt  time.Time

	cutSeq uint64 // requests admitted when it shrank last
	cutAt  time.Time
	wall   float64 // as many as were in flight then; 0 = never
	struck float64 // as many as were in flight when the first of them was refused
	since  int     // answers since

	until    time.Time     // no request before
	why      Hold          // for this
	troubled []string      // whose requests were in trouble at their first try with no answer between, whenever they were sent; at most row
	streak   int           // waves of trouble with nothing else between
	waveSeq  uint64        // requests admitted when trouble came last
	probing  bool          // one at a time, until one is answered
	probeOut bool          // that one is in flight
	probeFor time.Duration // after which one that is not refused has passed; 0 = when it is answered
	passed   time.Time     // when the one in flight has
	usual    time.Duration // an answer takes
	newest   uint64        // of the requests that were answered
	begun    time.Time     // the first trouble since an answer; zero when there was none
	tries    float64       // first ones; the older ones count less
	failed   float64       // of them, those in trouble before an answer

	requests, tokens   quota
	perMinute, perToks bucket
	mean               float64 // tokens of a request
	pace               pace
}

// NewLimiter returns a limiter for one endpoint.
func NewLimiter(cfg Limits) *Limiter {
	usual := DefaultRetry()
	cfg.Pause, cfg.Longest = cmp.Or(cfg.Pause, usual.Wait), cmp.Or(cfg.Longest, usual.Cap)
	l := &Limiter{cfg: cfg, limit: startAt, slow: true}
	if cfg.Fixed > 0 {
		l.limit, l.slow = float64(cfg.Fixed), false
		l.requests.again, l.tokens.again = true, true
	}
	l.perMinute, l.perToks = newBucket(cfg.Requests), newBucket(cfg.Tokens)
	return l
}

// Ticket is the right to make one request. Its holder returns it to Done.
type Ticket struct {
	at    time.Time
	seq   uint64
	first uint64  // of those let through together with it
	cost  float64 // tokens it is expected to take
	probe bool
}

// At returns when the request was admitted.
func (t Ticket) At() time.Time { return t.at }

// Admit asks to make a request now. If it may not, wait is the least time until it
// may; 0 means until a request in flight is done.
func (l *Limiter) Admit(now time.Time) (t Ticket, ok bool, wait time.Duration) {
	if wait = max(l.hold(now), l.probed(now)); wait > 0 || l.inFlight >= l.Limit() || l.probing && l.probeOut {
		return Ticket{}, false, wait
	}
	l.seq++
	l.inFlight++
	if l.burst == 0 || now.Sub(l.burstAt) > together {
		l.burst, l.burstAt = l.seq, now
	}
	if l.probeOut = l.probing; l.probing {
		l.passed = now.Add(l.probeFor)
	}
	t = Ticket{at: now, seq: l.seq, first: l.burst, cost: l.mean, probe: l.probing}
	l.requests.take(1)
	l.tokens.take(l.mean)
	l.perMinute.take(1)
	l.perToks.take(l.mean)
	return t, true, 0
}

// hold is how long no request may be made, whatever is in flight.
func (l *Limiter) hold(now time.Time) time.Duration {
	wait, _ := l.Paused(now)
	return wait
}

// probed is how long the one request that is let through has still to show
// whether it is refused.
func (l *Limiter) probed(now time.Time) time.Duration {
	if !l.probing || !l.probeOut || l.probeFor == 0 {
		return 0
	}
	if wait := l.passed.Sub(now); wait > 0 {
		return wait
	}
	l.probing, l.probeOut, l.streak = false, false, 0
	return 0
}

// Result is the outcome of a request.
type Result struct {
	Class      Class
	RetryAfter time.Duration // what the server asked for
	Quotas     Quotas
	Tokens     *int64 // that it took in all; nil when no one said
	Output     int64  // tokens of the answer; 0 when no one said
	Late       bool   // no answer came in the time that there was for it
	Last       bool   // nothing new begins
	Again      bool   // it was made again: its trouble may be its own
	Of         string // the rollout that it is of, whose trouble counts once; "" is one of its own
}

// named reports whether the server says what its limit is.
func (r Result) named() bool {
	return r.RetryAfter > 0 || r.Quotas.Requests.Known || r.Quotas.Tokens.Known
}

// Done takes a ticket back. fresh reports whether a failure is news: the first
// among the requests that were in flight together.
func (l *Limiter) Done(now time.Time, t Ticket, r Result) (fresh bool) {
	full := l.inFlight >= l.Limit()
	atOnce := l.inFlight
	l.inFlight--
	if t.probe {
		l.probeOut = false
	}
	l.settle(now, t, r.Tokens)
	if r.Class == Void {
		return false
	}
	l.requests.hear(now, t, l.seq, l.inFlight, 1, r.Quotas.Requests)
	l.tokens.hear(now, t, l.seq, l.inFlight, l.mean, r.Quotas.Tokens)
	rule := r.Class.Rule()
	if r.RetryAfter > 0 && r.RetryAfter <= Patience && rule.Again {
		l.rest(now.Add(r.RetryAfter), Asked)
	}
	if r.Class == Served || r.Class == Refused {
		l.note(!r.Again, 0)
		l.answered(t)
		l.usual += (now.Sub(t.at) - l.usual) / 8
		l.grow(now.Sub(t.at), r.Output, full)
		return false
	}
	if r.Late && t.seq < l.newest && now.Sub(t.at) >= patient {
		l.note(!r.Again, 1)
		return false // the server answered what was sent later: it is the request's own trouble
	}
	fresh = t.seq > l.waveSeq
	if fresh {
		l.waveSeq = l.seq
	}
	if l.begun.IsZero() {
		l.begun = now
	}
	switch {
	case r.Late && r.Last && now.Sub(l.begun) >= Outage:
		l.probing, l.streak = false, 0 // one at a time, each until its time is up, the last would take hours
	case rule.Shrinks:
		if l.cfg.Fixed == 0 || r.named() {
			l.shrink(now, t, atOnce)
		}
		l.pause(now, fresh, min(max(l.usual/8, shortPause), time.Second), max(2*now.Sub(t.at), 250*time.Millisecond), r.RetryAfter)
	case rule.Pauses:
		row := l.row()
		if !r.Again && len(l.troubled) < row && (r.Of == "" || !slices.Contains(l.troubled, r.Of)) {
			l.troubled = append(l.troubled, r.Of)
		}
		if len(l.troubled) >= row || l.probing {
			l.streak = max(l.streak, 1) // a pause and a single request, from the first wave on
			l.pause(now, fresh, l.cfg.Pause/2, 0, r.RetryAfter)
		}
	default:
		l.answered(t)
	}
	return fresh
}

// pause lets nothing through for a while when trouble comes again before
// anything else, and one at a time after that. A server that says how long knows
// better.
func (l *Limiter) pause(now time.Time, fresh bool, first, probeFor, asked time.Duration) {
	if !fresh {
		return
	}
	if l.streak++; l.streak > 1 {
		l.probing, l.probeOut, l.probeFor = true, false, probeFor
	} else if probeFor == 0 { // alone it is the retry's business
		return
	}
	if asked > 0 {
		return
	}
	l.rest(now.Add(min(l.cfg.Longest, first<<min(l.streak-1, 12))), Trouble)
}

// row is of how many rollouts in a row trouble is the server's own: chance makes
// that many of those beyond it follow each other once in a hundred thousand
// times. A few tries say little.
func (l *Limiter) row() int {
	share := l.failed / (l.tries + 2)
	return min(max(steady, int(math.Ceil(math.Log(chance)/math.Log(share)))), unsteady)
}

// note counts a first try, and whether it was in trouble: 1, not the server's.
func (l *Limiter) note(first bool, failed float64) {
	if !first {
		return
	}
	if l.tries, l.failed = l.tries+1, l.failed+failed; l.tries > remembered {
		l.tries, l.failed = l.tries/2, l.failed/2
	}
}

// answered notes an answer of any kind: the server is there. That of a request
// which was in flight already when the last trouble came says nothing about now.
func (l *Limiter) answered(t Ticket) {
	l.newest, l.begun = max(l.newest, t.seq), time.Time{}
	for range l.troubled {
		l.note(true, 1)
	}
	l.troubled = l.troubled[:0]
	if t.seq > l.waveSeq || l.streak == 0 {
		l.streak, l.probing = 0, false
	}
}

// settle corrects what was reserved by what was used.
func (l *Limiter) settle(now time.Time, t Ticket, used *int64) {
	if used == nil || *used <= 0 {
		return
	}
	n := float64(*used)
	l.perToks.refill(now)
	l.perToks.take(n - t.cost)
	if l.mean == 0 {
		l.mean = n
	}
	l.mean += (n - l.mean) / 16
}

// rest lets nothing through before a time.
func (l *Limiter) rest(until time.Time, why Hold) {
	if until.After(l.until) {
		l.until, l.why = until, why
	}
}

func (l *Limiter) shrink(now time.Time, t Ticket, atOnce int) {
	l.slow = false
	if l.cfg.Fixed > 0 && t.seq <= l.cutSeq {
		l.wall = max(1, atLeast*l.struck, l.wall-1) // as many as were in flight passed
		l.limit = max(1, atLeast*l.struck, l.wall*shrinkBy)
		return
	}
	if t.probe || t.seq <= l.cutSeq || now.Sub(l.cutAt) < coolDown && l.cutSeq > 0 {
		return
	}
	l.cutSeq, l.cutAt, l.since = l.seq, now, 0
	l.wall = min(l.limit, float64(atOnce))
	l.struck = l.wall
	l.limit = max(1, min(l.limit, float64(atOnce))*shrinkBy)
	l.pace.restart()
}

// grow notes an answer. full is whether as many were in flight as may be.
func (l *Limiter) grow(took time.Duration, output int64, full bool) {
	if l.cfg.Fixed > 0 {
		if full {
			l.limit = min(l.limit+l.step()/l.limit, float64(l.cfg.Fixed))
		}
		return
	}
	advice := l.pace.note(took, output, l.limit)
	switch {
	case advice.limit > 0:
		l.limit, l.slow = min(advice.limit, MaxInFlight), false
	case advice.hold:
		l.slow = false
	case full && l.slow:
		l.limit = min(l.limit+slowStart, MaxInFlight)
	case full:
		l.limit = min(l.limit+l.step()/l.limit, MaxInFlight)
	}
}

// step is by how much the limit grows while as many as it are answered. Below
// the wall it makes up half of the way; there it stays until the calm is over.
func (l *Limiter) step() float64 {
	step, quiet := max(1, growBy*l.limit), calm
	if l.cfg.Fixed > 0 {
		quiet = namedCalm
	}
	if l.since++; l.wall == 0 || l.since > quiet {
		return step
	}
	return min(max(step, (l.wall-l.limit)/2), max(0, nearWall*l.wall-l.limit)*l.limit)
}

// Limit returns how many requests may be in flight.
func (l *Limiter) Limit() int { return max(1, int(l.limit)) }

// InFlight returns how many requests are in flight.
func (l *Limiter) InFlight() int { return l.inFlight }

// Paused returns for how long no request will be admitted, and why.
func (l *Limiter) Paused(now time.Time) (wait time.Duration, why Hold) {
	hold := func(d time.Duration, by Hold) {
		if d > wait {
			wait, why = d, by
		}
	}
	hold(l.until.Sub(now), l.why)
	hold(l.requests.wait(now, 1), Headers)
	hold(l.tokens.wait(now, l.mean), Headers)
	hold(l.perMinute.wait(now, 1), Minute)
	hold(l.perToks.wait(now, l.mean), Minute)
	return wait, why
}

// Hold is why no request is admitted; "" when one may be.
type Hold string

// The reasons.
const (
	Asked   Hold = "Retry-After"            // the server said so
	Headers Hold = "its rate limit headers" // nothing is left, they say
	Trouble Hold = "failures in a row"      // of any kind
	Minute  Hold = "the bound on a minute"  // ours
)
