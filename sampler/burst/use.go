package burst

import (
	"sync"

	"gonogo/sampler/rollout"
)

// Use is what a rollout of an agent takes on average, grading left out. The zero Use is that
// of none.
type Use struct {
	Rollouts           int // behind the averages
	Turns, Tokens, USD float64
	TokensKnown        bool // of every one of them
	Priced             bool // every one of them
}

// Plus is the use with one more rollout, whose cost the func knows.
func (u Use) Plus(rec *rollout.Record, cost func(*rollout.Record) (usd float64, ok bool)) Use {
	own := *rec // without its grading
	own.Judge, own.JudgeCalls = rollout.Usage{}, 0
	usd, priced := cost(&own)
	tokens, known := 0.0, rec.Turns == 0 && rec.Answer == ""
	if rec.Usage.Input != nil && rec.Usage.Output != nil {
		tokens, known = float64(*rec.Usage.Input+*rec.Usage.Output), true
	}
	first := u.Rollouts == 0
	u.Rollouts++
	mean := func(was, x float64) float64 { return was + (x-was)/float64(u.Rollouts) }
	return Use{u.Rollouts, mean(u.Turns, float64(rec.Turns)), mean(u.Tokens, tokens), mean(u.USD, usd), known &&
		(first || u.TokensKnown), priced && (first || u.Priced)}
}

// Meter averages what the rollouts of an agent take. It is safe for concurrent use.
type Meter struct {
	Cost func(*rollout.Record) (usd float64, ok bool)

	mu  sync.Mutex // guards use
	use Use
}

// Add counts a rollout.
func (m *Meter) Add(rec *rollout.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.use = m.use.Plus(rec, m.Cost)
}

// Use is what those counted so far took.
func (m *Meter) Use() Use {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.use
}

// Use is what the rollouts took that the run recorded.
func (p *Plan) Use(cost func(*rollout.Record) (usd float64, ok bool)) (use Use) {
	for _, s := range p.Scripts {
		if s.Record.Turns > 0 {
			use = use.Plus(s.Record, cost)
		}
	}
	return use
}

// GradingCost is what a grading of the replayed rollouts cost on average; it is not ok where
// no grading of them has a cost.
func (p *Plan) GradingCost(cost func(*rollout.Record) (usd float64, ok bool)) (usd float64, ok bool) {
	n := 0
	for _, s := range p.Scripts {
		if one, known := cost(s.Record); known && s.Record.JudgeCalls > 0 {
			usd, n = usd+one, n+1
		}
	}
	return usd / float64(max(1, n)), n > 0
}
