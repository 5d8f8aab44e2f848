package shift

import (
	"math"
	"slices"
	"sort"

	"gonogo/analysis/message"
)

// fewestWords is the number of words that a text must keep without numbers and names to be
// distinguishable from others.
const fewestWords = 5

// swapped finds texts that are the same except for numbers or names. A skeleton of many texts is a
// template and is ignored.
func (s *leakSearch) swapped() {
	groups := map[uint64][]int{}
	for i := range s.texts {
		if t := &s.texts[i]; t.words >= fewestWords {
			groups[t.skeleton] = append(groups[t.skeleton], i)
		}
	}
	for i := range s.texts {
		group := groups[s.texts[i].skeleton]
		if s.texts[i].words < fewestWords || len(group) < 2 || len(group) > s.limit {
			continue
		}
		for _, other := range group {
			if s.texts[other].slots == s.texts[i].slots || s.texts[other].attached != s.texts[i].attached {
				continue
			}
			for _, split := range s.splitsOf(other) {
				s.swap[i].add(split, partner{text: other, score: s.overlap(i, split, other)})
			}
		}
	}
}

// overlap returns the known similarity of the n-grams of two texts, else 0.
func (s *leakSearch) overlap(i, split, other int) float64 {
	if p, ok := s.near[i][split]; ok && p.text == other {
		return p.score
	}
	return 0
}

// cross determines the kind of each row of the later split of a pair, and counts them.
func (s *leakSearch) cross(found *Leakage) {
	for b := range s.splits {
		for a := range b {
			c := Crossing{A: s.splits[a], B: s.splits[b], RowsA: s.size[a], RowsB: s.size[b]}
			explained := s.explained(&c, a, b)
			for row := range s.rows {
				if s.split[row] != b {
					continue
				}
				if pair, ok := s.nearest(row, a, explained); ok {
					c.count(pair.Kind)
					found.Pairs = append(found.Pairs, pair)
				}
			}
			s.family(found, &c, a, b)
			found.Crossings = append(found.Crossings, c)
		}
	}
	s.within(found)
}

func (c *Crossing) count(kind LeakKind) {
	switch kind {
	case ExactLeak:
		c.Exact++
	case SwappedLeak:
		c.Swapped++
	case NearLeak:
		c.Near++
	}
}

// nearest returns the copy of a row in another split, the most certain kind first.
func (s *leakSearch) nearest(row, split int, explained bool) (Pair, bool) {
	if copied, ok := s.copies[place{row, split}]; ok {
		return copied, true
	}
	text := s.textOf[row]
	if text < 0 {
		return Pair{}, false
	}
	if p, ok := s.swap[text][split]; ok && !explained {
		return Pair{SwappedLeak, s.rowIn(p.text, split), row, p.score}, true
	}
	if p, ok := s.near[text][split]; ok && !(explained && s.texts[p.text].skeleton == s.texts[text].skeleton) {
		return Pair{NearLeak, s.rowIn(p.text, split), row, p.score}, true
	}
	return Pair{}, false
}

// rowIn returns the first row of a text in a split.
func (s *leakSearch) rowIn(text, split int) int {
	index := slices.IndexFunc(s.texts[text].rows, func(row int) bool { return s.split[row] == split })
	return s.texts[text].rows[index]
}

// explained reports whether the data itself explains swapped copies between two splits: they are as
// frequent, within chance, among the rows of the first split. Data written from templates has them
// everywhere.
func (s *leakSearch) explained(c *Crossing, a, b int) bool {
	within, across := s.swaps(a, a), s.swaps(b, a)
	if within == 0 || across == 0 {
		return false
	}
	rate := float64(within) / float64(s.size[a])
	expected := rate * float64(s.size[b])
	if float64(across) > expected+3*math.Sqrt(expected) {
		return false
	}
	c.Note = templates.With(message.Args{"split": message.Name(c.A)})
	return true
}

// swaps counts the rows of one split that have a swapped copy in another, or in the same one.
func (s *leakSearch) swaps(split, in int) int {
	n := 0
	for row := range s.rows {
		if text := s.textOf[row]; s.split[row] == split && text >= 0 {
			if _, ok := s.swap[text][in]; ok {
				n++
			}
		}
	}
	return n
}

// within lists the rows that nearly repeat an earlier row of their split.
func (s *leakSearch) within(found *Leakage) {
	repeated := map[int]bool{}
	for _, p := range found.Duplicates {
		repeated[p.B] = true
	}
	found.Duplicates = onlyFirst(found.Duplicates)
	for row := range s.rows {
		text := s.textOf[row]
		if text < 0 || repeated[row] {
			continue
		}
		if _, swapped := s.swap[text][s.split[row]]; swapped {
			continue
		}
		p, ok := s.near[text][s.split[row]]
		if !ok {
			continue
		}
		if other := s.rowIn(p.text, s.split[row]); other < row {
			found.Duplicates = append(found.Duplicates, Pair{NearLeak, other, row, p.score})
		}
	}
	sort.Slice(found.Duplicates, func(i, j int) bool { return found.Duplicates[i].B < found.Duplicates[j].B })
}

// onlyFirst keeps the first pair of each row.
func onlyFirst(list []Pair) []Pair {
	seen := map[int]bool{}
	return slices.DeleteFunc(list, func(p Pair) bool {
		repeated := seen[p.B]
		seen[p.B] = true
		return repeated
	})
}

// family counts the declared families that two splits share, and lists one pair of rows per family.
func (s *leakSearch) family(found *Leakage, c *Crossing, a, b int) {
	copied := map[int]bool{}
	for _, p := range found.Pairs {
		if p.Kind == ExactLeak && s.split[p.A] == a {
			copied[p.B] = true
		}
	}
	first := map[string]int{}
	for row := range s.rows {
		if name := normalize(s.rows[row].Family); name != "" && s.split[row] == a {
			keep(first, name, row)
		}
	}
	shown := map[string]bool{}
	for row := range s.rows {
		name := normalize(s.rows[row].Family)
		if name == "" || s.split[row] != b {
			continue
		}
		other, shared := first[name]
		if !shared {
			continue
		}
		c.Family++
		if copied[row] {
			c.Both++
		}
		if !shown[name] {
			shown[name] = true
			c.Families++
			found.Pairs = append(found.Pairs, Pair{FamilyLeak, other, row, 1})
		}
	}
}
