package shift

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"gonogo/analysis/message"
)

// partner is a similar text with its score.
type partner struct {
	text  int
	score float64
}

// partners holds the nearest partner of one text by split, nil if there is none.
type partners map[int]partner

// add keeps the nearest partner of a split, the first of equally near ones.
func (p *partners) add(split int, other partner) {
	if *p == nil {
		*p = partners{}
	}
	current, ok := (*p)[split]
	if !ok || other.score > current.score || other.score == current.score && other.text < current.text {
		(*p)[split] = other
	}
}

// A text with fewer n-grams of its own than fewestGrams, or less than leastOwn of its n-grams, is
// too small to recognize a copy: it may be a name in a template.
const (
	fewestGrams = 16
	leastOwn    = 0.25
)

// mostWork limits how often two texts are found to share an n-gram.
const mostWork = 6e8

// verified is the number of candidates in each split that are compared exactly for each text.
const verified = 6

// alike finds, for every text, the nearest other text in each split.
//
// Note: bands of MinHash values, the usual LSH, only find texts with a high Jaccard index and miss
// a short text inside a long one. Here the n-grams with the smallest hashes of each text are looked
// up among all n-grams of every other text, which estimates the containment. A Jaccard index of at
// least j implies a containment of at least 2j/(1+j), so both are found.
func (s *leakSearch) alike(found *Leakage) {
	s.near, s.swap = make([]partners, len(s.texts)), make([]partners, len(s.texts))
	s.countGrams()
	common := s.known.affordable(len(s.texts))
	if common < s.known.limit {
		found.Note = boundedGrams.With(message.Args{"rows": countRows(int(common))})
	}
	x := s.sketches(common)
	need := s.needed()
	workers := make([]*seeker, runtime.GOMAXPROCS(0))
	for w := range workers {
		workers[w] = &seeker{s: s, x: x, common: common, need: need, hits: make([]uint16, len(s.texts))}
	}
	results := make([][]nearPair, len(s.texts))
	inParallel(len(s.texts), func(w, i int) { results[i] = workers[w].seek(i) })
	for i, list := range results {
		for _, p := range list {
			for _, split := range s.splitsOf(p.other) {
				s.near[i].add(split, partner{p.other, p.score})
			}
			for _, split := range s.splitsOf(i) {
				s.near[p.other].add(split, partner{i, p.score})
			}
		}
	}
	s.swapped()
}

// needed returns, for each text, how many n-grams of its sketch another text must contain to be
// compared exactly. Half of them are expected at the threshold: the bound is four standard
// deviations lower, so that little is missed.
func (s *leakSearch) needed() []uint16 {
	share := max(0.1, nearFrom-4*0.5/math.Sqrt(sketchSize))
	need := make([]uint16, len(s.texts))
	for i := range s.texts {
		need[i] = uint16(math.Ceil(share * float64(s.texts[i].sketch)))
	}
	return need
}

// splitsOf lists the splits that contain a text, ascending.
func (s *leakSearch) splitsOf(text int) []int {
	var list []int
	for _, row := range s.texts[text].rows {
		if !slices.Contains(list, s.split[row]) {
			list = append(list, s.split[row])
		}
	}
	slices.Sort(list)
	return list
}

// countGrams counts how many texts contain each n-gram.
func (s *leakSearch) countGrams() {
	bytes := 0
	for i := range s.texts {
		bytes += len(s.texts[i].normal)
	}
	grams := make([]gramSet, runtime.GOMAXPROCS(0))
	s.known = newCommon(bytes, s.limit)
	inParallel(len(s.texts), func(w, i int) { s.known.add(grams[w].of(s.texts[i].normal)) })
}

// sketches indexes the sketch of each text, without n-grams in more than common texts.
func (s *leakSearch) sketches(common uint16) *index {
	grams := make([]gramSet, runtime.GOMAXPROCS(0))
	room := 0
	for i := range s.texts {
		if n := len(s.texts[i].normal); n >= fewestGrams { // else the text is light
			room += min(n, sketchSize)
		}
	}
	x := newIndex(len(s.texts), room)
	inParallel(len(s.texts), func(w, i int) {
		t := &s.texts[i]
		all := grams[w].of(t.normal)
		total := len(all)
		own := s.known.upTo(all, s.known.limit)
		t.weight = len(own)
		t.light = t.weight < fewestGrams || float64(t.weight) < leastOwn*float64(total)
		if !t.light {
			kept := sketch(s.known.upTo(own, common))
			t.sketch = len(kept)
			x.add(i, kept)
		}
	})
	x.settle()
	return x
}

// seeker searches for texts contained in others; each worker has one.
type seeker struct {
	s      *leakSearch
	x      *index
	common uint16
	need   []uint16 // by text, the number of hits from which it is compared exactly
	hits   []uint16 // by text, the n-grams of its sketch in the current text
	hit    []int32  // the texts with hits
	grams  gramSet
	others gramSet
}

type nearPair struct {
	other int
	score float64
}

// seek returns the texts that are near text i, verified exactly.
func (k *seeker) seek(i int) []nearPair {
	t := &k.s.texts[i]
	if t.light || t.sketch == 0 {
		return nil
	}
	all := k.grams.of(t.normal)
	for _, gram := range all {
		if k.s.known.count(gram) > k.common {
			continue
		}
		for _, entry := range k.x.near(gram) {
			other := k.x.text(entry)
			if k.hits[other] == 0 {
				k.hit = append(k.hit, other)
			}
			k.hits[other]++
		}
	}
	var out []nearPair
	for _, other := range k.candidates(i) {
		if score := k.score(i, other); score >= nearFrom {
			out = append(out, nearPair{other, score})
		}
	}
	return out
}

// candidates lists the texts most of whose sketch is in the current text, a few from each split,
// and clears the hits.
func (k *seeker) candidates(i int) []int {
	type candidate struct {
		text  int
		share float64
	}
	var list []candidate
	for _, other := range k.hit {
		hits := k.hits[other]
		k.hits[other] = 0
		if hits < k.need[other] || int(other) == i || k.s.texts[other].attached != k.s.texts[i].attached {
			continue
		}
		list = append(list, candidate{int(other), float64(hits) / float64(k.s.texts[other].sketch)})
	}
	k.hit = k.hit[:0]
	slices.SortFunc(list,
		func(a, b candidate) int { return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.text, b.text)) })
	taken := make([]int, len(k.s.splits))
	var out []int
	for _, c := range list {
		wanted := false
		for _, split := range k.s.splitsOf(c.text) {
			wanted = wanted || taken[split] < verified
			taken[split]++
		}
		if wanted {
			out = append(out, c.text)
		}
	}
	return out
}

// A text that is muchLonger times as long as another one contains part of it by chance, and must
// contain mostOfIt.
const (
	muchLonger = 8
	mostOfIt   = 0.8
)

// score returns the containment of the shorter text in the longer one, which is never below their
// Jaccard index, over the n-grams with weight; 0 if chance explains it. k.grams must hold the
// n-grams of text i.
func (k *seeker) score(i, other int) float64 {
	shared := 0
	for _, gram := range k.others.of(k.s.texts[other].normal) {
		if k.s.known.weighs(gram) && k.grams.has(gram) {
			shared++
		}
	}
	a, b := k.s.texts[i].weight, k.s.texts[other].weight
	score := float64(shared) / float64(min(a, b))
	if max(a, b) > muchLonger*min(a, b) && score < mostOfIt {
		return 0
	}
	return score
}
