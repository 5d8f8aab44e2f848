package limit

import "sync"

// Budget bounds what a run may begin. It is safe for concurrent use. A nil
// *Budget bounds nothing.
//
// Tokens are known only when a rollout has ended. So a rollout in flight is
// held against the budget at the mean of those that have ended, and a run
// passes MaxTokens by at most what the rollouts begun before the first ended
// use beyond it.
type Budget struct {
	maxRollouts int
	maxTokens   int64

	mu       sync.Mutex // guards what follows
	begun    int
	inFlight int
	settled  int   // rollouts that ended and told their tokens
	tokens   int64 // used by those
}

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
)

// Reserve takes one rollout from the budget, if it may begin.
func (b *Budget) Reserve() Grant {
	if b == nil {
		return Granted
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.maxRollouts > 0 && b.begun >= b.maxRollouts, b.maxTokens > 0 && b.tokens >= b.maxTokens:
		return Spent
	case b.maxTokens > 0 && b.expected() >= float64(b.maxTokens):
		return Later
	}
	b.begun++
	b.inFlight++
	return Granted
}

// Settle ends one reserved rollout. tokens is nil when the servers did not
// say how many it used: such a rollout counts among the rollouts only.
func (b *Budget) Settle(tokens *int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inFlight--
	if tokens != nil {
		b.settled++
		b.tokens += *tokens
	}
}

// Tokens returns how many tokens the ended rollouts used, as far as known.
func (b *Budget) Tokens() int64 {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tokens
}

// expected is what the run will have used when all rollouts in flight have
// ended; before any has ended, they count nothing.
func (b *Budget) expected() float64 {
	if b.settled == 0 {
		return float64(b.tokens)
	}
	mean := float64(b.tokens) / float64(b.settled)
	return float64(b.tokens) + mean*float64(b.inFlight)
}
