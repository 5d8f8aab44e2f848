package limit

import (
	"math"
	"time"
)

// The knee's constants, chosen by the simulations of finish_test.go and converge_test.go.
const (
	kneeAnswers = 8         // least number per mean; as many as the limit, if that is more
	kneeTimes   = 4         // as many times that number, while chance may decide
	worthwhile  = 1.0 / 3.0 // the least growth of throughput for a growth of the limit, as an exponent
	worthless   = 0.1       // the most loss of throughput for a reduction of the limit, as an exponent
	firstFactor = 2.0       // factor by which a trial raises the limit
	laterFactor = 1.5       // the same after a trial that was not worth it, and for a trial that lowers it
	inStep      = 0.25      // variance of an answer's time that is invisible if answers come in step
	fewestRests = 4         // least number of means between two trials, after one that was not worth it
	mostRests   = 64
)

// A server is slower from these factors on: per token, or per request if the work of requests is
// unknown.
const (
	slowerToken   = 1.3
	slowerRequest = 2.0
)

// knee finds the number of requests in flight above which the throughput of a server hardly grows:
// it then processes as many as it can at once, and queues the others.
//
// By Little's law (Operations Research 9, 1961) a server with n requests in flight, each taking the
// time w, answers n/w of them per unit of time. knee measures w as the mean time of an answer, per
// token if all answers report their tokens, and tries another limit. It starts counting when as
// many requests as the limit have been answered, so that older ones are through, and counts as many
// as make a mean. A higher limit is kept if the throughput grows by the cube root of the limit's
// growth or more. Otherwise the next trial is smaller, and each one comes later. A lower limit is
// tried if answers take longer than they once did, and is kept if the throughput stays the same.
type knee struct {
	alone mean // the first answer, which had the server to itself
	batch mean // the requests admitted together after it

	idle int     // answers in a row with fewer requests in flight than allowed
	sent uint64  // requests admitted before the limit was changed
	skip int     // answers to skip until requests under the new limit are answered
	now  mean    // the current mean
	base mean    // the mean at the limit that is kept
	from float64 // the limit before the trial; 0 = no trial
	to   float64 // the limit on trial

	factor float64
	rest   int        // means before the next trial
	rests  int        // means to wait after the next trial that is not worth it
	missed bool       // the last trial was of a higher limit, and failed against a mean that may have been wrong
	tried  mean       // the mean of that trial
	held   bool       // that trial was the last one
	lowest [2]float64 // lowest mean time of an answer so far, per request and per token
}

// mean is a mean of the time of answers relative to their work.
type mean struct {
	n, worded          int     // answers; answers that reported their tokens
	took, work         float64 // seconds; tokens
	took2, both, work2 float64 // sums of squares and products
	inFlight           float64 // requests in flight, summed over the answers
}

func (m *mean) add(took time.Duration, output int64, inFlight int) {
	s := took.Seconds()
	m.n++
	m.took += s
	m.took2 += s * s
	m.inFlight += float64(inFlight)
	if output > 0 {
		w := float64(output)
		m.worded++
		m.work += w
		m.both += s * w
		m.work2 += w * w
	}
}

func (m mean) perToken() bool { return m.worded == m.n && m.n > 0 }

// time returns the time per token or per answer, and its relative standard error, that of a ratio
// estimator (Cochran, Sampling Techniques, 1977, 6.4).
func (m mean) time(byToken bool) (per, err float64) {
	n := float64(m.n)
	if m.n == 0 || m.took == 0 {
		return 0, 0
	}
	work, residual := n, m.took2-m.took*m.took/n
	if byToken {
		work = m.work
		r := m.took / m.work
		residual = m.took2 - 2*r*m.both + r*r*m.work2
	}
	if m.n > 1 {
		err = math.Sqrt(max(0, residual)/(n-1)*n) / m.took
	}
	return m.took / work, err
}

// alike reports whether all answers took about the same time.
func (m mean) alike() bool {
	n := float64(m.n)
	return m.n >= kneeAnswers && m.took2/n-m.took*m.took/n/n < 0.04*m.took*m.took/n/n // SD below a fifth of the mean
}

// throughput compares the throughput of two means: it returns the logarithm of b's divided by a's,
// and its standard error.
func throughput(a, b mean) (log, err float64) {
	byToken := a.perToken() && b.perToken()
	ta, ea := a.time(byToken)
	tb, eb := b.time(byToken)
	if ta == 0 || tb == 0 {
		return 0, 0
	}
	log = math.Log(b.inFlight/float64(b.n)/tb) - math.Log(a.inFlight/float64(a.n)/ta)
	return log, math.Sqrt(ea*ea + eb*eb + inStep/float64(a.n) + inStep/float64(b.n))
}

// restart discards the current mean and trial: the limit was changed for another reason.
func (k *knee) restart(limit float64) {
	k.now, k.base, k.from, k.missed, k.held = mean{}, mean{}, 0, false, false
	k.skip = int(limit)
}

// raised reports whether a higher limit is on trial.
func (k *knee) raised() bool { return k.from > 0 && k.to > k.from }

// queued reports whether the last higher limit brought no more throughput: more requests at once
// would wait for each other.
func (k *knee) queued() bool { return k.held }

// waits reports whether answers take longer than they once did, as they do in a queue.
func (k *knee) waits() bool {
	last := k.base
	if k.now.n >= kneeAnswers {
		last = k.now
	}
	if last.n == 0 {
		last = k.batch
	}
	byToken := last.perToken() && k.lowest[1] > 0
	lowest, slower := k.lowest[0], slowerRequest
	if byToken {
		lowest, slower = k.lowest[1], slowerToken
	}
	if alone, _ := k.alone.time(byToken); k.alone.n > 0 && (lowest == 0 || alone < lowest) &&
		(!byToken || k.alone.perToken()) {
		lowest = alone
	}
	per, _ := last.time(byToken)
	return lowest > 0 && per > slower*lowest
}

// note records the answer to request number seq of those admitted so far, and returns the limit for
// the next ones. atOnce is how many were in flight with it, full whether those were as many as
// allowed, and mayGrow whether nothing else bounds them.
func (k *knee) note(seq, admitted uint64, took time.Duration, output int64, atOnce int, limit float64, full,
	mayGrow bool,
) (next float64) {
	if k.factor == 0 {
		k.factor, k.rests = firstFactor, fewestRests
	}
	was := limit
	defer func() {
		if next != was {
			k.sent = admitted
		}
	}()
	switch {
	case seq == 1 && atOnce == 1:
		k.alone.add(took, output, 1)
	case k.alone.n > 0 && seq <= 1+startAt:
		if k.batch.add(took, output, atOnce); k.batch.n == startAt {
			if few := k.slots(limit); few < limit {
				return few
			}
		}
	}
	if !full {
		if k.idle++; k.from > 0 && k.idle > kneeTimes*int(limit) { // too little load to show anything
			limit, k.from, k.now, k.idle = k.from, 0, mean{}, 0
		}
		return limit
	}
	k.idle = 0
	// otherwise quick answers, which come first, would look like a quick server
	alike := k.from > 0 && (k.base.perToken() && output > 0 || k.to >= 2*k.from && k.base.alike())
	if k.skip--; k.skip >= 0 && !alike || seq <= k.sent {
		return limit
	}
	k.now.add(took, output, atOnce)
	need := int(max(kneeAnswers, math.Floor(limit)))
	if early := alike && k.now.n > max(kneeAnswers, int(math.Abs(k.to-k.from))) && k.decided(limit); k.now.n < need &&
		!early {
		return limit
	}
	if k.from == 0 {
		return k.stay(limit, mayGrow)
	}
	return k.judge(limit, need)
}

// decided reports whether the trial has clearly shown whether it is worth it.
func (k *knee) decided(limit float64) bool {
	log, err := throughput(k.base, k.now)
	return math.Abs(log-worthwhile*math.Log(limit/k.from)) > 2*err
}

// slots returns the limit that the first answers show. Of n requests that arrive together, a server
// that processes s at once answers s after the time that one takes alone, s more after twice that
// time, and so on: on average after (n/s+1)/2 times that time.
func (k *knee) slots(limit float64) float64 {
	byToken := k.alone.perToken() && k.batch.perToken()
	alone, _ := k.alone.time(byToken)
	together, _ := k.batch.time(byToken)
	if alone == 0 || together <= alone {
		return limit
	}
	if s := math.Ceil(startAt/(2*together/alone-1) - 0.05); s < limit {
		limit = s
		k.restart(startAt)
	}
	return limit
}

// stay ends a mean at a limit that was not on trial.
func (k *knee) stay(limit float64, mayGrow bool) float64 {
	k.base, k.now = k.now, mean{}
	byToken := k.base.perToken()
	per, err := k.base.time(byToken)
	lowest, slower := &k.lowest[0], slowerRequest
	if byToken {
		lowest, slower = &k.lowest[1], slowerToken
	}
	if *lowest == 0 || per < *lowest {
		*lowest = per
	}
	if k.missed {
		k.missed = false
		if log, err := throughput(k.base, k.tried); mayGrow && log-err >= worthwhile*math.Log(k.to/limit) {
			k.rests = max(fewestRests, k.rests/2)
			return k.begin(limit, k.to) // the mean before it was from a faster time
		}
	}
	k.rest--
	switch {
	case k.rest > 0:
		return limit
	case per*(1-doubts*err) > slower**lowest && limit >= 2:
		return k.begin(limit, math.Floor(limit/laterFactor))
	case mayGrow && limit < MaxInFlight:
		return k.begin(limit, math.Ceil(limit*k.factor))
	}
	return limit
}

// begin starts the trial of a limit.
func (k *knee) begin(from, to float64) float64 {
	k.from, k.to = from, max(1, min(to, MaxInFlight))
	k.now, k.skip = mean{}, int(max(from, to))
	return k.to
}

// judge ends a trial, or continues it while chance may decide.
func (k *knee) judge(limit float64, need int) float64 {
	log, err := throughput(k.base, k.now)
	grown := math.Log(limit / k.from)
	share, doubt := log/grown, err/math.Abs(grown)
	sure := k.now.n >= kneeTimes*need
	switch {
	case !sure && math.Abs(share-worthwhile) < doubt:
		return limit
	case k.raised() && share >= worthwhile:
		k.base, k.rests, k.factor, k.held = k.now, fewestRests, firstFactor, false
		if limit >= MaxInFlight {
			k.from, k.now = 0, mean{}
			return limit
		}
		return k.begin(limit, math.Ceil(limit*k.factor))
	case k.raised():
		k.missed, k.held, k.tried = true, true, k.now
		return k.back(limit)
	case share < worthless:
		k.base, k.now, k.from, k.rest = k.now, mean{}, 0, 0
		return limit
	}
	k.held = false
	k.lowest[0], _ = k.base.time(false) // the cause is not a queue
	k.lowest[1] = 0
	if k.base.perToken() {
		k.lowest[1], _ = k.base.time(true)
	}
	return k.back(limit)
}

// back ends a trial that was not worth it.
func (k *knee) back(limit float64) float64 {
	k.rest, k.rests, k.factor = k.rests, min(mostRests, 2*k.rests), laterFactor
	was := k.from
	k.from, k.now, k.skip = 0, mean{}, int(max(limit, was))
	return was
}
