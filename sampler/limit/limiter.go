package limit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// The rule's constants, chosen by simulation against the servers of converge_test.go and
// finish_test.go.
const (
	startAt     = 8    // requests in flight at first
	MaxInFlight = 4096 // requests in flight to one endpoint, whatever it can handle
	shrinkBy    = 0.9  // new limit, as a share of what was in flight when a 429 came
	// least new limit, as a share of what was in flight, however many were refused together: a
	// limit per second refuses all that come after it
	atLeast     = 0.7
	calm        = 200  // answers after a 429 before as many requests as then are tried again
	namedCalm   = 400  // the same under a fixed limit, once the server has stated its own
	growBy      = 0.05 // growth of the limit, at least 1, each time that as many as the limit were answered
	nearWall    = 0.97 // how close to the wall the limit comes before that
	coolDown    = time.Second
	steady      = 8    // least number of rollouts in trouble, one after the other
	unsteady    = 64   // most
	chance      = 1e-5 // probability of that many if the server is as healthy as before
	remembered  = 512  // number of first tries
	passed      = 1.5  // factor of the wall above which the wall is gone
	sameWall    = 1.6  // factor of the last wall above which a wall is a new one
	shortPause  = 20 * time.Millisecond
	passes      = 50 * time.Millisecond // least time after which a request that was not refused has passed
	harmless    = 3                     // pauses in a row that the first test shows to concern one request only
	longestSpan = 5 * time.Second       // longest span of an allowance
)

// Limits bounds the requests to one endpoint. The zero value adapts to what the endpoint can
// handle.
type Limits struct {
	Fixed    int     // that many at once, fewer only if a 429 names the server's limit; 0 adapts
	Requests float64 // most per minute; 0 = what the server says
	Tokens   float64 // most per minute; 0 = what the server says

	// Pause is the first pause after trouble, Longest the longest: those between tries of one
	// request. 0 means the values of DefaultRetry.
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

// Limiter decides how many requests may be in flight at one endpoint, and when the next may be made:
//
//   - It starts with 8 and looks for the knee of the server's throughput, see knee. A server that
//     queues settles near the number that it processes at once.
//   - 429s for more than one request in twenty reduce the limit to 0.9 of what was in flight without
//     what was refused with it, at most once a second: multiplicative decrease with a cool-down.
//     From then on the limit grows by a twentieth, at least one, each time that as many requests as
//     the limit were answered: additive increase. (Chiu and Jain, Computer Networks and ISDN Systems
//     17, 1989; Jacobson, SIGCOMM 1988.) 429s that are rarer, or no rarer after two cuts, come at any
//     load, see refusals.
//   - A request that gets no answer in time although later ones did, while answers take longer than
//     they once did, waits in a queue of the server: it is treated like a 429.
//   - Trouble of the server, 5xx or no answer, does not reduce the limit. When requests of eight
//     rollouts have met it at their first try and none was answered, all pause, for as long as a
//     request waits for its first retry and twice as long each time, up to the longest of its waits;
//     after that, one request at a time is admitted until one is answered. If a healthy server cannot
//     handle some of the rollouts, it takes more than eight: 17 in a row if every second one fails.
//     Once nothing new starts, requests that hang are held back for no longer than an Outage.
//   - Retry-After and the rate limit headers apply to all requests to the endpoint. From the second
//     Retry-After on, single requests test whether it does: after 20 ms, and each time after four
//     times as long. After three pauses that the first test found to be over, a rare 429 pauses no
//     other request. If the tests show a span with its own allowance, such as a second, spans keeps
//     it.
//
// With a fixed limit the first three do not apply, but the others do. It is the most that may be in
// flight: 429s that name the server's limit, in Retry-After or rate limit headers, reduce it, too, but
// to no less than 0.7 of what was in flight, and it grows back to the fixed value.
//
// It has no clock and no goroutines: the time is passed in, and must not go back. It is not safe for
// concurrent use.
type Limiter struct {
	cfg      Limits
	limit    float64
	inFlight int    // admitted and not done
	seq      uint64 // requests admitted so far
	burst    uint64 // the first of those admitted together
	burstAt  time.Time

	cutSeq           uint64 // requests admitted at the last cut
	cutAt            time.Time
	wall             float64 // in flight then, without those refused together; 0 = none, or long exceeded
	struck           float64 // how many were in flight when the first of them was refused
	least            float64 // least wall, however many are refused together
	since            int     // answers since the last cut
	uncut, uncutWall float64 // limit and wall before the last cut
	lastWall         float64 // the last wall that was tried again

	until    time.Time     // no request before this time
	why      Hold          // the reason
	asked    int           // number of times that a server asked for a pause
	askedAt  time.Time     // when it asked for the current pause
	test     time.Time     // when the next request may test the pause; zero if none may
	tests    int           // tests of this pause so far
	testing  uint64        // the request that tests it; 0 = none
	testFor  time.Duration // time after which the test has passed, if it is not refused
	testSpan time.Duration // the time that Retry-After named
	testLoad bool          // the load caused the refusal that asked for the pause
	tested   bool          // and a request that was the only one was refused too
	alone    int           // pauses in a row that the first test found to be over
	// rollouts with requests in trouble at their first try, or at any once the server is suspected,
	// without an answer in between, regardless of when they were sent; at most row
	troubled []string
	firsts   int           // how many of them at their first try
	suspect  bool          // there were row of them since an answer to a request sent after the last trouble
	streak   int           // waves of trouble with nothing else in between
	waveSeq  uint64        // requests admitted at the last trouble
	probing  bool          // one request at a time, until one is answered
	probeOut bool          // that request is in flight
	probeFor time.Duration // time after which a request that was not refused has passed; 0 = once it is answered
	clearAt  time.Time     // when the request in flight has passed
	usual    time.Duration // usual time of an answer
	newest   uint64        // newest answered request
	begun    time.Time     // first trouble since an answer; zero if there was none
	begunSeq uint64        // requests admitted by then
	older    int           // of those, requests still in flight
	tries    float64       // first tries, older ones count less
	failed   float64       // of those, tries in trouble before an answer

	requests, tokens   quota
	perMinute, perToks bucket
	mean               float64 // mean tokens of a request

	knee     knee
	refusals refusals
	spans    spans
}

// NewLimiter returns a limiter for one endpoint.
func NewLimiter(cfg Limits) *Limiter {
	usual := DefaultRetry()
	cfg.Pause, cfg.Longest = cmp.Or(cfg.Pause, usual.Wait), cmp.Or(cfg.Longest, usual.Cap)
	l := &Limiter{cfg: cfg, limit: startAt}
	if cfg.Fixed > 0 {
		l.limit = float64(cfg.Fixed)
		l.requests.again, l.tokens.again = true, true
	}
	l.perMinute, l.perToks = newBucket(cfg.Requests), newBucket(cfg.Tokens)
	return l
}

// Ticket is the right to make one request. Its holder returns it to Done.
type Ticket struct {
	at    time.Time
	seq   uint64
	first uint64  // the first of those admitted together with it
	cost  float64 // expected tokens
	probe bool
}

// At returns when the request was admitted.
func (t Ticket) At() time.Time { return t.at }

// Admit asks to make a request now. If it may not be made, wait is the shortest time until it may;
// 0 means until a request in flight is done.
func (l *Limiter) Admit(now time.Time) (t Ticket, ok bool, wait time.Duration) {
	if wait = max(l.hold(now), l.probed(now)); wait > 0 || l.inFlight >= l.Limit() || l.probing && l.probeOut {
		return Ticket{}, false, wait
	}
	l.seq++
	switch {
	case now.Before(l.until):
		l.testing, l.test = l.seq, now.Add(l.testFor) // when the test has passed
	case l.tests > 0: // no test has ended the pause: its time is over
		l.overTested(now)
	}
	l.refusals.asked()
	l.inFlight++
	if l.burst == 0 || now.Sub(l.burstAt) > together {
		l.burst, l.burstAt = l.seq, now
	}
	if l.probeOut = l.probing; l.probing {
		l.clearAt = now.Add(l.probeFor)
	}
	t = Ticket{at: now, seq: l.seq, first: l.burst, cost: l.mean, probe: l.probing}
	l.requests.take(1)
	l.tokens.take(l.mean)
	l.perMinute.take(1)
	l.perToks.take(l.mean)
	return t, true, 0
}

// hold returns how long no request may be made, whatever is in flight.
func (l *Limiter) hold(now time.Time) time.Duration {
	wait, _ := l.Paused(now)
	return wait
}

// probed returns how long it takes until the one admitted request has passed.
func (l *Limiter) probed(now time.Time) time.Duration {
	if !l.probing || !l.probeOut || l.probeFor == 0 {
		return 0
	}
	if wait := l.clearAt.Sub(now); wait > 0 {
		return wait
	}
	l.probing, l.probeOut, l.streak = false, false, 0
	return 0
}

// Result is the outcome of a request.
type Result struct {
	Class      Class
	RetryAfter time.Duration // delay that the server asked for
	Quotas     Quotas
	Tokens     *int64 // total tokens; nil if not reported
	Output     int64  // tokens of the answer; 0 if not reported
	Late       bool   // no answer came within the time limit
	Last       bool   // nothing new starts
	Again      bool   // it is a retry: its trouble may be its own
	Of         string // the rollout that it belongs to, whose trouble counts once; "" is a rollout of its own
}

// named reports whether the server states its limit.
func (r Result) named() bool {
	return r.RetryAfter > 0 || r.Quotas.Requests.Known || r.Quotas.Tokens.Known
}

// Done takes a ticket back. fresh reports whether a failure is news: the first among the requests
// that were in flight together.
func (l *Limiter) Done(now time.Time, t Ticket, r Result) (fresh bool) {
	full := l.inFlight >= l.Limit()
	atOnce := l.inFlight
	l.inFlight--
	if !l.begun.IsZero() && t.seq <= l.begunSeq {
		l.older--
	}
	if t.probe {
		l.probeOut = false
	}
	l.settle(now, t, r.Tokens)
	if r.Class == Void {
		if t.seq == l.testing {
			l.testing = 0
		}
		return false
	}
	l.requests.observe(now, t, l.seq, l.inFlight, 1, r.Quotas.Requests)
	l.tokens.observe(now, t, l.seq, l.inFlight, l.mean, r.Quotas.Tokens)
	rule := r.Class.Rule()
	if r.Class == Served || r.Class == Refused {
		if t.seq == l.testing {
			l.passedTest(now)
		}
		if t.seq > l.cutSeq {
			l.refusals.served()
		}
		l.note(!r.Again, 0)
		l.answered(t)
		l.usual += (now.Sub(t.at) - l.usual) / 8
		l.grow(t, now.Sub(t.at), r.Output, atOnce, full)
		return false
	}
	// later requests were answered: the server is not in trouble, but may have a queue
	if r.Late && t.seq < l.newest {
		l.note(!r.Again, 1)
		if l.cfg.Fixed == 0 && l.knee.waits() && t.seq > l.cutSeq && l.refusals.refused(t.seq) {
			l.shrink(now, t, atOnce)
		}
		return false
	}
	fresh = t.seq > l.waveSeq
	if fresh {
		l.waveSeq = l.seq
	}
	if l.begun.IsZero() {
		l.begun, l.begunSeq, l.older = now, l.seq, l.inFlight
	}
	if r.RetryAfter > 0 && r.RetryAfter <= Patience && rule.Retryable && !rule.ReducesLimit {
		l.rest(now.Add(r.RetryAfter), Asked)
	}
	switch {
	case r.Late && r.Last && now.Sub(l.begun) >= Outage:
		l.probing, l.streak = false, 0 // one at a time, each until its timeout, the last would take hours
	case rule.ReducesLimit:
		l.limited(now, t, r, atOnce, fresh)
		return fresh
	case rule.Pauses:
		row := l.row()
		if (!r.Again || l.suspect || l.probing) && len(l.troubled) < row &&
			(r.Of == "" || !slices.Contains(l.troubled, r.Of)) {
			if l.troubled = append(l.troubled, r.Of); !r.Again {
				l.firsts++
			}
		}
		if l.suspect = l.suspect || len(l.troubled) >= row; l.suspect || l.probing {
			l.streak = max(l.streak, 1) // a pause and a single request, from the first wave on
			l.pause(now, fresh, l.cfg.Pause/2, 0, r.RetryAfter)
		}
	default:
		l.answered(t)
	}
	return fresh
}

// limited notes a 429.
func (l *Limiter) limited(now time.Time, t Ticket, r Result, atOnce int, fresh bool) {
	test := t.seq == l.testing || t.probe
	quota := !test && r.RetryAfter > 0 && l.spans.refused(t)
	load := !test && !quota && t.seq > l.cutSeq && l.refusals.refused(t.seq)
	flood := load && l.refusals.flood()
	switch {
	case l.cfg.Fixed > 0 && !r.named():
	case load:
		l.shrink(now, t, atOnce)
	case !test && !quota && t.seq <= l.cutSeq:
		l.struckToo()
	}
	if quota {
		return // spans.wait decides when the next may be admitted
	}
	if r.RetryAfter > 0 && r.RetryAfter <= Patience {
		l.askedToWait(now, t, r.RetryAfter, load || t.seq <= l.cutSeq, atOnce)
	}
	if (load || t.probe) && r.RetryAfter == 0 {
		if flood {
			l.streak = max(l.streak, 1) // a pause and a single request at once
		}
		l.pause(now, fresh, min(max(l.usual/8, shortPause), time.Second), max(2*now.Sub(t.at), 250*time.Millisecond),
			r.RetryAfter)
	}
}

// pause admits nothing for a while if trouble comes again before anything else, and one request at
// a time after that. A delay that the server asks for takes precedence.
func (l *Limiter) pause(now time.Time, fresh bool, first, probeFor, asked time.Duration) {
	if !fresh {
		return
	}
	if l.streak++; l.streak > 1 {
		l.probing, l.probeOut, l.probeFor = true, false, probeFor
	} else if probeFor == 0 { // for a single failure its retry suffices
		return
	}
	if asked > 0 {
		return
	}
	l.rest(now.Add(min(l.cfg.Longest, first<<min(l.streak-1, 12))), Trouble)
}

// row returns the number of consecutive rollouts in trouble from which the server is to blame: that
// many rollouts which the server cannot handle follow each other by chance once in a hundred
// thousand times. A few tries say little.
func (l *Limiter) row() int {
	share := l.failed / (l.tries + 2)
	return min(max(steady, int(math.Ceil(math.Log(chance)/math.Log(share)))), unsteady)
}

// Down reports whether more rollouts in a row, at least eight, met trouble at their first try than
// chance explains, given the share that the server cannot handle, and no earlier request is in
// flight: it may still be answered.
func (l *Limiter) Down() bool { return l.older == 0 && len(l.troubled) >= l.row() }

// note counts a first try, and whether it was in trouble that is not the server's: 1 if it was.
func (l *Limiter) note(first bool, failed float64) {
	if !first {
		return
	}
	if l.tries, l.failed = l.tries+1, l.failed+failed; l.tries > remembered {
		l.tries, l.failed = l.tries/2, l.failed/2
	}
}

// answered notes an answer of any kind: the server is up. An answer to a request that was already
// in flight at the last trouble says nothing about now.
func (l *Limiter) answered(t Ticket) {
	l.newest, l.begun = max(l.newest, t.seq), time.Time{}
	for range l.firsts {
		l.note(true, 1)
	}
	l.troubled, l.firsts = l.troubled[:0], 0
	if t.seq > l.waveSeq || l.streak == 0 {
		l.streak, l.probing, l.suspect = 0, false, false
	}
}

// settle corrects the reserved tokens by those used.
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

// rest admits nothing before a time.
func (l *Limiter) rest(until time.Time, why Hold) {
	if until.After(l.until) {
		l.until, l.why, l.test, l.testing = until, why, time.Time{}, 0
	}
}

func (l *Limiter) shrink(now time.Time, t Ticket, atOnce int) {
	if t.probe || now.Sub(l.cutAt) < coolDown && l.cutSeq > 0 {
		return
	}
	l.uncut, l.uncutWall = l.limit, l.wall
	together := float64(atOnce + l.refusals.together()) // what was refused just before was in flight as well
	was, ok := l.refusals.shrunk(l.limit)
	if !ok {
		l.limit, l.wall = max(l.limit, was), 0
		l.knee.restart(l.limit)
		return
	}
	l.cutSeq, l.cutAt, l.since = l.seq, now, 0
	l.struck = min(l.limit, together)
	l.least = max(1, atLeast*l.struck)
	if l.knee.raised() { // less was handled before
		l.least = max(1, min(l.least, l.knee.from))
	}
	l.wall = max(l.least, min(l.struck, float64(atOnce)))
	l.limit = max(1, l.wall*shrinkBy)
	l.knee.restart(l.limit)
}

// struckToo notes that a request which was in flight at the last cut was refused, too: the wall is
// the number in flight then without those refused.
func (l *Limiter) struckToo() {
	l.wall = max(l.least, l.wall-1)
	l.limit = min(l.limit, max(l.least, l.wall*shrinkBy))
}

// grow notes an answer. full is whether as many were in flight as allowed.
func (l *Limiter) grow(t Ticket, took time.Duration, output int64, atOnce int, full bool) {
	most := float64(MaxInFlight)
	if l.cfg.Fixed > 0 {
		most = float64(l.cfg.Fixed)
	} else {
		l.limit = l.knee.note(t.seq, l.seq, took, output, atOnce, l.limit, full, l.wall == 0)
	}
	if !full || l.wall == 0 || l.knee.from > 0 {
		return
	}
	l.limit = min(l.limit+l.step()/l.limit, most)
	switch {
	case l.cfg.Fixed > 0:
	case l.since > calm && (l.wall > sameWall*l.lastWall || l.limit > passed*l.wall):
		l.lastWall, l.wall = l.wall, 0 // it may have been chance: a wall that comes again in the same place is believed
	}
}

// step returns by how much the limit grows while as many requests as the limit are answered. Below
// the wall it covers half of the distance; there it stays until the calm is over.
func (l *Limiter) step() float64 {
	step, quiet := max(1, growBy*l.limit), calm
	if l.cfg.Fixed > 0 || l.wall <= sameWall*l.lastWall {
		quiet = namedCalm
	}
	if l.since++; l.since > quiet {
		return step
	}
	return min(max(step, (l.wall-l.limit)/2), max(0, nearWall*l.wall-l.limit)*l.limit)
}

// Limit returns how many requests may be in flight.
func (l *Limiter) Limit() int { return max(1, int(l.limit)) }

// HeldBy says what keeps the limit from growing; "" while it may grow.
type HeldBy string

// The reasons.
const (
	HeldBySetting  HeldBy = "concurrency" // it is configured
	HeldByRefusals HeldBy = "429s"        // more at once were refused
	HeldByQueue    HeldBy = "queue"       // more at once waited for each other
)

// HeldBy returns what keeps the limit from growing.
func (l *Limiter) HeldBy() HeldBy {
	switch {
	case l.wall > 0 && (l.cfg.Fixed == 0 || l.Limit() < l.cfg.Fixed):
		return HeldByRefusals
	case l.cfg.Fixed > 0:
		return HeldBySetting
	case l.knee.queued():
		return HeldByQueue
	}
	return ""
}

// InFlight returns how many requests are in flight.
func (l *Limiter) InFlight() int { return l.inFlight }

// Paused returns how long no request will be admitted, and why.
func (l *Limiter) Paused(now time.Time) (wait time.Duration, why Hold) {
	hold := func(d time.Duration, by Hold) {
		if d > wait {
			wait, why = d, by
		}
	}
	hold(l.paused(now), l.why)
	hold(l.spans.wait(now, l.seq), Asked)
	hold(l.requests.wait(now, 1), Headers)
	hold(l.tokens.wait(now, l.mean), Headers)
	hold(l.perMinute.wait(now, 1), Minute)
	hold(l.perToks.wait(now, l.mean), Minute)
	return wait, why
}

// Hold says why no request is admitted; "" if one may be.
type Hold string

// The reasons.
const (
	Asked   Hold = "Retry-After"            // the server asked for it
	Headers Hold = "its rate limit headers" // nothing is left, according to them
	Trouble Hold = "failures in a row"      // of any kind
	Minute  Hold = "the limit per minute"   // from the configuration
)
