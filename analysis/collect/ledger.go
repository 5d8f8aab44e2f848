package collect

import (
	"slices"

	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/prompt"
)

// ledger holds the rows of a run by item.
type ledger struct {
	items  map[ItemKey]*rowsOfItem
	order  []*rowsOfItem // as they first appeared
	last   *rowsOfItem   // that was asked for last: rollouts of an item are often together
	labels map[Labels]*Labels

	free      []Row // rows and calls are made many at a time
	freeCalls []Call
}

// rowsOfItem are the rows of one item, as they came.
type rowsOfItem struct {
	key         ItemKey
	asked       prompt.Identity // the first that a record shows
	differ      [2]string       // that one and another, in words; empty if there is no other
	rows, extra []*Row
	at          map[int]*Row // by sample, of an item with more than lookedThrough
}

// lookedThrough is how many rows are looked through for the one of a sample.
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

// labelsOf returns what a record says of its item, once for all that say the same; nil
// where it says nothing.
func (l *ledger) labelsOf(rec *rollout.Record) *Labels {
	said := Labels{Category: rec.Category, Family: rec.Family}
	if said == (Labels{}) {
		return nil
	}
	if l.labels[said] == nil {
		l.labels[said] = &said
	}
	return l.labels[said]
}

// of returns the rows of a rollout's item.
func (l *ledger) of(k rollout.Key) *rowsOfItem {
	key := ItemOf(k)
	if l.last != nil && l.last.key == key {
		return l.last
	}
	of := l.items[key]
	if of == nil {
		of = &rowsOfItem{key: key}
		l.items[key] = of
		l.order = append(l.order, of)
	}
	l.last = of
	return of
}

// row returns the row of a sample, extra or not; nil if there is none.
func (of *rowsOfItem) row(sample int) *Row {
	if of.at != nil {
		return of.at[sample]
	}
	for _, list := range [][]*Row{of.rows, of.extra} {
		for _, r := range list {
			if r.Key.Sample == sample {
				return r
			}
		}
	}
	return nil
}

// add adds the row of a sample that has none.
func (of *rowsOfItem) add(r *Row, extra bool) {
	if extra {
		of.extra = append(of.extra, r)
	} else {
		of.rows = append(of.rows, r)
	}
	if of.at != nil {
		of.at[r.Key.Sample] = r
		return
	}
	if len(of.rows)+len(of.extra) <= lookedThrough {
		return
	}
	of.at = make(map[int]*Row)
	for _, r := range slices.Concat(of.rows, of.extra) {
		of.at[r.Key.Sample] = r
	}
}
