package collect

import (
	"slices"

	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/prompt"
)

// ledger holds the rows of a run by item.
type ledger struct {
	items  map[ItemKey]*rowsOfItem
	order  []*rowsOfItem // in order of first appearance
	last   *rowsOfItem   // the last item asked for: rollouts of an item are often together
	labels map[Labels]*Labels

	free      []Row // rows and calls are allocated in batches
	freeCalls []Call
}

// rowsOfItem holds the rows of one item, in order of arrival.
type rowsOfItem struct {
	key         ItemKey
	asked       prompt.Identity // the first recorded prompt
	differ      [2]string       // that prompt and a different one, in words; empty if there is none
	rows, extra []*Row
	at          map[int]*Row // by sample, for an item with more than lookedThrough rows
}

// lookedThrough is the maximum number of rows searched linearly for a sample.
const lookedThrough = 32

func newLedger() ledger {
	return ledger{items: make(map[ItemKey]*rowsOfItem), labels: make(map[Labels]*Labels)}
}

// blank returns a row to be filled in.
func (l *ledger) blank() *Row {
	if len(l.free) == 0 {
		l.free = make([]Row, 64)
	}
	r := &l.free[0]
	l.free = l.free[1:]
	return r
}

// calls returns an empty list with room for n calls.
func (l *ledger) calls(n int) []Call {
	if n == 0 {
		return nil
	}
	if n > len(l.freeCalls) {
		l.freeCalls = make([]Call, max(n, 512))
	}
	list := l.freeCalls[:0:n]
	l.freeCalls = l.freeCalls[n:]
	return list
}

// labelsOf returns the labels of a record, shared by all records with the same labels; nil if it
// has none.
func (l *ledger) labelsOf(rec *rollout.Record) *Labels {
	labels := Labels{Category: rec.Category, Family: rec.Family}
	if labels == (Labels{}) {
		return nil
	}
	if l.labels[labels] == nil {
		l.labels[labels] = &labels
	}
	return l.labels[labels]
}

// of returns the rows of a rollout's item.
func (l *ledger) of(k rollout.Key) *rowsOfItem {
	key := ItemOf(k)
	if l.last != nil && l.last.key == key {
		return l.last
	}
	rows := l.items[key]
	if rows == nil {
		rows = &rowsOfItem{key: key}
		l.items[key] = rows
		l.order = append(l.order, rows)
	}
	l.last = rows
	return rows
}

// row returns the row of a sample, extra or not; nil if there is none.
func (of *rowsOfItem) row(sample int) *Row {
	if of.at != nil {
		return of.at[sample]
	}
	for _, list := range [][]*Row{of.rows, of.extra} {
		for _, r := range list {
			if r.Sample == sample {
				return r
			}
		}
	}
	return nil
}

// add adds the row of a sample that does not have one yet.
func (of *rowsOfItem) add(r *Row, extra bool) {
	if extra {
		of.extra = append(of.extra, r)
	} else {
		of.rows = append(of.rows, r)
	}
	if of.at != nil {
		of.at[r.Sample] = r
		return
	}
	if len(of.rows)+len(of.extra) <= lookedThrough {
		return
	}
	of.at = make(map[int]*Row)
	for _, r := range slices.Concat(of.rows, of.extra) {
		of.at[r.Sample] = r
	}
}
