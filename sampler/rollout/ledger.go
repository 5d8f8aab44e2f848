package rollout

import "fmt"

// Conflict says what to do with lines that differ but have the same split, item, sample and attempt.
type Conflict string

// The ways to settle a conflict. The zero Conflict is Refuse.
const (
	Refuse Conflict = "refuse" // an error that names both lines
	First  Conflict = "first"  // the earlier line counts
	Last   Conflict = "last"   // the later line counts
)

func (c Conflict) check() error {
	switch c {
	case "", Refuse, First, Last:
		return nil
	}
	return fmt.Errorf("unknown way %q to settle conflicting rollouts: use %s, %s or %s", string(c), Refuse, First, Last)
}

// ledger remembers which rollouts were seen, so each counts once. It
// takes some 80 bytes a rollout and none of its text.
type ledger struct {
	onConflict Conflict
	input      Input
	items      []itemLines
	at         map[itemKey]int // in items
	last       int             // that was asked for last: rollouts of an item are often together
	best       map[place]entry // the highest attempt
	older      []entry         // the others
	ids        map[string]*idLines
}

// itemLines are the lines of an item.
type itemLines struct {
	itemKey
	unnumbered int // so far that did not say their sample
}

// place is a rollout: an index of items, and a sample.
type place struct{ item, sample int }

// entry is one attempt of a rollout. The head of the list is the highest.
type entry struct {
	hash    uint64
	line    int
	attempt int
	older   int32 // an index of ledger.older, plus one; 0 if there is none
	held    bool  // of KindUngraded: the record's grade was still to come
}

type itemKey struct {
	split Split
	item  string
	step  int
}

// idLines says where an id that is a whole number was first written as a
// number and as a string; 0 means nowhere.
type idLines struct{ number, text int }

func newLedger(onConflict Conflict) *ledger {
	return &ledger{
		onConflict: onConflict,
		input:      Input{Bad: []BadLine{}},
		at:         make(map[itemKey]int),
		best:       make(map[place]entry),
		ids:        make(map[string]*idLines),
	}
}

func (l *ledger) takeResult(res *result) (counts bool, err error) {
	return l.take(res.decoded, res.why, res.hash)
}

// take books one line and reports whether its record counts, as far as the
// lines up to here show. hash is that of the trimmed line.
func (l *ledger) take(d decoded, why string, hash uint64) (counts bool, err error) {
	r := d.rec
	if err := l.checkID(d); err != nil {
		return false, err
	}
	item := l.item(itemKey{r.Split, r.Item, r.Step})
	of := &l.items[item]
	r.Split, r.Item = of.split, of.item // one text for all
	if !d.hasSample {
		r.Sample = of.unnumbered
		of.unnumbered++
	}
	at := place{item, r.Sample}
	head, seen := l.best[at]
	if seen && head.attempt == r.Attempt {
		counts, err = l.again(d, why, hash, &head)
		l.best[at] = head
		return counts, err
	}
	if old := l.find(head.older, r.Attempt); old != nil {
		_, err = l.again(d, why, hash, old)
		return false, err
	}
	l.note(r.Line, why)
	e := entry{attempt: r.Attempt, line: r.Line, hash: hash, held: r.Kind == KindUngraded}
	if !seen {
		l.best[at] = e
		l.input.Records++
		return true, nil
	}
	l.input.Superseded++
	if e.attempt < head.attempt {
		head.older = l.keep(e, head.older)
		l.best[at] = head
		return false, nil
	}
	r.Replaces, e.older = head.line, l.keep(head, head.older)
	l.best[at] = e
	return true, nil
}

// item returns the index of an item.
func (l *ledger) item(k itemKey) int {
	if l.last < len(l.items) && l.items[l.last].itemKey == k {
		return l.last
	}
	i, there := l.at[k]
	if !there {
		i = len(l.items)
		l.items = append(l.items, itemLines{itemKey: k})
		l.at[k] = i
	}
	l.last = i
	return i
}

// again books a line whose attempt was seen before. It counts if that is the highest.
func (l *ledger) again(d decoded, why string, hash uint64, old *entry) (counts bool, err error) {
	r := d.rec
	if d.hasSample && hash == old.hash {
		l.input.Duplicates++
		return false, nil
	}
	switch held := r.Kind == KindUngraded; {
	case held && !old.held: // of a grade that came
		l.input.Superseded++
		return false, nil
	case old.held && !held:
		l.input.Superseded++
		l.note(r.Line, why)
		r.Replaces, old.line, old.hash, old.held = old.line, r.Line, hash, false
		return true, nil
	}
	switch l.onConflict {
	case First:
		l.input.Conflicts++
		return false, nil
	case Last:
		l.input.Conflicts++
		l.note(r.Line, why)
		r.Replaces, old.line, old.hash = old.line, r.Line, hash
		return true, nil
	}
	return false, fmt.Errorf("split %s, item %q, sample %d, attempt %d differs from line %d: keep one of the two "+
		"lines, or settle it with --on-conflict first or last",
		r.Split, r.Item, r.Sample, r.Attempt, old.line)
}

// keep adds an attempt that is not the highest before the older ones.
func (l *ledger) keep(e entry, older int32) int32 {
	e.older = older
	l.older = append(l.older, e)
	return int32(len(l.older))
}

// find returns one of the attempts that are not the highest; nil if it is none of them.
func (l *ledger) find(older int32, attempt int) *entry {
	for older > 0 {
		e := &l.older[older-1]
		if e.attempt == attempt {
			return e
		}
		older = e.older
	}
	return nil
}

func (l *ledger) note(line int, why string) {
	if why != "" {
		l.input.Bad = append(l.input.Bad, BadLine{Line: line, Why: why})
	}
}

// checkID refuses the ids 7 and "7" in one file: it is unknown whether they
// are one item or two.
func (l *ledger) checkID(d decoded) error {
	if !wholeNumber([]byte(d.rec.Item)) {
		return nil
	}
	seen := l.ids[d.rec.Item]
	if seen == nil {
		seen = new(idLines)
		l.ids[d.rec.Item] = seen
	}
	first := &seen.text
	if d.itemNumber {
		first = &seen.number
	}
	if *first == 0 {
		*first = d.rec.Line
	}
	if seen.number != 0 && seen.text != 0 {
		return fmt.Errorf("item %s is a number on line %d and the string %q on line %d: write every id the same way",
			d.rec.Item, seen.number, d.rec.Item, seen.text)
	}
	return nil
}
