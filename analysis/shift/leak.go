package shift

import "gonogo/analysis/message"

// Entry is one data point as plain text: what leakage, conflicts and degenerate
// rows are looked for in.
type Entry struct {
	ID        string
	Split     string
	Prompt    string   // all that the model is shown
	Reference string   // the right answer; "" where there is none
	Accepted  []string // further right answers
	Family    string   // declared cluster, such as a document or a repository; "" where there is none
	Attached  string   // what the prompt holds besides text, in any form: rows with different ones are no copies
	Context   string   // what else tools or grader may tell rows apart by, in any form
}

const (
	nearFrom      = 0.5  // Jaccard index or containment of n-grams from which two texts are near
	templateShare = 0.05 // n-grams in more than this share of the rows weigh nothing
)

// LeakKind says how alike two rows of different splits are.
type LeakKind string

// The kinds of leaks, the surest first.
const (
	ExactLeak   LeakKind = "exact"   // the same prompt after normalization
	FamilyLeak  LeakKind = "family"  // the same declared family
	SwappedLeak LeakKind = "swapped" // the same but for numbers or names
	NearLeak    LeakKind = "near"    // most n-grams shared
)

// Pair is two rows that are too alike, by their places in the list of rows. A comes
// before B, or is in the split that came first.
type Pair struct {
	Kind  LeakKind
	A, B  int
	Score float64 // of exact and family 1; else the share of the shorter one's n-grams that the other holds
}

// Crossing sums up what two splits share. Of near and swapped copies each row
// of B shows its nearest row of A.
type Crossing struct {
	A, B         string
	RowsA, RowsB int
	// rows of B with such a one in A, each row once under the surest kind but family
	Exact, Family, Swapped, Near int
	Both                         int          // of Exact, those that Family has, too
	Families                     int          // families in both
	Note                         message.Text // why something does not count; none if all does
}

// Leakage is what was found among rows.
type Leakage struct {
	Pairs      []Pair     // between splits, in the order of splits, then of B
	Crossings  []Crossing // every pair of splits
	Duplicates []Pair     // within a split: each row with the first it repeats
	Conflicts  []Conflict
	Flaws      []Flaw
	Answers    []int        // rows whose prompt holds their reference
	Answerable int          // rows for which that can be checked
	Note       message.Text // what bounds of time left out; none if nothing
}

// Leaks looks for copies between and within splits, for conflicts and for
// degenerate rows. The splits are ordered by their first row. The answer
// depends only on the rows and their order.
//
// Time grows with the text, and with the pairs of rows that share n-grams which
// are no template; memory with the rows and their text.
func Leaks(rows []Entry) Leakage {
	s := newLeakSearch(rows)
	var found Leakage
	s.exact(&found)
	s.alike(&found)
	s.cross(&found)
	found.Conflicts = s.conflicts()
	found.Flaws = s.flaws()
	s.answers(&found)
	return found
}

// leakSearch holds what is known about rows while they are compared.
type leakSearch struct {
	rows   []Entry
	splits []string
	split  []int // of each row
	size   []int // rows of each split
	limit  int   // what occurs in more rows than this is a template
	vague  bool  // many rows share a prompt and differ in the rest: the prompt alone is not the task

	texts  []text // distinct ones, in order of first appearance
	textOf []int  // of each row; -1 of blank ones
	known  *common
	copies map[place]Pair // exact copies, of rows that have one
	near   []partners     // of each text, by near n-grams
	swap   []partners     // of each text, by skeleton
}

// place is a row, and a split in which it has something.
type place struct{ row, split int }

// text is one distinct prompt.
type text struct {
	normal   string
	attached string
	skeleton uint64 // hash of what is left without numbers and names
	slots    uint64 // hash of those
	words    int    // left in the skeleton
	content  uint64 // hash of the words that carry content; 0 if they are too few
	rows     []int
	weight   int  // distinct n-grams that weigh
	sketch   int  // of those, n-grams that stand for it
	light    bool // too little of it has weight to recognize a copy
}

// fewestTemplate keeps pairs and triples in small files from being templates.
const fewestTemplate = 3

// newLeakSearch normalizes the prompts and gathers equal ones.
func newLeakSearch(rows []Entry) *leakSearch {
	s := &leakSearch{
		rows: rows, split: make([]int, len(rows)), textOf: make([]int, len(rows)),
		copies: map[place]Pair{},
	}
	s.limit = max(fewestTemplate, int(templateShare*float64(len(rows))))
	index := map[string]int{}
	for i := range rows {
		at, ok := index[rows[i].Split]
		if !ok {
			at = len(s.splits)
			index[rows[i].Split] = at
			s.splits, s.size = append(s.splits, rows[i].Split), append(s.size, 0)
		}
		s.split[i] = at
		s.size[at]++
	}
	s.gather()
	return s
}

// gather finds the distinct prompts and what they are made of.
func (s *leakSearch) gather() {
	normals := make([]string, len(s.rows))
	inParallel(len(s.rows), func(_, i int) { normals[i] = normalize(s.rows[i].Prompt) })
	known := make(map[[2]string]int, len(s.rows))
	for i, normal := range normals {
		s.textOf[i] = -1
		if normal == "" && s.rows[i].Attached == "" {
			continue
		}
		key := [2]string{normal, s.rows[i].Attached}
		at, ok := known[key]
		if !ok {
			at = len(s.texts)
			known[key] = at
			s.texts = append(s.texts, text{normal: normal, attached: s.rows[i].Attached})
		}
		s.texts[at].rows = append(s.texts[at].rows, i)
		s.textOf[i] = at
	}
	s.vague = s.sharing() > max(s.limit, int(mostSharing*float64(len(s.rows))))
	inParallel(len(s.texts), func(_, i int) {
		t := &s.texts[i]
		list := tokens(s.rows[t.rows[0]].Prompt)
		t.skeleton, t.slots, t.words = skeletonOf(list)
		t.content = content(list)
	})
}

// mostSharing is the share of rows up to which an equal prompt is a copy,
// whatever else its row holds.
const mostSharing = 0.1

// sharing counts the rows whose prompt another row has with other fields and
// another reference.
func (s *leakSearch) sharing() int {
	n := 0
	for _, t := range s.texts {
		contexts, references := map[string]bool{}, map[string]bool{}
		for _, row := range t.rows {
			contexts[s.rows[row].Context] = true
			references[referenceKey(s.rows[row].Reference)] = true
		}
		if len(contexts) > 1 && (len(references) > 1 || s.rows[t.rows[0]].Reference == "") {
			n += len(t.rows)
		}
	}
	return n
}

// firsts finds, among rows of one prompt, the first of a split by what else it
// holds.
type firsts struct {
	any       map[int]int
	context   map[slot]int
	reference map[slot]int
}

type slot struct {
	split int
	value string
}

// exact pairs rows of the same prompt.
func (s *leakSearch) exact(found *Leakage) {
	for i := range s.texts {
		rows := s.texts[i].rows
		if len(rows) < 2 {
			continue
		}
		seen := firsts{map[int]int{}, map[slot]int{}, map[slot]int{}}
		for _, row := range rows {
			for split := range s.splits {
				s.exactIn(found, &seen, row, split)
			}
			seen.add(s, row)
		}
	}
}

// exactIn looks among the rows before for one of a split. Where many rows share
// prompts and differ in what tools and grader are handed, the prompt alone is
// not the task: then a copy has the other fields or the reference in common.
func (s *leakSearch) exactIn(found *Leakage, seen *firsts, row, split int) {
	first, ok := seen.any[split]
	if !ok {
		return
	}
	reference := s.rows[row].Reference
	if same, ok := seen.context[slot{split, s.rows[row].Context}]; ok {
		first = same
	} else if same, ok := seen.reference[slot{split, referenceKey(reference)}]; ok && reference != "" {
		first = same
	} else if s.vague {
		return
	}
	pair := Pair{Kind: ExactLeak, A: first, B: row, Score: 1}
	if split == s.split[row] {
		found.Duplicates = append(found.Duplicates, pair)
		return
	}
	// The later split shows what it took from the earlier one.
	if s.split[row] < split {
		pair.A, pair.B = row, first
	}
	if _, had := s.copies[place{pair.B, s.split[pair.A]}]; !had {
		s.copies[place{pair.B, s.split[pair.A]}] = pair
	}
}

func (f *firsts) add(s *leakSearch, row int) {
	split := s.split[row]
	keep(f.any, split, row)
	keep(f.context, slot{split, s.rows[row].Context}, row)
	if ref := s.rows[row].Reference; ref != "" {
		keep(f.reference, slot{split, referenceKey(ref)}, row)
	}
}

// keep remembers the first row of a key.
func keep[K comparable](m map[K]int, key K, row int) {
	if _, there := m[key]; !there {
		m[key] = row
	}
}
