package measure

import (
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// oneTextItems is the number of items on which an answer must earn the top to be listed.
const oneTextItems = 3

// tooGood lists patterns that look too good, by split. Each may be legitimate: they are worth
// reading, and decide nothing.
func (c *evidence) tooGood(items []*collect.Item) []analysis.TooGood {
	out := []analysis.TooGood{}
	for _, split := range rollout.Splits() {
		var ofSplit []*collect.Item
		for _, it := range items {
			if it.Key().Split == split {
				ofSplit = append(ofSplit, it)
			}
		}
		for _, p := range []analysis.TooGood{c.allAtTop(ofSplit), c.withoutTools(ofSplit), c.oneText(ofSplit)} {
			if p.Count > 0 {
				p.Split = split
				out = append(out, p)
			}
		}
	}
	return out
}

var (
	everyAtTop      = message.New("grader.every_at_top", "{items} on which every rollout earns the top")
	topWithoutTools = message.New("grader.top_without_tools",
		"{items} on which a rollout earns the top without a tool call, where others made some")
	oneAnswer    = message.New("grader.one_answer", "one answer earns the top on {items}: {answer}")
	otherAnswers = message.New("grader.other_answers", "so do {answers} on {items} or more")
)

func countTooGood(p *analysis.TooGood) message.Args {
	return message.Args{"items": message.Count(p.Count, "item")}
}

func addTooGood(p *analysis.TooGood, id string) {
	p.Count++
	if len(p.Items) < analysis.MaxItemsListed {
		p.Items = append(p.Items, id)
	}
}

func (c *evidence) allAtTop(items []*collect.Item) analysis.TooGood {
	p := analysis.TooGood{Pattern: analysis.AtTop, Items: []string{}}
	for _, it := range items {
		if len(it.Rewards) > 1 && c.AtTop(it.Rewards[0]) {
			addTooGood(&p, it.ID)
		}
	}
	p.Note = everyAtTop.With(countTooGood(&p))
	return p
}

func (c *evidence) withoutTools(items []*collect.Item) analysis.TooGood {
	p := analysis.TooGood{Pattern: analysis.NoTools, Items: []string{}}
	for _, it := range items {
		used, without := false, false
		for _, r := range it.Rows {
			if r.Valid && r.Observed {
				used = used || len(r.Calls) > 0
				without = without || len(r.Calls) == 0 && c.AtTop(r.Reward)
			}
		}
		if used && without {
			addTooGood(&p, it.ID)
		}
	}
	p.Note = topWithoutTools.With(countTooGood(&p))
	return p
}

// oneText finds the answer that earns the top on most items. Short answers are left out: they are
// legitimately equal.
func (c *evidence) oneText(items []*collect.Item) analysis.TooGood {
	p := analysis.TooGood{Pattern: analysis.OneText, Items: []string{}}
	on := make(map[uint64][]string)
	var order []uint64
	for _, it := range items {
		for _, r := range it.Rows {
			if !r.Head || !c.AtTop(r.Reward) {
				continue
			}
			if _, seen := on[r.AnswerHash]; !seen {
				order = append(order, r.AnswerHash)
			}
			if ids := on[r.AnswerHash]; len(ids) == 0 || ids[len(ids)-1] != it.ID {
				on[r.AnswerHash] = append(ids, it.ID)
			}
		}
	}
	order = slices.DeleteFunc(order, func(h uint64) bool { return len(on[h]) < oneTextItems })
	if len(order) == 0 {
		return p
	}
	slices.SortFunc(order, func(a, b uint64) int {
		if d := len(on[b]) - len(on[a]); d != 0 {
			return d
		}
		return collect.CompareIDs(c.Head(a), c.Head(b))
	})
	for _, id := range on[order[0]] {
		addTooGood(&p, id)
	}
	args := countTooGood(&p)
	args["answer"] = message.Quote(c.Head(order[0]))
	p.Note = oneAnswer.With(args)
	if len(order) > 1 {
		p.Note = message.Clauses(p.Note,
			otherAnswers.With(message.Args{
				"answers": message.Count(len(order)-1, "other answer"),
				"items":   message.Count(oneTextItems, "item"),
			}))
	}
	return p
}
