package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// How many rollouts one page carries: of an item, and of all of them.
const (
	rolloutsOfItem = 100
	rolloutsInPage = 320_000
)

// trace is one rollout of an item, as far as the page shows it: the text is left where it
// lies.
type trace struct {
	sample, calls, line int
	reward              *float64 // nil when it is missing
	outcome             rollout.Outcome
}

// traces reads what each item's rollouts came to, in the order of their
// samples. It keeps numbers alone: its memory grows with items × samples.
func (p *Page) traces() (map[itemOf][]trace, error) {
	if p.Rollouts == nil {
		return nil, nil
	}
	of := map[itemOf][]trace{}
	for split, items := range p.items {
		for _, it := range items[:min(len(items), block.MaxRows)] {
			of[itemOf{split, it.Item}] = nil
		}
	}
	at := map[rollout.Key]int{}
	_, err := p.Rollouts(func(r collect.Counted) error {
		k := itemOf{r.Split, r.Item}
		list, shown := of[k]
		if !shown {
			return nil
		}
		t := trace{sample: r.Sample, calls: len(r.Calls), line: r.Line, outcome: r.Outcome, reward: r.Score}
		if i, again := at[r.Key()]; again {
			list[i] = t
			return nil
		}
		at[r.Key()] = len(list)
		of[k] = append(list, t)
		return nil
	})
	if err != nil && !errors.Is(err, rollout.ErrNoRecords) {
		return nil, fmt.Errorf("read the rollouts behind the report: %w", err)
	}
	for _, list := range of {
		slices.SortFunc(list, func(a, b trace) int { return cmp.Compare(a.sample, b.sample) })
	}
	return of, nil
}

// packed writes an item's rollouts as the script reads them, in few signs:
// samples, rewards, calls and lines, each joined by spaces, outcomes as one
// digit each, and how many more there are.
func packed(list []trace, most int) []string {
	more := ""
	if len(list) > most {
		list, more = list[:most], message.Whole(len(list)-most)
	}
	outcomes := rollout.Outcomes()
	columns := make([][]string, 4)
	var ends strings.Builder
	for _, t := range list {
		reward := "-"
		if t.reward != nil {
			reward = message.Digits(*t.reward)
		}
		for i, s := range []string{strconv.Itoa(t.sample), reward, strconv.Itoa(t.calls), strconv.Itoa(t.line)} {
			columns[i] = append(columns[i], s)
		}
		ends.WriteString(strconv.Itoa(max(0, slices.Index(outcomes, t.outcome))))
	}
	out := make([]string, 0, 6)
	for _, c := range columns {
		out = append(out, strings.Join(c, " "))
	}
	return append(out, ends.String(), more)
}

// tracesOf are the rollouts of the first n items of a split, as the page's data has
// them.
func (p *Page) tracesOf(split rollout.Split, n int) ([][]string, error) {
	if p.traced == nil {
		all, err := p.traces()
		if err != nil {
			return nil, err
		}
		p.traced = all
	}
	most := rolloutsShown(p)
	items := p.items[split]
	list := make([][]string, min(n, len(items)))
	for i := range list {
		list[i] = packed(p.traced[itemOf{split, items[i].Item}], most)
	}
	return list, nil
}

// rolloutsShown is how many rollouts of each item are in the page: all have to stay
// within rolloutsInPage.
func rolloutsShown(p *Page) int {
	items := 0
	for _, list := range p.items {
		items += min(len(list), block.MaxRows)
	}
	return max(1, min(rolloutsOfItem, rolloutsInPage/max(1, items)))
}
