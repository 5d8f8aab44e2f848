package limit

import "time"

// askedToWait holds all requests for as long as the server asks, the first time for exactly that
// long. Later requests to wait are tested: some servers mean only the one request, and some count
// from the start of a span.
func (l *Limiter) askedToWait(now time.Time, t Ticket, span time.Duration, load bool, atOnce int) {
	l.asked++
	test := now.Add(shortPause)
	switch {
	case t.seq == l.testing:
		l.tests, l.alone, l.testing = l.tests+1, 0, 0
		rarer := 2 // the tests become this much rarer, as a power of two
		if span > longestSpan {
			rarer = 4
		} else if atOnce == 1 && l.testLoad && !l.tested { // fewer at once would have been refused as well
			l.tested = true
			l.limit, l.wall = max(l.limit, l.uncut), l.uncutWall
			l.knee.restart(l.limit)
		}
		test = now.Add(shortPause << min(rarer*l.tests, 24))
		if askedEnd := l.askedAt.Add(l.testSpan); askedEnd.After(now) && askedEnd.Before(test) {
			test = askedEnd // the time that the first refusal asked for
		}
	case now.Before(l.until): // of the same wave
		if l.testLoad = l.testLoad || load; l.testing > 0 {
			return
		}
		test = l.test
	case l.alone >= harmless && !load:
		return
	default:
		l.tests, l.testLoad, l.tested, l.askedAt = 0, load, false, now
		if l.asked == 1 {
			test = time.Time{}
		}
	}
	l.rest(now.Add(span), Asked)
	l.test, l.testSpan, l.testFor = test, span, max(2*now.Sub(t.at), passes)
}

// passedTest ends a pause that a request has shown to be over.
func (l *Limiter) passedTest(now time.Time) {
	if l.tests == 0 {
		l.alone++
	}
	l.until, l.test, l.testing = time.Time{}, time.Time{}, 0
	if l.tests > 0 {
		l.overTested(now)
	}
}

// overTested notes that the server no longer refuses after a pause in which it did.
func (l *Limiter) overTested(now time.Time) {
	if l.tests = 0; l.tested && l.testSpan <= longestSpan && now.Sub(l.askedAt) <= l.testSpan+shortPause {
		l.spans.learn(now, l.testSpan, l.seq)
	}
}

// paused returns how long the server has asked to wait, or the time until the next request may test
// the pause.
func (l *Limiter) paused(now time.Time) time.Duration {
	wait, early := l.until.Sub(now), l.test.Sub(now)
	switch {
	case wait <= 0 || l.test.IsZero():
		return wait
	case early <= 0 && l.testing > 0:
		l.passedTest(now)
		return 0
	}
	return min(wait, early)
}
