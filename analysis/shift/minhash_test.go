package shift

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// The index finds the texts that a map would.
func TestIndexFindsTextsByTheirNgrams(t *testing.T) {
	rng := seeded(3)
	sketches, want := make([][]uint64, 300), make(map[uint64][]int32)
	for text := range sketches {
		for range rng.IntN(20) {
			gram := mix(uint64(rng.IntN(500)))
			if !slices.Contains(sketches[text], gram) {
				sketches[text] = append(sketches[text], gram)
				want[gram] = append(want[gram], int32(text))
			}
		}
	}
	x := newIndex(len(sketches), 0)
	for text, sketch := range sketches {
		x.add(text, sketch)
	}
	x.settle()
	for i := range uint64(1000) {
		var got []int32
		for _, entry := range x.near(mix(i)) {
			got = append(got, x.text(entry))
		}
		if !slices.Equal(got, want[mix(i)]) {
			t.Errorf("n-gram %d is in %v, want %v", i, got, want[mix(i)])
		}
	}
	empty := newIndex(0, 0)
	empty.settle()
	if found := empty.near(7); len(found) > 0 {
		t.Errorf("an empty index has %v", found)
	}
}

// Counts do not depend on the number of goroutines, and stop at the largest.
func TestCountsOfNgrams(t *testing.T) {
	c := newCommon(1, 100)
	often, rare := uint64(6), uint64(7) // neighbours share a word
	inParallel(70_000, func(_, i int) {
		c.add([]uint64{often})
		if i%1000 == 0 {
			c.add([]uint64{rare})
		}
	})
	if c.count(often) != mostCounted || c.count(rare) != 70 {
		t.Errorf("%d and %d, want %d and 70", c.count(often), c.count(rare), mostCounted)
	}
}

// Per row, the search keeps at most 64 n-grams and indexes them, in 10 to 12 bytes each. A list of them that
// grows takes several times as much.
func TestSketchesTakeLittleMemory(t *testing.T) {
	for _, c := range []struct {
		name     string
		n, words int
		most     uint64 // bytes a row
	}{{"40 words", 2000, 40, 1100}, {"2 words, too few to be indexed", 20_000, 2, 60}} {
		rng := seeded(4)
		rows := make([]Entry, c.n)
		for i := range rows {
			text := ""
			for range c.words {
				text += fmt.Sprintf("%x ", rng.Uint64()>>40)
			}
			rows[i] = Entry{ID: fmt.Sprint(i), Split: "train", Prompt: text}
		}
		s := newLeakSearch(rows)
		s.countGrams()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		x := s.sketches(s.known.affordable(len(s.texts)))
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(x)
		fixed := uint64(8 * len(x.maybe))
		if got := (after.TotalAlloc - before.TotalAlloc - fixed) / uint64(c.n); got > c.most {
			t.Errorf("%s: %d bytes a row, want at most %d", c.name, got, c.most)
		} else {
			t.Logf("%s: %d bytes a row", c.name, got)
		}
	}
}
