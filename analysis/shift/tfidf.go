package shift

import (
	"hash/fnv"
	"maps"
	"math"
	"slices"
)

const (
	buckets  = 1 << 15 // number of hash buckets for words
	mostSeen = 20_000  // maximum number of words read of one text
)

// sparse is a row of the few nonzero columns, in ascending order.
type sparse struct {
	cols []int32
	vals []float64
}

// bag holds texts as weighted words: column c represents the words of one hash bucket, of which
// word[c] occurs in most texts.
type bag struct {
	rows []sparse
	word []string
}

// newBag weights the words of texts by (1+ln count)·(ln((1+n)/(1+df))+1), in rows of length 1
// (Salton & Buckley 1988, Inf. Process. Manag. 24:513; smoothed as in scikit-learn). Pairs of
// neighbouring ideographs are also words. Words that occur in only one text carry no information
// about the samples and are left out.
func newBag(texts []string) *bag {
	counts := make([]map[string]int, len(texts))
	texted := make(map[string]int) // number of texts by word
	parallel(len(texts), func(i int) { counts[i] = wordCounts(texts[i]) })
	for _, count := range counts {
		for word := range count {
			texted[word]++
		}
	}
	b := &bag{rows: make([]sparse, len(texts))}
	column := b.columns(texted)
	df := make([]float64, len(b.word))
	for i, count := range counts {
		b.rows[i] = gather(count, texted, column)
		for _, c := range b.rows[i].cols {
			df[c]++
		}
	}
	n := float64(len(texts))
	for _, row := range b.rows {
		var squares float64
		for j, c := range row.cols {
			row.vals[j] = (1 + math.Log(row.vals[j])) * (math.Log((1+n)/(1+df[c])) + 1)
			squares += row.vals[j] * row.vals[j]
		}
		for j := range row.vals {
			row.vals[j] /= math.Sqrt(squares)
		}
	}
	return b
}

// columns numbers the buckets in use and names each of them.
func (b *bag) columns(texted map[string]int) map[uint32]int32 {
	named := make(map[uint32]string)
	for word, n := range texted {
		if n < 2 {
			continue
		}
		k := bucket(word)
		old, ok := named[k]
		if !ok || n > texted[old] || n == texted[old] && word < old {
			named[k] = word
		}
	}
	column := make(map[uint32]int32, len(named))
	for c, k := range slices.Sorted(maps.Keys(named)) {
		column[k] = int32(c)
		b.word = append(b.word, named[k])
	}
	return column
}

// gather adds up the counts of one text by column.
func gather(count, texted map[string]int, column map[uint32]int32) sparse {
	sums := make(map[int32]float64, len(count))
	for word, n := range count {
		if texted[word] >= 2 {
			sums[column[bucket(word)]] += float64(n) // whole numbers: exact in any order
		}
	}
	row := sparse{cols: slices.Sorted(maps.Keys(sums))}
	for _, c := range row.cols {
		row.vals = append(row.vals, sums[c])
	}
	return row
}

func wordCounts(text string) map[string]int {
	count := make(map[string]int)
	before, seen := "", 0
	eachWord(text, func(word string) bool {
		count[word]++
		if ideographic(word) && ideographic(before) {
			count[before+word]++
		}
		before = word
		seen++
		return seen < mostSeen
	})
	return count
}

func ideographic(word string) bool {
	for _, r := range word {
		return isIdeograph(r)
	}
	return false
}

func bucket(word string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(word))
	return h.Sum32() % buckets
}
