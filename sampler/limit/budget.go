package limit

import "sync"

// Budget bounds what a run may begin. It is safe for concurrent use. A nil
// *Budget bounds nothing.
//
// Tokens are known only when a rollout has ended. So a rollout in flight is
// held against the budget at the mean of those that told their tokens, and a
// run passes MaxTokens by at most what the rollouts begun before the first
// ended use beyond it. One that ended without telling counts that mean too;
// but where none tells, there is nothing to bound.
type Budget struct {
	maxRollouts int
	maxTokens   int64

	mu       sync.Mutex // guards what follows
	begun    int
	inFlight int
	told     int   // rollouts that ended and told their tokens
	tokens   int64 // used by those
	untold   int   // rollouts that ended and did not
	silence  int   // of these, those since the last that told
}

// maxSilence is how many rollouts in a row may end without telling their
// tokens. One alone may be an answer that got lost.
const maxSilence = 3

// NewBudget returns a budget; 0 means no bound.
func NewBudget(maxRollouts int, maxTokens int64) *Budget {
	return &Budget{maxRollouts: maxRollouts, maxTokens: maxTokens}
}

// Grant is a budget's answer to a rollout that wants to begin.
type Grant int

// The answers.
const (
	Spent   Grant = iota // no more rollouts
	Later                // perhaps, when a rollout in flight has settled
	Granted              // it is reserved: it may begin
	Untold               // no more rollouts: nobody tells their tokens, so that the bound cannot be kept
)

// Reserve takes one rollout from the budget, if it may begin.
func (b *Budget) Reserve() Grant {
	if b == nil {
		return Granted
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	used := float64(b.tokens) + b.mean()*float64(b.untold)
	switch bound := float64(b.maxTokens); {
	case b.maxRollouts > 0 && b.begun >= b.maxRollouts, bound > 0 && used >= bound:
		return Spent
	case bound > 0 && b.silence >= maxSilence:
		return Untold
	case bound > 0 && used+b.mean()*float64(b.inFlight) >= bound:
		return Later
	}
	b.begun++
	b.inFlight++
	return Granted
}

// Settle ends one reserved rollout. tokens is nil when the servers did not
// say how many it used.
func (b *Budget) Settle(tokens *int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inFlight--
	if tokens == nil {
		b.untold++
		b.silence++
		return
	}
	b.told++
	b.tokens += *tokens
	if *tokens > 0 { // a rollout that used nothing had nothing to tell
		b.silence = 0
	}
}

// mean is what a rollout uses; 0 before any has told.
func (b *Budget) mean() float64 {
	if b.told == 0 {
		return 0
	}
	return float64(b.tokens) / float64(b.told)
}
