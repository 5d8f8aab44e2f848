package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/report/block"
	"gonogo/report/table"
	"gonogo/sampler/rollout"
)

// The maximum numbers of rollouts in a page: of an item, and in total.
const (
	rolloutsOfItem = 100
	rolloutsInPage = 320_000
)

// trace is one rollout of an item as the page shows it; its text stays in the file.
type trace struct {
	sample, line int
	reward       float64
	calls        int32
	outcome      uint8 // an index of outcomes
	missing      bool  // there is no reward
}

// traces are the results of each item's rollouts. They contain only numbers: their memory grows
// with items × samples.
type traces map[itemOf]*[]trace

var outcomes = rollout.Outcomes()

func (p *RunPage) newTraces() traces {
	t := traces{}
	for split, items := range p.items {
		for _, it := range items[:min(len(items), block.MaxRows)] {
			t[itemOf{split, it.Item}] = new([]trace)
		}
	}
	return t
}

// add adds a rollout of an item that the page shows; of two rollouts for the same sample, the later
// counts.
func (t traces) add(r collect.Counted) {
	list := t[itemOf{r.Split, r.Item}]
	if list == nil {
		return
	}
	one := trace{
		sample: r.Sample, calls: int32(len(r.Calls)), line: r.Line,
		outcome: uint8(max(0, slices.Index(outcomes, r.Outcome))), missing: r.Score == nil,
	}
	if r.Score != nil {
		one.reward = *r.Score
	}
	if r.Replaces > 0 {
		if i := slices.IndexFunc(*list, func(t trace) bool { return t.sample == one.sample }); i >= 0 {
			(*list)[i] = one
			return
		}
	}
	*list = append(*list, one)
}

// sort orders each item's rollouts by sample.
func (t traces) sort() {
	for _, list := range t {
		slices.SortFunc(*list, func(a, b trace) int { return cmp.Compare(a.sample, b.sample) })
	}
}

// packed writes an item's rollouts compactly for the script: samples, rewards, calls and lines,
// each joined by spaces, outcomes as one digit each, and the number of further rollouts.
func packed(list []trace, most int) []string {
	more := ""
	if len(list) > most {
		list, more = list[:most], message.Whole(len(list)-most)
	}
	var samples, rewards, calls, lines, ends []byte
	for i, t := range list {
		if i > 0 {
			samples, rewards, calls, lines = append(samples, ' '), append(rewards, ' '), append(calls, ' '),
				append(lines, ' ')
		}
		samples = strconv.AppendInt(samples, int64(t.sample), 10)
		if t.missing {
			rewards = append(rewards, '-')
		} else {
			rewards = append(rewards, message.Digits(t.reward)...)
		}
		calls = strconv.AppendInt(calls, int64(t.calls), 10)
		lines = strconv.AppendInt(lines, int64(t.line), 10)
		ends = strconv.AppendInt(ends, int64(t.outcome), 10)
	}
	return []string{string(samples), string(rewards), string(calls), string(lines), string(ends), more}
}

// tracesOf returns the rollouts of the first n items of a split, as the page's data contains them.
func (p *RunPage) tracesOf(split rollout.Split, n int) ([][]string, error) {
	if _, err := p.surveyed(false); err != nil && !errors.Is(err, table.ErrNoRollouts) {
		return nil, fmt.Errorf("read the rollouts behind the report: %w", err)
	}
	most := rolloutsShown(p)
	items := p.items[split]
	list := make([][]string, min(n, len(items)))
	for i := range list {
		var of []trace
		if at := p.traced[itemOf{split, items[i].Item}]; at != nil {
			of = *at
		}
		list[i] = packed(of, most)
	}
	return list, nil
}

// rolloutsShown is the number of rollouts of each item in the page; in total they must not exceed
// rolloutsInPage.
func rolloutsShown(p *RunPage) int {
	items := 0
	for _, list := range p.items {
		items += min(len(list), block.MaxRows)
	}
	return max(1, min(rolloutsOfItem, rolloutsInPage/max(1, items)))
}
