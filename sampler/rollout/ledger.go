package rollout

import (
	"cmp"
	"fmt"
)

// Conflict says what to do with differing lines of the same split, item, sample and attempt.
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

// ledger remembers which rollouts were seen, so that each counts once. It takes some 40 bytes per
// rollout and keeps none of its text.
type ledger struct {
	onConflict Conflict
	input      Input
	items      []itemLines
	index      map[itemKey]int // index into items
	last       int             // index of the last lookup: rollouts of an item are often adjacent
	far        map[place]entry // heads of samples far beyond the others of their item
	older      []entry         // the other attempts
	ids        map[string]*idLines
	rewards    rewardLines
}

// itemLines is what is known about the lines of an item.
type itemLines struct {
	itemKey
	unnumbered int     // number of lines so far without a sample number
	heads      []entry // the highest attempt of each sample
}

// place identifies a rollout: an index into items, and a sample.
type place struct{ item, sample int }

// entry is one attempt of a rollout. The head of its list is the highest attempt.
type entry struct {
	hash    uint64
	line    int
	attempt int
	older   int32 // index into ledger.older, plus one; 0 if there is none
	held    bool  // of KindUngraded: the grade of the record was pending
	known   bool  // false for a sample without an attempt
}

type itemKey struct {
	split Split
	item  string
	step  int
}

// idLines holds the lines on which an id that is a whole number was first written as a number and
// as a string; 0 if it was not.
type idLines struct{ number, text int }

// rewardLines holds the lines with the first reward that is a number and the first that is true or
// false; 0 if there was none.
type rewardLines struct{ number, truth int }

// check returns an error for the first reward that is not written as those before it.
func (l *rewardLines) check(d decoded) error {
	first := &l.number
	switch {
	case d.rec.Reward == nil:
		return nil
	case d.truth:
		first = &l.truth
	}
	if *first == 0 {
		*first = d.rec.Line
	}
	if l.number != 0 && l.truth != 0 {
		return fmt.Errorf("%q is a number on line %d and true or false on line %d: write all rewards the same way",
			"reward", l.number, l.truth)
	}
	return nil
}

func newLedger(onConflict Conflict) *ledger {
	return &ledger{
		onConflict: onConflict,
		input:      Input{Bad: []BadLine{}},
		index:      make(map[itemKey]int),
		far:        make(map[place]entry),
		ids:        make(map[string]*idLines),
	}
}

func (l *ledger) takeResult(res *result) (counts bool, err error) {
	return l.take(res.decoded, res.why, res.hash)
}

// take records one line and reports whether its record counts, as far as the lines so far show.
// hash is the hash of the trimmed line.
func (l *ledger) take(d decoded, why string, hash uint64) (counts bool, err error) {
	r := d.rec
	if err := cmp.Or(l.checkID(d), l.rewards.check(d)); err != nil {
		return false, err
	}
	item := l.item(itemKey{r.Split, r.Item, r.Step})
	known := &l.items[item]
	r.Split, r.Item = known.split, known.item // share one copy of the text
	if !d.hasSample {
		r.Sample = known.unnumbered
		known.unnumbered++
	}
	p := place{item, r.Sample}
	head := l.head(p)
	seen := head.known
	if seen && head.attempt == r.Attempt {
		counts, err = l.again(d, why, hash, &head)
		l.setHead(p, head)
		return counts, err
	}
	if old := l.find(head.older, r.Attempt); old != nil {
		_, err = l.again(d, why, hash, old)
		return false, err
	}
	l.note(r.Line, why)
	e := entry{known: true, attempt: r.Attempt, line: r.Line, hash: hash, held: r.Kind == KindUngraded}
	if !seen {
		l.setHead(p, e)
		l.input.Records++
		return true, nil
	}
	l.input.Superseded++
	if e.attempt < head.attempt {
		head.older = l.keep(e, head.older)
		l.setHead(p, head)
		return false, nil
	}
	r.Replaces, e.older = head.line, l.keep(head, head.older)
	l.setHead(p, e)
	return true, nil
}

// head returns the highest attempt of a rollout; it is not known for a new one.
func (l *ledger) head(p place) entry {
	if heads := l.items[p.item].heads; p.sample < len(heads) && heads[p.sample].known {
		return heads[p.sample]
	}
	return l.far[p]
}

// setHead stores the highest attempt of a rollout: with its item's others, unless it is far beyond
// them.
func (l *ledger) setHead(p place, e entry) {
	const gap = 8
	known := &l.items[p.item]
	n := len(known.heads)
	if _, far := l.far[p]; far || p.sample > n+gap {
		l.far[p] = e
		return
	}
	if p.sample >= n {
		known.heads = append(known.heads, make([]entry, p.sample+1-n)...)
	}
	known.heads[p.sample] = e
}

// item returns the index of an item, which it adds if it is new.
func (l *ledger) item(k itemKey) int {
	if l.last < len(l.items) && l.items[l.last].itemKey == k {
		return l.last
	}
	i, ok := l.index[k]
	if !ok {
		i = len(l.items)
		l.items = append(l.items, itemLines{itemKey: k})
		l.index[k] = i
	}
	l.last = i
	return i
}

// again records a line whose attempt was seen before. It counts if that attempt is the highest.
func (l *ledger) again(d decoded, why string, hash uint64, old *entry) (counts bool, err error) {
	r := d.rec
	if d.hasSample && hash == old.hash {
		l.input.Duplicates++
		return false, nil
	}
	switch held := r.Kind == KindUngraded; {
	case held && !old.held: // the grade came before this line
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

// keep adds an attempt that is not the highest, in front of the older ones.
func (l *ledger) keep(e entry, older int32) int32 {
	e.older = older
	l.older = append(l.older, e)
	return int32(len(l.older))
}

// find returns the given attempt if it is one of the older ones, else nil.
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

// checkID rejects a file with the ids 7 and "7": it is unknown whether they are one item or two.
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
