package limit

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// Bounds limit the total use. 0 is not a bound.
type Bounds struct {
	Rollouts int     // begun
	Tokens   int64   // of the policy and of a judge, in and out
	USD      float64 // US dollars
	// the zero time is none; kept by the clock on the wall and by the time that went by, whichever is first
	Deadline time.Time
}

// passed reports whether the deadline has come. While a machine is suspended the
// time that goes by stops; when its clock is set, that of the wall jumps.
func (b Bounds) passed(now time.Time) bool {
	at := b.Deadline
	return !at.IsZero() && (!now.Before(at) || !now.Round(0).Before(at.Round(0)))
}

// Validate reports invalid values.
func (b Bounds) Validate() error {
	switch {
	case b.Rollouts < 0:
		return fmt.Errorf("max_rollouts cannot be negative (0 = no bound)")
	case b.Tokens < 0:
		return fmt.Errorf("max_tokens cannot be negative (0 = no bound)")
	case !(b.USD >= 0) || math.IsInf(b.USD, 0):
		return fmt.Errorf("max_usd is %g: it cannot be negative (0 = no bound)", b.USD)
	}
	return nil
}

// Used is what one rollout used; nil is what its servers did not report.
type Used struct {
	Tokens *int64
	USD    *float64
	Took   time.Duration // 0: it says nothing about how long others take
}

// Budget bounds what is begun by several accounts together, such as those of the
// run itself, of its variants and of an audit. It is safe for concurrent use. A
// nil *Budget bounds nothing.
//
// What a rollout uses is known only when it has ended. So a rollout in flight is
// held against the budget at what one like it is expected to use, by those of its
// account that told, or of the account of its kind before; see Account.ahead. A
// bound is passed by at most what the rollouts in flight use beyond that. Before
// the first has ended nothing is known, and where tokens or money are bounded no
// more than a few are in flight: at the start a bound can be passed by that many
// rollouts. One that ended without telling counts the mean; but where none tells,
// there is nothing to bound. No rollout begins that on average would end after the
// deadline, and those in flight end.
type Budget struct {
	bounds Bounds

	mu       sync.Mutex // guards what follows, the accounts among it
	begun    int
	open     []*Account
	tokens   float64          // used by accounts that are closed
	usd      float64          // so
	usual    map[string]means // by kind of account
	exceeded Bound
}

// Bound names one of the Bounds.
type Bound string

// The bounds.
const (
	NoBound  Bound = ""
	Rollouts Bound = "rollouts"
	Tokens   Bound = "tokens"
	USD      Bound = "usd"
	Deadline Bound = "deadline"
)

// NewBudget returns a budget.
func NewBudget(b Bounds) *Budget { return &Budget{bounds: b, usual: make(map[string]means)} }

// Bounds returns its bounds.
func (b *Budget) Bounds() Bounds {
	if b == nil {
		return Bounds{}
	}
	return b.bounds
}

// Exceeded returns the bound that last stopped something from beginning.
func (b *Budget) Exceeded() Bound {
	if b == nil {
		return NoBound
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.exceeded
}

// Spent returns the bound that is used up, so nothing more may begin, if any.
// counted says that a rollout would begin.
func (b *Budget) Spent(now time.Time, counted bool) Bound {
	if b == nil {
		return NoBound
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent(now, counted, 0)
}

func (b *Budget) spent(now time.Time, counted bool, took time.Duration) Bound {
	tokens, usd := b.used()
	switch x := b.bounds; {
	case counted && x.Rollouts > 0 && b.begun >= x.Rollouts:
		return Rollouts
	case x.Tokens > 0 && tokens >= float64(x.Tokens):
		return Tokens
	case x.USD > 0 && usd >= x.USD:
		return USD
	case x.passed(now.Add(took)):
		return Deadline
	}
	return NoBound
}

// Used is what was used so far, in US dollars and tokens; what was not reported
// counts as the mean of what was.
func (b *Budget) Used() (usd float64, tokens int64) {
	if b == nil {
		return 0, 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t, u := b.used()
	return u, int64(math.Round(t))
}

// used adds up the accounts.
func (b *Budget) used() (tokens, usd float64) {
	tokens, usd = b.tokens, b.usd
	for _, a := range b.open {
		tokens, usd = tokens+a.tokens.used(), usd+a.usd.used()
	}
	return tokens, usd
}

// ahead adds up what their rollouts in flight are held at.
func (b *Budget) ahead(now time.Time) (tokens, usd float64) {
	for _, a := range b.open {
		tokens += a.ahead(now, &a.tokens)
		usd += a.ahead(now, &a.usd)
	}
	return tokens, usd
}

// means are what a rollout of some kind takes.
type means struct {
	tokens, usd float64
	took        time.Duration
}

// Open returns an account on the budget. Accounts of one kind have similar costs.
// counted says that it begins rollouts, which Bounds.Rollouts counts.
func (b *Budget) Open(kind string, counted bool) *Account {
	if b == nil {
		b = NewBudget(Bounds{})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	usual := b.usual[kind]
	a := &Account{budget: b, kind: kind, counted: counted}
	a.tokens.usual, a.usd.usual, a.took.usual = usual.tokens, usual.usd, float64(usual.took)
	b.open = append(b.open, a)
	return a
}

// Account is one user of a budget. It is safe for concurrent use.
type Account struct {
	budget  *Budget
	kind    string
	counted bool

	// budget.mu guards what follows.
	inFlight    int
	since       []time.Time // when those in flight were reserved
	tokens, usd purse
	took        purse
}

// ahead is what the rollouts in flight are held at. Those that end first are short
// and cheap, and those in flight are the long ones: each counts the mean of the
// ended weighted by the time that they took, which is what one met at some moment
// uses on average (the inspection paradox). And as long as few have ended, the time
// that those in flight have taken already is shared out among the ended, as in the
// total time on test (Epstein and Sobel 1953, doi:10.1080/01621459.1953.10483488).
func (a *Account) ahead(now time.Time, p *purse) float64 {
	each := p.mean()
	if p.time > 0 {
		each = max(each, p.timed/p.time)
	}
	if a.took.sum > 0 {
		var so time.Duration
		for _, at := range a.since {
			so += max(0, now.Sub(at))
		}
		each *= 1 + float64(so)/a.took.sum
	}
	if p.told > 0 {
		each *= 1 + doubt/math.Sqrt(float64(p.told))
	}
	return each * float64(a.inFlight)
}

// doubt is how many standard errors a mean of few rollouts is raised by, of rollouts
// that differ by about as much as they use.
const doubt = 2

// ended forgets the reservation of one that took so long.
func (a *Account) ended(now time.Time, took time.Duration) {
	a.inFlight--
	if len(a.since) == 0 {
		return
	}
	began := now.Add(-took) // they are in order, as far as it matters
	at, _ := slices.BinarySearchFunc(a.since, began, time.Time.Compare)
	if at = min(at, len(a.since)-1); at > 0 && began.Sub(a.since[at-1]) < a.since[at].Sub(began) {
		at--
	}
	a.since = slices.Delete(a.since, at, at+1)
}

// Grant is the answer to a request to begin a rollout.
type Grant int

// The answers.
const (
	Spent        Grant = iota // no more rollouts: a bound is reached
	Later                     // perhaps, when a rollout in flight has settled
	Granted                   // it is reserved: it may begin
	UnknownUsage              // no more rollouts: no one reports what they use, so the bound cannot be kept
)

// Reserve reserves one rollout in the budget, if it may begin.
func (a *Account) Reserve(now time.Time) Grant {
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if bound := b.spent(now, a.counted, time.Duration(a.took.mean())); bound != NoBound {
		b.exceeded = bound
		return Spent
	}
	x := b.bounds
	var tokens, usd float64
	if x.Tokens > 0 || x.USD > 0 {
		tokens, usd = b.used()
		tokensAhead, usdAhead := b.ahead(now)
		tokens, usd = tokens+tokensAhead, usd+usdAhead
	}
	switch {
	case x.Tokens > 0 && a.tokens.silence >= maxSilence:
		b.exceeded = Tokens
		return UnknownUsage
	case x.USD > 0 && a.usd.silence >= maxSilence:
		b.exceeded = USD
		return UnknownUsage
	case x.Tokens > 0 && a.inFlight >= a.tokens.allows(), x.USD > 0 && a.inFlight >= a.usd.allows():
		return Later
	case x.Tokens > 0 && tokens >= float64(x.Tokens), x.USD > 0 && usd >= x.USD:
		return Later
	}
	if a.counted {
		b.begun++
	}
	a.inFlight++
	a.since = append(a.since, now)
	return Granted
}

// Late reports whether a reserved rollout must not begin any more because it waited
// past the deadline. Its reservation is then released.
func (a *Account) Late(now time.Time) bool {
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.bounds.passed(now.Add(time.Duration(a.took.mean()))) {
		return false
	}
	b.exceeded = Deadline
	if a.counted {
		b.begun--
	}
	a.ended(now, 0)
	return true
}

// Settle ends one reserved rollout.
func (a *Account) Settle(now time.Time, u Used) {
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	a.ended(now, u.Took)
	a.note(u)
}

// Note counts use outside of reservations, such as that of a rehearsal.
func (a *Account) Note(u Used) {
	a.budget.mu.Lock()
	defer a.budget.mu.Unlock()
	a.note(u)
}

func (a *Account) note(u Used) {
	var tokens *float64
	if u.Tokens != nil {
		n := float64(*u.Tokens)
		tokens = &n
	}
	took := float64(u.Took)
	a.tokens.put(tokens, took)
	a.usd.put(u.USD, took)
	if took > 0 {
		a.took.put(&took, took)
	}
}

// Close ends the account: what it used stays used.
func (a *Account) Close() {
	b := a.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, open := range b.open {
		if open == a {
			b.open = append(b.open[:i:i], b.open[i+1:]...)
			b.tokens, b.usd = b.tokens+a.tokens.used(), b.usd+a.usd.used()
			b.usual[a.kind] = means{a.tokens.mean(), a.usd.mean(), time.Duration(a.took.mean())}
			return
		}
	}
}

// purse counts one thing that rollouts use.
type purse struct {
	told    int     // rollouts that reported
	sum     float64 // used by those
	untold  int     // rollouts that did not
	silence int     // of these, those since the last that reported
	usual   float64 // what one uses, before any has reported

	time, timed float64 // of those that told: the time that they took, and what they used times that
}

// maxSilence is how many rollouts in a row may end without telling what they
// used. One alone may be an answer that got lost.
const maxSilence = 3

// pilots are the rollouts that may be in flight before the first has reported
// what one uses, where that is bounded, and that many more for each that has.
const pilots = 4

// allows is how many may be in flight, from what is known about them.
func (p *purse) allows() int {
	if p.told == 0 && p.usual > 0 { // known from the account before
		return math.MaxInt
	}
	return pilots * (1 + p.told)
}

func (p *purse) put(x *float64, took float64) {
	if x == nil {
		p.untold++
		p.silence++
		return
	}
	p.told++
	p.sum += *x
	p.time += took
	p.timed += *x * took
	if *x > 0 { // a rollout that used nothing had nothing to report
		p.silence = 0
	}
}

// mean is what a rollout uses; 0 if nothing shows it.
func (p *purse) mean() float64 {
	if p.told == 0 {
		return p.usual
	}
	return p.sum / float64(p.told)
}

func (p *purse) used() float64 { return p.sum + p.mean()*float64(p.untold) }
