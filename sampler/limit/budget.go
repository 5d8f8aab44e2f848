package limit

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// Bounds limit the total use. 0 means no bound.
type Bounds struct {
	Rollouts int     // started
	Tokens   int64   // of policy and judge, input and output
	USD      float64 // US dollars
	// the zero time is none; it holds by the wall clock and by the monotonic clock, whichever
	// reaches it first
	Deadline time.Time
}

// passed reports whether the deadline has passed. The monotonic clock stops while a machine is
// suspended; the wall clock jumps when it is set.
func (b Bounds) passed(now time.Time) bool {
	deadline := b.Deadline
	return !deadline.IsZero() && (!now.Before(deadline) || !now.Round(0).Before(deadline.Round(0)))
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

// Budget bounds what several accounts start together, such as those of the run itself, of its
// variants and of an audit. It is safe for concurrent use. A nil *Budget bounds nothing.
//
// What a rollout uses is known only when it has ended. So each rollout in flight counts as much as
// it is expected to use, given the rollouts of its account whose use was reported, or of the
// previous account of its kind; see Account.ahead. A bound is exceeded by at most what the rollouts
// in flight use beyond that. Before the first has ended nothing is known, and if tokens or money
// are bounded only a few are in flight: at the start a bound can be exceeded by that many rollouts.
// A rollout that ended without a report counts the mean; but if none is reported, the bound cannot
// be enforced. No rollout starts that on average would end after the deadline; those in flight
// finish.
type Budget struct {
	bounds Bounds

	mu       sync.Mutex // guards the fields below, and the accounts
	begun    int
	open     []*Account
	tokens   float64          // used by closed accounts
	usd      float64          // used by closed accounts
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

// NewBudget returns a budget with the bounds b.
func NewBudget(b Bounds) *Budget { return &Budget{bounds: b, usual: make(map[string]means)} }

// Bounds returns the bounds.
func (b *Budget) Bounds() Bounds {
	if b == nil {
		return Bounds{}
	}
	return b.bounds
}

// Begun counts rollouts that were begun before, by earlier calls.
func (b *Budget) Begun(rollouts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.begun += rollouts
}

// Exceeded returns the bound that last prevented a start.
func (b *Budget) Exceeded() Bound {
	if b == nil {
		return NoBound
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.exceeded
}

// Spent returns the bound that is used up, so that nothing more may start, if any. counted says
// that a rollout would start.
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

// Used returns what has been used so far, in US dollars and tokens; unreported use counts as the
// mean of the reported.
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

// ahead adds up the expected use of the rollouts in flight.
func (b *Budget) ahead(now time.Time) (tokens, usd float64) {
	for _, a := range b.open {
		tokens += a.ahead(now, &a.tokens)
		usd += a.ahead(now, &a.usd)
	}
	return tokens, usd
}

// means is what a rollout of some kind uses on average.
type means struct {
	tokens, usd float64
	took        time.Duration
}

// Open returns an account of the budget. Accounts of one kind have similar costs. counted says that
// Bounds.Rollouts counts what the account starts.
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

	// budget.mu guards the fields below.
	inFlight    int
	since       []time.Time // when the rollouts in flight were reserved
	tokens, usd purse
	took        purse
}

// ahead returns the expected use of the rollouts in flight. The first to end are short and cheap,
// and those in flight are the long ones: each counts the mean of the ended rollouts weighted by
// their duration, which is the average use of a rollout that is running at a given moment (the
// inspection paradox). As long as few have ended, the time that those in flight have taken is also
// distributed over the ended ones, as in the total time on test (Epstein and Sobel 1953,
// doi:10.1080/01621459.1953.10483488).
func (a *Account) ahead(now time.Time, p *purse) float64 {
	each := p.mean()
	if p.time > 0 {
		each = max(each, p.timed/p.time)
	}
	if a.took.sum > 0 {
		var elapsed time.Duration
		for _, start := range a.since {
			elapsed += max(0, now.Sub(start))
		}
		each *= 1 + float64(elapsed)/a.took.sum
	}
	if p.reported > 0 {
		each *= 1 + doubt/math.Sqrt(float64(p.reported))
	}
	return each * float64(a.inFlight)
}

// doubt is the number of standard errors by which a mean of few rollouts is raised, assuming a
// standard deviation as large as the mean.
const doubt = 2

// ended removes the reservation of a rollout of that duration.
func (a *Account) ended(now time.Time, took time.Duration) {
	a.inFlight--
	if len(a.since) == 0 {
		return
	}
	began := now.Add(-took) // they are in order, near enough
	i, _ := slices.BinarySearchFunc(a.since, began, time.Time.Compare)
	if i = min(i, len(a.since)-1); i > 0 && began.Sub(a.since[i-1]) < a.since[i].Sub(began) {
		i--
	}
	a.since = slices.Delete(a.since, i, i+1)
}

// Grant is the answer to a request to start a rollout.
type Grant int

// The possible answers.
const (
	Spent        Grant = iota // no more rollouts: a bound is reached
	Later                     // perhaps, once a rollout in flight has settled
	Granted                   // reserved: the rollout may start
	UnknownUsage              // no more rollouts: their use is not reported, so the bound cannot be enforced
)

// Reserve reserves one rollout in the budget, if it may start.
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

// Late reports whether a reserved rollout must not start any more because it waited past the
// deadline. Its reservation is then released.
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

// Note counts use without a reservation, such as that of a rehearsal.
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

// Close closes the account; what it used still counts.
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

// purse counts one resource that rollouts use.
type purse struct {
	reported   int     // rollouts with a report
	sum        float64 // used by those
	unreported int     // rollouts without a report
	silence    int     // of these, those since the last with a report
	usual      float64 // use of a rollout, before any has reported

	time, timed float64 // of the rollouts with a report: their total duration, and the sum of use times duration
}

// maxSilence is how many rollouts in a row may end without a report of their use. A single one may
// be due to a lost answer.
const maxSilence = 3

// pilots is the number of rollouts that may be in flight before the first has reported its use, if
// that is bounded, and the number added by each that has.
const pilots = 4

// allows returns how many rollouts may be in flight, given what is known about their use.
func (p *purse) allows() int {
	if p.reported == 0 && p.usual > 0 { // known from the previous account
		return math.MaxInt
	}
	return pilots * (1 + p.reported)
}

func (p *purse) put(x *float64, took float64) {
	if x == nil {
		p.unreported++
		p.silence++
		return
	}
	p.reported++
	p.sum += *x
	p.time += took
	p.timed += *x * took
	if *x > 0 { // a rollout that used nothing had nothing to report
		p.silence = 0
	}
}

// mean returns the mean use of a rollout; 0 if unknown.
func (p *purse) mean() float64 {
	if p.reported == 0 {
		return p.usual
	}
	return p.sum / float64(p.reported)
}

func (p *purse) used() float64 { return p.sum + p.mean()*float64(p.unreported) }
