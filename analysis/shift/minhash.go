package shift

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// gramLength is the number of characters of an n-gram.
const gramLength = 5

// gramSet collects the distinct n-grams of one text at a time.
type gramSet struct {
	list  []uint64 // in order of first appearance
	seen  []uint64 // open addressing: hash of the gram
	stamp []uint32 // the text that the slot belongs to
	now   uint32
}

// of returns the hashes of the n-grams of a normalized text. A text shorter than one n-gram is a
// single one. The slice is valid until the next call.
func (g *gramSet) of(text string) []uint64 {
	g.list = g.list[:0]
	g.room(len(text))
	mask := uint64(len(g.seen) - 1)
	add := func(h uint64) {
		for slot := h & mask; ; slot = (slot + 1) & mask {
			if g.stamp[slot] != g.now {
				g.stamp[slot], g.seen[slot] = g.now, h
				g.list = append(g.list, h)
				return
			}
			if g.seen[slot] == h {
				return
			}
		}
	}
	var gram window
	n := 0
	for _, r := range text {
		if gram.push(r); n < gramLength {
			n++
		}
		if n == gramLength {
			add(gram.hash())
		}
	}
	if n > 0 && n < gramLength {
		for range gramLength - n {
			gram.push(0)
		}
		add(gram.hash())
	}
	return g.list
}

// has reports whether the text of the last call of of contains an n-gram.
func (g *gramSet) has(h uint64) bool {
	mask := uint64(len(g.seen) - 1)
	for slot := h & mask; g.stamp[slot] == g.now; slot = (slot + 1) & mask {
		if g.seen[slot] == h {
			return true
		}
	}
	return false
}

// window holds the last five characters. A character has 21 bits, so that five do not fit into
// one word.
type window struct{ first, last uint64 } // three characters and two, the oldest in the lowest bits

func (w *window) push(r rune) {
	w.first = w.first>>21 | w.last&(1<<21-1)<<42
	w.last = w.last>>21 | uint64(r)<<21
}

func (w *window) hash() uint64 { return mix(mix(w.first) ^ w.last) }

// mix is the finalizer of splitmix64 (Steele, Lea, Flood 2014,
// 10.1145/2660193.2660195), a bijection on 64 bits.
func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// room makes the table at least twice as large as the number of n-grams.
func (g *gramSet) room(size int) {
	want := 64
	for want < 2*size {
		want *= 2
	}
	if len(g.seen) < want || g.now == 1<<32-1 {
		g.seen, g.stamp, g.now = make([]uint64, want), make([]uint32, want), 0
	}
	g.now++
}

// common counts how many texts contain each n-gram, in buckets by hash: a count may be too high
// because of collisions, but never too low.
type common struct {
	counts []atomic.Uint32 // two counts of 16 bits each
	limit  uint16          // n-grams of more texts than this have no weight
}

// mostCounted is the largest count.
const mostCounted = 1<<16 - 1

// newCommon makes buckets for texts with the given number of bytes in total.
func newCommon(bytes, limit int) *common {
	size := 1 << 16
	for size < 4*bytes && size < 1<<23 {
		size *= 2
	}
	return &common{counts: make([]atomic.Uint32, size/2), limit: uint16(min(limit, mostCounted-1))}
}

// bucket returns the word and the shift of an n-gram's count.
func (c *common) bucket(h uint64) (word *atomic.Uint32, shift uint) {
	slot := h & uint64(2*len(c.counts)-1)
	return &c.counts[slot/2], uint(slot%2) * 16
}

// add counts the n-grams of a text. Several goroutines may call it.
func (c *common) add(grams []uint64) {
	for _, h := range grams {
		word, shift := c.bucket(h)
		for {
			was := word.Load()
			if was>>shift&mostCounted == mostCounted || word.CompareAndSwap(was, was+1<<shift) {
				break
			}
		}
	}
}

func (c *common) count(h uint64) uint16 {
	word, shift := c.bucket(h)
	return uint16(word.Load() >> shift)
}

// weighs reports whether an n-gram has weight, because it is not part of a template.
func (c *common) weighs(h uint64) bool { return c.count(h) <= c.limit }

// upTo keeps, in place, the n-grams that occur in at most limit texts.
func (c *common) upTo(grams []uint64, limit uint16) []uint64 {
	return slices.DeleteFunc(grams, func(h uint64) bool { return c.count(h) > limit })
}

// affordable returns how common an n-gram may be so that looking up all of them stays within
// mostWork. An n-gram of n texts is in the sketches of about n·sketchSize/w of them, where w is
// their size, and is looked up n times.
func (c *common) affordable(texts int) uint16 {
	var buckets [mostCounted + 1]float64
	for i := range c.counts {
		n := c.counts[i].Load()
		buckets[n&mostCounted]++
		buckets[n>>16]++
	}
	grams, squares := 0.0, 0.0
	for n := 1; n <= int(c.limit); n++ {
		grams += buckets[n] * float64(n)
		squares += buckets[n] * float64(n) * float64(n)
		size := max(grams/float64(max(texts, 1)), sketchSize)
		if squares*sketchSize/size > mostWork {
			return uint16(max(n-1, fewestTemplate))
		}
	}
	return c.limit
}

// sketchSize is the number of n-grams in the sketch of a text. At a containment of one half, 32 ± 4
// of 64 are found.
const sketchSize = 64

// sketch returns the n-grams with the smallest hashes: a random subset, the same for the same text
// (bottom-k MinHash: Broder 1997, On the resemblance and containment of documents,
// 10.1109/SEQUEN.1997.666900). It sorts grams.
func sketch(grams []uint64) []uint64 {
	if len(grams) > 4*sketchSize { // hashes are uniform: sorting the low end is enough
		limit := ^uint64(0) / uint64(len(grams)) * (2 * sketchSize)
		if low := below(grams, limit); low >= sketchSize {
			grams = grams[:low]
		}
	}
	slices.Sort(grams)
	return grams[:min(len(grams), sketchSize)]
}

// below moves the hashes below a limit to the front and counts them.
func below(grams []uint64, limit uint64) int {
	n := 0
	for i, h := range grams {
		if h < limit {
			grams[n], grams[i] = h, grams[n]
			n++
		}
	}
	return n
}

// index finds the texts whose sketches contain an n-gram. It compares only the lowest bits of hashes,
// mostly 40: a text is compared exactly before it counts as near.
type index struct {
	mu       sync.Mutex // guards entries until settle
	entries  []uint64   // these bits above the number of the text, from 1, ascending
	textBits int
	start    []int32  // where the entries with the same highest bits start, and the end
	highest  int      // 64 minus the number of these bits
	maybe    []uint64 // a bit for each n-gram in the index, by its high bits
}

// newIndex returns an index of n texts with room for the n-grams of their sketches.
func newIndex(n, grams int) *index {
	return &index{
		entries: make([]uint64, 0, grams), textBits: max(24, bits.Len(uint(n))), maybe: make([]uint64, 1<<19),
	}
}

// add stores the sketch of a text. It is safe for concurrent use.
func (x *index) add(text int, sketch []uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, gram := range sketch {
		x.entries = append(x.entries, gram<<x.textBits|uint64(text+1))
	}
}

// settle prepares near, once all sketches are added.
func (x *index) settle() {
	if 2*len(x.entries) < cap(x.entries) {
		x.entries = slices.Clone(x.entries) // which frees the room that is not needed
	}
	slices.Sort(x.entries)
	used := bits.Len(uint(len(x.entries) / 2))
	x.start, x.highest = make([]int32, 1<<used+1), 64-used
	for _, e := range x.entries {
		x.start[e>>x.highest+1]++
		gram := e >> x.textBits
		x.maybe[gram>>6&(1<<19-1)] |= 1 << (gram & 63)
	}
	for i := range len(x.start) - 1 {
		x.start[i+1] += x.start[i]
	}
}

// near returns the entries of the texts whose sketches contain an n-gram.
func (x *index) near(gram uint64) []uint64 {
	if x.maybe[gram>>6&(1<<19-1)]>>(gram&63)&1 == 0 {
		return nil
	}
	first := gram << x.textBits
	slot := first >> x.highest
	bucket := x.entries[x.start[slot]:x.start[slot+1]]
	from := 0
	for from < len(bucket) && bucket[from] < first {
		from++
	}
	to := from
	for to < len(bucket) && bucket[to]>>x.textBits == first>>x.textBits {
		to++
	}
	return bucket[from:to]
}

// text returns the text of an entry.
func (x *index) text(entry uint64) int32 { return int32(entry&(1<<x.textBits-1)) - 1 }
