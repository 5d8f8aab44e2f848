package measure

import (
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/markup"
)

func (m *Split) ends() analysis.FinishStats {
	e := analysis.FinishStats{Markup: make(map[markup.Kind]int), Items: []string{}, MarkupItems: []string{}}
	for _, kind := range markup.Kinds() {
		e.Markup[kind] = 0
	}
	texts := make(map[string]int)
	var tokens []float64
	m.records(func(r *collect.Row) {
		if !r.Valid {
			return
		}
		e.Rollouts++
		countEnd(&e, r.Finish())
		if r.Finish() == rollout.FinishLength {
			e.Outgrown += one(strings.Contains(r.Rare().Cause, rollout.ContextExceeded))
			e.NoLimit += one(strings.Contains(r.Rare().Cause, rollout.NoLimitSent))
		}
		if n, known := r.Tokens(collect.OutputTokens); r.Unfinished() {
			e.Items = oneMore(e.Items, r.Of.ID, analysis.MaxItemsListed)
		} else if known {
			tokens = append(tokens, n)
		}
		if r.AnswerHash != 0 {
			e.Answers++
		}
		if r.Blanked {
			e.Blanked++
		}
		if found := r.Rare().Markup; found.Text != "" {
			e.Markup[found.Kind]++
			e.MarkupItems = oneMore(e.MarkupItems, r.Of.ID, analysis.MaxItemsListed)
			if texts[found.Text]++; texts[found.Text] > texts[e.MarkupText] {
				e.MarkupText = found.Text
			}
		}
	})
	if len(m.Items) > 0 && e.MarkupText != "" {
		e.MarkupAnswer = m.c.Marked(m.Items[0].Key().Split, e.MarkupText)
	}
	if e.Rollouts > 0 {
		e.NoAnswer = m.shareOf(func(r *collect.Row) bool { return r.Outcome() == rollout.NoAnswer })
	}
	if e.Stop > 0 {
		e.CutOff = m.shareOf(func(r *collect.Row) bool { return r.Finish() == rollout.FinishLength })
		e.Refused = m.shareOf(func(r *collect.Row) bool {
			return r.Finish() == rollout.FinishRefusal || r.Finish() == rollout.FinishFilter
		})
	}
	if e.Known == 0 {
		return e
	}
	e.Unfinished = stat.FiniteOrNil(stat.Fraction(unfinishedOf(&e), e.Rollouts))
	if len(tokens) > 0 {
		e.FinishedTokens = stat.FiniteOrNil(stat.Quantile(tokens, 0.99))
	}
	if unfinishedOf(&e) > 0 {
		e.Without = m.without()
	}
	return e
}

// shareOf returns the share of valid rollouts for which f returns true.
func (m *Split) shareOf(f func(*collect.Row) bool) *stat.Estimate {
	e := m.share(m.s.Confidence, func(r *collect.Row) (num, den float64) {
		switch {
		case !r.Valid:
			return 0, 0
		case f(r):
			return 1, 1
		}
		return 0, 1
	})
	return &e
}

func countEnd(e *analysis.FinishStats, f rollout.Finish) {
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

func unfinishedOf(e *analysis.FinishStats) int { return e.Length + e.Refusal + e.Filter + e.Empty }

// oneMore adds an id to a list unless the list has it or already has limit ids.
func oneMore(ids []string, id string, limit int) []string {
	if len(ids) < limit && !slices.Contains(ids, id) {
		return append(ids, id)
	}
	return ids
}

// without measures only the finished rollouts.
func (m *Split) without() *analysis.FinishedOnly {
	rest := Split{s: m.s, once: m.once, c: m.c, inFile: m.inFile}
	for _, it := range m.Items {
		finished := &collect.Item{ID: it.ID, Labels: it.Labels}
		for _, r := range it.Rows {
			if !r.Unfinished() {
				finished.Rows = append(finished.Rows, r)
			}
		}
		finished.Settle()
		rest.Items = append(rest.Items, finished)
	}
	rest.prepare()
	w := &analysis.FinishedOnly{
		Reward: stat.Mean(rest.Rewards, &m.s.RewardRange, m.s.Confidence),
		Signal: []analysis.Signal{},
	}
	for _, s := range rest.signal(stat.Estimate{}) {
		if s.GroupSize == m.s.GroupSize {
			w.Signal = append(w.Signal, s)
		}
	}
	sr := analysis.SplitResult{}
	rest.lift(&sr)
	w.Lift = sr.Lift
	return w
}

// identical returns the share of items whose outputs (answer and calls) are all the same text,
// among items with at least two outputs that are long enough to compare. One seed for all samples,
// or a response cache, causes this.
func (m *Split) identical() stat.Estimate {
	var equal []float64
	n := 0
	for _, it := range m.Items {
		var hashes []uint64
		for _, r := range it.Rows {
			if r.Valid && r.OutputHash != 0 {
				hashes = append(hashes, r.OutputHash)
			}
		}
		if len(hashes) < 2 {
			continue
		}
		n += len(hashes)
		same := 0.0
		if len(slices.Compact(hashes)) == 1 {
			same = 1
		}
		equal = append(equal, same)
	}
	unit := stat.Range{Lo: 0, Hi: 1}
	return stat.ItemMeans(equal, nil, n, &unit, m.s.Confidence, "share of items")
}
