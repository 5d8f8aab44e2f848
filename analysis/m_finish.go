package analysis

import (
	"slices"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

func (m *measure) ends() Ends {
	e := Ends{Markup: make(map[rollout.MarkupKind]int), Items: []string{}, MarkupItems: []string{}}
	for _, kind := range rollout.MarkupKinds() {
		e.Markup[kind] = 0
	}
	texts := make(map[string]int)
	var tokens []float64
	m.records(func(r *row) {
		if !r.valid {
			return
		}
		e.Rollouts++
		countEnd(&e, r.finish)
		switch {
		case r.unfinished():
			e.Items = oneMore(e.Items, r.key.Item)
		case r.usage.Output != nil:
			tokens = append(tokens, float64(*r.usage.Output))
		}
		if r.answerHash != 0 {
			e.Answers++
		}
		if r.markup.Text != "" {
			e.Markup[r.markup.Kind]++
			e.MarkupItems = oneMore(e.MarkupItems, r.key.Item)
			if texts[r.markup.Text]++; texts[r.markup.Text] > texts[e.MarkupText] {
				e.MarkupText = r.markup.Text
			}
		}
	})
	if e.Known == 0 {
		return e
	}
	e.Unfinished = stat.Some(stat.Fraction(unfinishedOf(&e), e.Rollouts))
	if len(tokens) > 0 {
		e.FinishedTokens = stat.Some(stat.Quantile(tokens, 0.99))
	}
	if unfinishedOf(&e) > 0 {
		e.Without = m.without()
	}
	return e
}

func countEnd(e *Ends, f rollout.Finish) {
	switch f {
	case rollout.FinishStop:
		e.Stop++
	case rollout.FinishLength:
		e.Length++
	case rollout.FinishRefusal:
		e.Refusal++
	case rollout.FinishFilter:
		e.Filter++
	case rollout.FinishEmpty:
		e.Empty++
	default:
		return
	}
	e.Known++
}

func unfinishedOf(e *Ends) int { return e.Length + e.Refusal + e.Filter + e.Empty }

func oneMore(ids []string, id string) []string {
	if len(ids) < itemsListed && !slices.Contains(ids, id) {
		return append(ids, id)
	}
	return ids
}

// without measures the finished rollouts alone.
func (m *measure) without() *Without {
	rest := measure{s: m.s, once: m.once, c: m.c, inFile: m.inFile}
	for _, it := range m.items {
		finished := &item{id: it.id, labels: it.labels}
		for _, r := range it.rows {
			if !r.unfinished() {
				finished.rows = append(finished.rows, r)
			}
		}
		finished.settle()
		rest.items = append(rest.items, finished)
	}
	rest.prepare()
	w := &Without{Reward: stat.Mean(rest.rewards, &m.s.RewardRange, m.s.Confidence), Signal: []Signal{}}
	for _, s := range rest.signal(stat.Estimate{}) {
		if s.GroupSize == m.s.GroupSize {
			w.Signal = append(w.Signal, s)
		}
	}
	sr := SplitResult{}
	rest.lift(&sr)
	w.Lift = sr.Lift
	return w
}
