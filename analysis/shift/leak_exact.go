package shift

import "sync"

// inParallel calls do for 0 … n-1, shared among workers by blocks. Worker w of
// all calls do with itself as the first argument.
func inParallel(workers, n int, do func(worker, i int)) {
	const block = 64
	blocks := make(chan int)
	var wait sync.WaitGroup
	for w := range max(1, min(workers, (n+block-1)/block)) {
		wait.Go(func() {
			for from := range blocks {
				for i := from; i < min(from+block, n); i++ {
					do(w, i)
				}
			}
		})
	}
	for from := 0; from < n; from += block {
		blocks <- from
	}
	close(blocks)
	wait.Wait()
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
				s.exactIn(found, &seen, len(rows), row, split)
			}
			seen.add(s, row)
		}
	}
}

// exactIn looks among the rows before for one of a split. The same prompt under
// other fields and another reference is another task: what tools and grader are
// handed differs. Where many rows share the prompt it is a template.
func (s *leakSearch) exactIn(found *Leakage, seen *firsts, group, row, split int) {
	first, ok := seen.any[split]
	if !ok {
		return
	}
	kind := NearLeak
	reference := s.rows[row].Reference
	if same, ok := seen.context[slot{split, s.rows[row].Context}]; ok {
		first, kind = same, ExactLeak
	} else if same, ok := seen.reference[slot{split, referenceKey(reference)}]; ok && reference != "" {
		first, kind = same, ExactLeak
	} else if group > s.limit {
		return
	} else if reference == "" {
		kind = ExactLeak
	}
	pair := Pair{Kind: kind, A: first, B: row, Score: 1}
	switch {
	case split != s.split[row]:
		// The later split shows what it took from the earlier one.
		if s.split[row] < split {
			pair.A, pair.B = row, first
		}
		at := place{pair.B, s.split[pair.A]}
		if had, ok := s.copies[at]; !ok || had.Kind == NearLeak && kind == ExactLeak {
			s.copies[at] = pair
		}
	case kind == ExactLeak:
		found.Duplicates = append(found.Duplicates, pair)
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
