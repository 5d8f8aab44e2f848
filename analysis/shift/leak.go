package shift

import "gonogo/analysis/message"

// Entry is one data point as plain text, for the search for leakage, conflicts and degenerate rows.
type Entry struct {
	ID        string
	Split     string
	Prompt    string   // everything that the model is shown
	Reference string   // the right answer; "" if there is none
	Accepted  []string // further right answers
	Family    string   // declared cluster, such as a document or a repository; "" if there is none
	Attached  string   // what the prompt holds besides text, in any form: rows that differ in it are not copies
	Context   string   // anything else by which tools or grader may distinguish rows, in any form
}

const (
	nearFrom      = 0.5  // Jaccard index or containment of n-grams from which two texts are near
	templateShare = 0.05 // n-grams in more than this share of the rows have no weight
)

// LeakKind says how similar two rows of different splits are.
type LeakKind string

// The kinds of leaks, the most certain first.
const (
	ExactLeak   LeakKind = "exact"   // the same prompt after normalization
	FamilyLeak  LeakKind = "family"  // the same declared family
	SwappedLeak LeakKind = "swapped" // the same except for numbers or names
	NearLeak    LeakKind = "near"    // most n-grams shared
)

// Pair is two rows that are too similar, by their indices in the list of rows. A comes before B, or
// is in the split that came first.
type Pair struct {
	Kind  LeakKind
	A, B  int
	Score float64 // for exact and family 1; else the share of the shorter one's n-grams that the other contains
}

// Crossing summarizes what two splits share. Of near and swapped copies each row of B counts with
// its nearest row of A.
type Crossing struct {
	A, B         string
	RowsA, RowsB int
	// rows of B with such a copy in A, each row once under its most certain kind other than family
	Exact, Family, Swapped, Near int
	Both                         int          // rows counted in both Exact and Family
	Families                     int          // families in both
	Note                         message.Text // why something does not count; empty if everything does
}

// Leakage holds the copies, conflicts and flaws found among rows.
type Leakage struct {
	Pairs      []Pair     // between splits, in the order of splits, then of B
	Crossings  []Crossing // every pair of splits
	Duplicates []Pair     // within a split: each row with the first that it repeats
	Conflicts  []Conflict
	Flaws      []Flaw
	Answers    []int        // rows whose prompt holds their reference
	Answerable int          // rows for which that can be checked
	Note       message.Text // what was left out to limit the time; empty if nothing
}

// Leaks searches for copies between and within splits, for conflicts and for degenerate rows. The
// splits are ordered by their first row. The answer depends only on the rows and their order.
//
// Time grows with the text, and with the pairs of rows that share n-grams which are not part of a
// template; memory with the rows and their text.
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

// leakSearch holds the state of the search.
type leakSearch struct {
	rows   []Entry
	splits []string
	split  []int // of each row
	size   []int // rows of each split
	limit  int   // what occurs in more rows than this is a template
	vague  bool  // many rows share a prompt and differ in the rest: the prompt alone is not the task

	texts  []text // distinct ones, in order of first appearance
	textOf []int  // of each row; -1 for blank rows
	known  *common
	copies map[place]Pair // exact copies, for rows that have one
	near   []partners     // of each text, by near n-grams
	swap   []partners     // of each text, by skeleton
}

// place is a row, and a split in which it has a copy.
type place struct{ row, split int }

// text is one distinct prompt.
type text struct {
	normal   string
	attached string
	skeleton uint64 // hash of the text without numbers and names
	slots    uint64 // hash of the numbers and names
	words    int    // words in the skeleton
	content  uint64 // hash of the words that carry content; 0 if they are too few
	rows     []int
	weight   int  // number of distinct n-grams with weight
	sketch   int  // number of these in the sketch
	light    bool // too few n-grams have weight to recognize a copy
}

// fewestTemplate prevents pairs and triples in small files from counting as templates.
const fewestTemplate = 3

// newLeakSearch normalizes the prompts and groups equal ones.
func newLeakSearch(rows []Entry) *leakSearch {
	s := &leakSearch{
		rows: rows, split: make([]int, len(rows)), textOf: make([]int, len(rows)),
		copies: map[place]Pair{},
	}
	s.limit = max(fewestTemplate, int(templateShare*float64(len(rows))))
	index := map[string]int{}
	for i := range rows {
		split, ok := index[rows[i].Split]
		if !ok {
			split = len(s.splits)
			index[rows[i].Split] = split
			s.splits, s.size = append(s.splits, rows[i].Split), append(s.size, 0)
		}
		s.split[i] = split
		s.size[split]++
	}
	s.gather()
	return s
}

// gather finds the distinct prompts and their components.
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
		index, ok := known[key]
		if !ok {
			index = len(s.texts)
			known[key] = index
			s.texts = append(s.texts, text{normal: normal, attached: s.rows[i].Attached})
		}
		s.texts[index].rows = append(s.texts[index].rows, i)
		s.textOf[i] = index
	}
	s.vague = s.sharing() > max(s.limit, int(mostSharing*float64(len(s.rows))))
	inParallel(len(s.texts), func(_, i int) {
		t := &s.texts[i]
		list := tokens(s.rows[t.rows[0]].Prompt)
		t.skeleton, t.slots, t.words = skeletonOf(list)
		t.content = content(list)
	})
}

// mostSharing is the share of rows up to which an equal prompt counts as a copy, whatever else the
// row contains.
const mostSharing = 0.1

// sharing counts the rows whose prompt also occurs with other fields and another reference.
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

// firsts holds the first of the rows of one prompt in each split, by the row's other contents.
type firsts struct {
	any       map[int]int
	context   map[slot]int
	reference map[slot]int
}

type slot struct {
	split int
	value string
}

// exact pairs rows with the same prompt.
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

// exactIn searches the earlier rows for one in a split. If many rows share prompts and differ in
// what tools and grader receive, the prompt alone is not the task: a copy must then share the other
// fields or the reference.
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
	// Attribute the copy to the later split, which took it from the earlier one.
	if s.split[row] < split {
		pair.A, pair.B = row, first
	}
	if _, known := s.copies[place{pair.B, s.split[pair.A]}]; !known {
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

// keep stores the first row of a key.
func keep[K comparable](m map[K]int, key K, row int) {
	if _, ok := m[key]; !ok {
		m[key] = row
	}
}
