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
	"gonogo/report/table"
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

// traces are what each item's rollouts came to. They keep numbers alone: their memory
// grows with items × samples.
type traces struct {
	of map[itemOf][]trace
	at map[rollout.Key]int // in the list of its item
}

func (p *Page) newTraces() traces {
	t := traces{map[itemOf][]trace{}, map[rollout.Key]int{}}
	for split, items := range p.items {
		for _, it := range items[:min(len(items), block.MaxRows)] {
			t.of[itemOf{split, it.Item}] = nil
		}
	}
	return t
}

// add adds a rollout of an item that the page shows; the later one of two for the same
// sample counts.
func (t traces) add(r collect.Counted) {
	k := itemOf{r.Split, r.Item}
	list, shown := t.of[k]
	if !shown {
		return
	}
	one := trace{sample: r.Sample, calls: len(r.Calls), line: r.Line, outcome: r.Outcome, reward: r.Score}
	if i, again := t.at[r.Key()]; again {
		list[i] = one
		return
	}
	t.at[r.Key()] = len(list)
	t.of[k] = append(list, one)
}

// sorted are each item's rollouts in the order of their samples.
func (t traces) sorted() map[itemOf][]trace {
	for _, list := range t.of {
		slices.SortFunc(list, func(a, b trace) int { return cmp.Compare(a.sample, b.sample) })
	}
	return t.of
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
	if _, err := p.surveyed(); err != nil && !errors.Is(err, table.ErrNoRollouts) {
		return nil, fmt.Errorf("read the rollouts behind the report: %w", err)
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
