package limit

import (
	"regexp"
	"strings"
	"time"
)

// Breaker notices an endpoint that answers with the same error again and again,
// or with nothing but errors for a long time.
// It is not safe for concurrent use. A nil *Breaker notices nothing.
//
// The same error is one of the same status and the same text, but for what
// differs from request to request, see ErrorSignature. Errors of requests that were
// in flight together count once: one short outage hits them all. Another error
// begins a new count, an answer ends it, a request broken off by us changes
// nothing. An endpoint that used to answer must fail on more than one item: one
// alone may be what it cannot take. When only repeats are left at the end of a run,
// the same error does not open it, unless nothing was ever answered. A server that
// takes no connections is gone, whatever it was asked and when. Whether an error
// counts, and how long it must have gone on, is in the table of Rules.
//
// An outage is trouble of the server, of whatever texts, with no answer between:
// as many waves of it as errors elsewhere, for as long as the breaker was made
// with: for longer where requests hang or get 429s, or while others are in flight. At
// the end of a run requests that hang do not count, because the last ones may be just
// those, and other failures count if they are about eight items.
type Breaker struct {
	after      int
	gone, hung time.Duration // how long an outage lasts, and one in which requests hang or are refused with 429

	trouble int             // waves of it with no answer between
	begun   time.Time       // the first of them
	slow    bool            // some of them hung, or were 429s
	absent  bool            // the last of them found no server
	hit     map[string]bool // what they were about

	worked   bool // it answered once
	status   int
	text     string
	count    int
	since    time.Time
	subjects map[string]bool
}

// NewBreaker returns a breaker that opens after the same error the given number of
// times in a row, or when nothing was answered for as long as retry has it; nil for 0
// times.
func NewBreaker(after int, retry Retry) *Breaker {
	if after <= 0 {
		return nil
	}
	return &Breaker{after: after, gone: retry.GoneAfter(), hung: retry.OutageAfter()}
}

// Down reports whether the endpoint, which used to answer, has answered nothing since
// a time; absent, that it takes no connections.
func (b *Breaker) Down(since time.Time) (down, absent bool) {
	down = b != nil && b.worked && b.trouble > 0 && !b.begun.After(since)
	return down, down && b.absent
}

// Opening is why a breaker opened. The zero value means that it did not.
type Opening struct {
	Times int           // the same error in a row, or waves of trouble
	For   time.Duration // nothing was answered; 0 when it was the same error
}

// Fault is a request that failed.
type Fault struct {
	Class      Class
	Status     int
	Text       string
	Subject    string        // what the request was about: the item
	Fresh      bool          // as Limiter.Done said
	RetryAfter time.Duration // what the server asked for
	// nothing new begins: what is asked still are repeats, of those that fail more than of others
	Last bool
	Hung bool // no answer came in time
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

// same is how often in a row the same error came, 0 while that is not too often.
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
	// A server that asks for more than our patience says itself that it will last.
	if b.count < b.after || b.worked && f.Class != Absent && (f.Last || b.alone(b.subjects)) ||
		now.Sub(b.since) < rule.TripsAfter && f.RetryAfter <= Patience {
		return 0
	}
	return b.count
}

// outage is for how long nothing was answered, 0 while that is not too long. A
// refusal ends it: the server is there, and has looked at what it was asked.
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

// noted is a set with one subject more, as far as it matters.
func (b *Breaker) noted(set map[string]bool, subject string) map[string]bool {
	if set == nil {
		set = make(map[string]bool, b.after)
	}
	if len(set) < max(b.after, steady) {
		set[subject] = true
	}
	return set
}

// alone reports whether errors were all about one item.
func (b *Breaker) alone(subjects map[string]bool) bool { return b.after > 1 && len(subjects) < 2 }

var (
	varying = regexp.MustCompile(`[\pL\pN_.:-]*\pN[\pL\pN_.:-]*`)
	blanks  = regexp.MustCompile(`\s+`)
)

// ErrorSignature returns a text without what varies between equal errors: words
// with a digit, such as ids, times and counts, and letter case.
func ErrorSignature(text string) string {
	return strings.TrimSpace(blanks.ReplaceAllString(varying.ReplaceAllString(strings.ToLower(text), "#"), " "))
}
