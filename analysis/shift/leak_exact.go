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
