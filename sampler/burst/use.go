package burst

import (
	"sync"

	"gonogo/sampler/rollout"
)

// Use is the average use of an agent's rollout, without its grading. The zero Use is that of no
// rollouts.
type Use struct {
	Rollouts           int // number of rollouts averaged
	Turns, Tokens, USD float64
	TokensKnown        bool // for every one of them
	Priced             bool // the cost of every one of them is known
}

// Plus returns the averages with one more rollout; cost returns its cost.
func (u Use) Plus(rec *rollout.Record, cost func(*rollout.Record) (usd float64, ok bool)) Use {
	ungraded := *rec // without its grading
	ungraded.Judge, ungraded.JudgeCalls = rollout.Usage{}, 0
	usd, priced := cost(&ungraded)
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

// Meter averages the use of an agent's rollouts. It is safe for concurrent use.
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

// Use returns the average of those counted so far.
func (m *Meter) Use() Use {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.use
}

// Use returns the average use of the recorded rollouts.
func (p *Plan) Use(cost func(*rollout.Record) (usd float64, ok bool)) (use Use) {
	for _, s := range p.Scripts {
		if s.Record.Turns > 0 {
			use = use.Plus(s.Record, cost)
		}
	}
	return use
}

// GradingCost returns the mean cost of a grading of the replayed rollouts; ok is false if none has
// a known cost.
func (p *Plan) GradingCost(cost func(*rollout.Record) (usd float64, ok bool)) (usd float64, ok bool) {
	n := 0
	for _, s := range p.Scripts {
		if one, known := cost(s.Record); known && s.Record.JudgeCalls > 0 {
			usd, n = usd+one, n+1
		}
	}
	return usd / float64(max(1, n)), n > 0
}
