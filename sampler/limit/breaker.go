package limit

import (
	"regexp"
	"strings"
	"time"
)

// Breaker detects an endpoint that returns the same error again and again, or nothing but errors
// for a long time. It is not safe for concurrent use. A nil *Breaker detects nothing.
//
// The same error is one of the same status and the same text, without what differs from request to
// request (see ErrorSignature). Errors of requests that were in flight together count once: one
// short outage hits them all. A different error starts a new count, an answer ends the count, a
// request that we cancelled changes nothing. An endpoint that used to answer must fail on more than
// one item: it may be unable to handle one item alone. If only retries are left at the end of a
// run, the same error does not trip the breaker, unless nothing was ever answered. A server that
// takes no connections is gone, regardless of item and time. The table of Rules says whether an
// error counts, and how long it must have lasted.
//
// An outage is a series of server failures, with any texts, without an answer in between: as many
// waves as identical errors would take, for as long as the retry policy says, and longer if
// requests hang or get 429s, or while others are in flight. At the end of a run requests that hang
// do not count, because the last ones may be just those, and other failures count if they concern
// eight items.
type Breaker struct {
	after      int
	gone, hung time.Duration // duration of an outage, and of one in which requests hang or get 429s

	trouble int             // waves of it without an answer in between
	begun   time.Time       // when the first of them came
	slow    bool            // some of them hung, or were 429s
	absent  bool            // the last of them found no server
	hit     map[string]bool // the items they concerned

	worked   bool // it has answered once
	status   int
	text     string
	count    int
	since    time.Time
	subjects map[string]bool
}

// NewBreaker returns a breaker that opens after the same error the given number of times in a row,
// or if nothing was answered for the time that retry allows; nil for 0 times.
func NewBreaker(after int, retry Retry) *Breaker {
	if after <= 0 {
		return nil
	}
	return &Breaker{after: after, gone: retry.GoneAfter(), hung: retry.OutageAfter()}
}

// Down reports whether the endpoint, which used to answer, has answered nothing since a time;
// absent, that it takes no connections.
func (b *Breaker) Down(since time.Time) (down, absent bool) {
	down = b != nil && b.worked && b.trouble > 0 && !b.begun.After(since)
	return down, down && b.absent
}

// Opening says why a breaker opened. The zero value means that it did not.
type Opening struct {
	Times int           // identical errors in a row, or waves of trouble
	For   time.Duration // time without an answer; 0 for identical errors
}

// Fault is a failed request.
type Fault struct {
	Class      Class
	Status     int
	Text       string
	Subject    string        // what the request was about: the item
	Fresh      bool          // as returned by Limiter.Done
	RetryAfter time.Duration // delay that the server asked for
	// nothing new starts: the remaining requests are retries, more often of those that fail
	Last bool
	Hung bool // no answer came within the time limit
	Busy bool // other requests are in flight, which may still be answered
}

// Record notes the outcome of a request and reports whether the breaker opens.
func (b *Breaker) Record(now time.Time, f Fault) Opening {
	if b == nil || f.Class == Void {
		return Opening{}
	}
	if !f.Class.Rule().TripsBreaker {
		*b = Breaker{after: b.after, gone: b.gone, hung: b.hung, worked: true}
		return Opening{}
	}
	if n := b.same(now, f); n > 0 {
		return Opening{Times: n}
	}
	if span := b.outage(now, f); span > 0 {
		return Opening{Times: b.trouble, For: span}
	}
	return Opening{}
}

// same returns how many times in a row the same error came, or 0 while that is acceptable.
func (b *Breaker) same(now time.Time, f Fault) int {
	rule := f.Class.Rule()
	if text := ErrorSignature(f.Text); f.Status != b.status || text != b.text || b.count == 0 {
		b.status, b.text, b.count, b.since, b.subjects = f.Status, text, 0, now, nil
	} else if !rule.OnceEach && !f.Fresh {
		return 0
	}
	b.subjects = b.noted(b.subjects, f.Subject)
	if b.count++; rule.OnceEach {
		b.count = len(b.subjects)
	}
	// A server that asks for more than our patience says itself that the error will last.
	if b.count < b.after || b.worked && f.Class != Absent && (f.Last || b.alone(b.subjects)) ||
		now.Sub(b.since) < rule.TripsAfter && f.RetryAfter <= Patience {
		return 0
	}
	return b.count
}

// outage returns how long nothing was answered, or 0 while that is acceptable. A refusal ends an
// outage: the server is up, and has looked at the request.
func (b *Breaker) outage(now time.Time, f Fault) time.Duration {
	if !f.Class.Rule().Retryable {
		b.trouble, b.hit = 0, nil
		return 0
	}
	if b.hit = b.noted(b.hit, f.Subject); b.trouble == 0 {
		b.begun, b.slow = now, false
	}
	b.slow, b.absent = b.slow || f.Hung || f.Class == Limited, f.Class == Absent
	if b.trouble > 0 && !f.Fresh {
		return 0
	}
	b.trouble++
	span, lasts := now.Sub(b.begun), b.gone
	if b.slow || f.Busy && !b.absent {
		lasts = b.hung
	}
	if b.trouble < b.after || span < lasts || b.worked && !b.absent &&
		(f.Last && (f.Hung || len(b.hit) < steady) || b.alone(b.hit)) {
		return 0
	}
	return span
}

// noted adds a subject to a set, up to the size that matters.
func (b *Breaker) noted(set map[string]bool, subject string) map[string]bool {
	if set == nil {
		set = make(map[string]bool, b.after)
	}
	if len(set) < max(b.after, steady) {
		set[subject] = true
	}
	return set
}

// alone reports whether all errors were about one item.
func (b *Breaker) alone(subjects map[string]bool) bool { return b.after > 1 && len(subjects) < 2 }

var (
	varying = regexp.MustCompile(`[\pL\pN_.:-]*\pN[\pL\pN_.:-]*`)
	blanks  = regexp.MustCompile(`\s+`)
)

// ErrorSignature returns a text without what varies between equal errors: words with a digit, such
// as ids, times and counts, and letter case.
func ErrorSignature(text string) string {
	return strings.TrimSpace(blanks.ReplaceAllString(varying.ReplaceAllString(strings.ToLower(text), "#"), " "))
}
