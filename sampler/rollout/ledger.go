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
// takes some 200 bytes a rollout and none of its text.
type ledger struct {
	onConflict Conflict
	input      Input
	best       map[Key]*entry
	unnumbered map[itemKey]int // lines so far that did not say their sample
	ids        map[string]*idLines
}

// entry is one attempt of a rollout. The head of the list is the highest.
type entry struct {
	attempt int
	line    int
	hash    uint64
	held    bool // of KindUngraded: the record's grade was still to come
	older   *entry
}

type itemKey struct {
	split Split
	item  string
}

// idLines says where an id that is a whole number was first written as a
// number and as a string; 0 means nowhere.
type idLines struct{ number, text int }

func newLedger(onConflict Conflict) *ledger {
	return &ledger{
		onConflict: onConflict,
		input:      Input{Bad: []BadLine{}},
		best:       make(map[Key]*entry),
		unnumbered: make(map[itemKey]int),
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
	if !d.hasSample {
		k := itemKey{r.Split, r.Item}
		r.Sample = l.unnumbered[k]
		l.unnumbered[k]++
	}
	head := l.best[r.Key()]
	if old := head.find(r.Attempt); old != nil {
		return l.again(d, why, hash, old, old == head)
	}
	l.note(r.Line, why)
	e := &entry{attempt: r.Attempt, line: r.Line, hash: hash, held: r.Kind == KindUngraded}
	if head == nil {
		l.best[r.Key()] = e
		l.input.Records++
		return true, nil
	}
	l.input.Superseded++
	if e.attempt < head.attempt {
		e.older, head.older = head.older, e
		return false, nil
	}
	e.older = head
	l.best[r.Key()] = e
	return true, nil
}

// again books a line whose attempt was seen before.
func (l *ledger) again(d decoded, why string, hash uint64, old *entry, highest bool) (counts bool, err error) {
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
		old.line, old.hash, old.held = r.Line, hash, false
		return highest, nil
	}
	switch l.onConflict {
	case First:
		l.input.Conflicts++
		return false, nil
	case Last:
		l.input.Conflicts++
		l.note(r.Line, why)
		old.line, old.hash = r.Line, hash
		return highest, nil
	}
	return false, fmt.Errorf("split %s, item %q, sample %d, attempt %d differs from line %d: keep one of the two lines, or settle it with --on-conflict first or last",
		r.Split, r.Item, r.Sample, r.Attempt, old.line)
}

func (e *entry) find(attempt int) *entry {
	for ; e != nil; e = e.older {
		if e.attempt == attempt {
			return e
		}
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
		return fmt.Errorf("item %s is a number on line %d and the string %q on line %d: write every id the same way", d.rec.Item, seen.number, d.rec.Item, seen.text)
	}
	return nil
}
