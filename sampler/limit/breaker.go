package limit

import (
	"regexp"
	"strings"
	"time"
)

// Breaker notices an endpoint that answers with the same error again and again.
// It is not safe for concurrent use. A nil *Breaker notices nothing.
//
// The same error is one of the same status and the same text, but for what
// differs from request to request, as Alike has it. Errors of requests that were
// in flight together count once: one short outage hits them all. Another error
// begins a new count, an answer ends it, a request broken off by us changes
// nothing. An endpoint that used to answer must fail on more than one item: one
// alone may be what it cannot take. At the end of a run, when only repeats are
// left, it is not given up any more. Whether an error counts, and how long it
// must have gone on, is in the table of Rules.
type Breaker struct {
	after int

	worked   bool // it answered once
	status   int
	text     string
	count    int
	since    time.Time
	subjects map[string]bool
}

// NewBreaker returns a breaker that opens at the same error so many times in a
// row; nil for 0.
func NewBreaker(after int) *Breaker {
	if after <= 0 {
		return nil
	}
	return &Breaker{after: after}
}

// Fault is a request that failed.
type Fault struct {
	Class      Class
	Status     int
	Text       string
	Subject    string        // what the request was about: the item
	Fresh      bool          // as Limiter.Done said
	RetryAfter time.Duration // what the server asked for
	Last       bool          // nothing new begins: what is asked still are repeats, of those that fail more than of others
}

// Heard takes note of what came of a request and reports whether the breaker
// opens: how often in a row the same error came, 0 when it does not.
func (b *Breaker) Heard(now time.Time, f Fault) (times int) {
	if b == nil || f.Class == Void {
		return 0
	}
	rule := f.Class.Rule()
	if !rule.Opens {
		b.worked = true
		b.status, b.text, b.count, b.subjects = 0, "", 0, nil
		return 0
	}
	if text := Alike(f.Text); f.Status != b.status || text != b.text || b.count == 0 {
		b.status, b.text, b.count, b.since, b.subjects = f.Status, text, 0, now, nil
	} else if !rule.OnceEach && !f.Fresh {
		return 0
	}
	if b.subjects == nil {
		b.subjects = make(map[string]bool, b.after)
	}
	if len(b.subjects) < b.after {
		b.subjects[f.Subject] = true
	}
	if b.count++; rule.OnceEach {
		b.count = len(b.subjects)
	}
	// A server that asks for more than our patience says itself that it will last.
	if b.count < b.after || b.worked && (f.Last || b.after > 1 && len(b.subjects) < 2) || now.Sub(b.since) < rule.Lasts && f.RetryAfter <= Patience {
		return 0
	}
	return b.count
}

var (
	varying = regexp.MustCompile(`[\pL\pN_.:-]*\pN[\pL\pN_.:-]*`)
	blanks  = regexp.MustCompile(`\s+`)
)

// Alike returns a text without what differs between two errors that are the same:
// words with a digit in them, such as ids, times and counts, and the letters' case.
func Alike(text string) string {
	return strings.TrimSpace(blanks.ReplaceAllString(varying.ReplaceAllString(strings.ToLower(text), "#"), " "))
}
