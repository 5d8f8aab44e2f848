package sampler

import "gonogo/sampler/rollout"

// tally adds up usage. If one part lacks a count, so does the sum: absent is not zero.
type tally struct {
	parts int
	total rollout.Usage
}

func (t *tally) add(u rollout.Usage) {
	if t.parts++; t.parts == 1 {
		t.total = u
		return
	}
	t.total = t.total.Plus(u)
}

func (t *tally) sum() rollout.Usage { return t.total }

func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	n := *a + *b
	return &n
}

// TokensOf returns what a rollout used, policy and judge together; nil if a server did not report
// it. A rollout without a reply of the model used none, as far as is known; one with an answer had
// a reply, even if the agent does not report it.
func TokensOf(r *rollout.Record) *int64 {
	n := new(int64)
	if r.Turns > 0 || r.Answer != "" || r.Usage != (rollout.Usage{}) {
		n = plus(r.Usage.Input, r.Usage.Output)
	}
	return plus(n, judgeTokens(r))
}

// judgeTokens returns what a judge used on a rollout: 0 if there was no judge, nil if it did not
// report it.
func judgeTokens(r *rollout.Record) *int64 {
	if r.JudgeCalls == 0 && r.Judge == (rollout.Usage{}) {
		return new(int64)
	}
	return plus(r.Judge.Input, r.Judge.Output)
}
