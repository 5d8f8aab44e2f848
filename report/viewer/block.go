package viewer

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// A block records for up to blockLines lines which triples of bytes their folded texts contain, as
// a filter that may give false positives but no false negatives: one row of blockLines bits for
// each value of a hash of a triple. A search only reads the rows of the triples of its query.
const (
	blockLines = 512
	rowBytes   = blockLines / 8
	mostBits   = 18 // maximum width of the hash
	fewestBits = 8  // minimum width
)

// fullest is the largest share of set bits in a block: a query of one triple then passes that share
// of the other lines, a query of eight almost none.
const fullest = 0.2

// triples is the set of hashed triples of one line's texts.
type triples struct {
	set  [1 << mostBits / 64]uint64
	text []byte // folded; kept to reuse its memory
}

// add adds the triples of one text. Triples do not cross from one text to the next.
func (t *triples) add(text string) {
	t.text = fold(t.text[:0], text)
	each(t.text, func(h uint32) { t.set[h/64] |= 1 << (h % 64) })
}

// each calls visit with the hash of each triple of bytes.
func each(folded []byte, visit func(h uint32)) {
	if len(folded) < 3 {
		return
	}
	last := uint32(folded[0])<<8 | uint32(folded[1])
	for _, c := range folded[2:] {
		last = last<<8&0xffffff | uint32(c)
		visit(hash(last))
	}
}

// hash maps a triple to mostBits bits, the best of which are the highest: Knuth's multiplicative
// hashing.
func hash(triple uint32) uint32 { return triple * 2654435761 >> (32 - mostBits) }

// mostHashes limits the triples of one line: a line with more has nil hashes and passes every
// filter.
const mostHashes = 1 << 16

// take returns the hashes of the set in ascending order, and empties it.
func (t *triples) take() []uint32 {
	n := 0
	for _, w := range t.set {
		n += bits.OnesCount64(w)
	}
	out := make([]uint32, 0, min(n, mostHashes))
	for i, w := range t.set {
		for ; w != 0 && n <= mostHashes; w &= w - 1 {
			out = append(out, uint32(i*64+bits.TrailingZeros64(w)))
		}
		t.set[i] = 0
	}
	if n > mostHashes {
		return nil
	}
	return out
}

// mask has a bit for each line of a block.
type mask [rowBytes / 8]uint64

// each calls visit with the bits that are set.
func (m mask) each(visit func(i int)) {
	for w, word := range m {
		for ; word != 0; word &= word - 1 {
			visit(w*64 + bits.TrailingZeros64(word))
		}
	}
}

// block is a block in memory: the hashes of each of its lines so far.
type block [][]uint32

// rows returns the rows of a block and the width of their hash in bits: the smallest that keeps the
// share of set bits below fullest.
func (b block) rows() (rows []byte, width int) {
	set := 0
	for _, hashes := range b {
		set += len(hashes)
	}
	for width = fewestBits; width < mostBits && float64(set) > fullest*float64(int(blockLines)<<width); {
		width++
	}
	rows = make([]byte, rowBytes<<width)
	for i, hashes := range b {
		offset, bit := i/8, byte(1)<<(i%8)
		if hashes == nil {
			for ; offset < len(rows); offset += rowBytes {
				rows[offset] |= bit
			}
		}
		for _, h := range hashes {
			rows[int(h>>(mostBits-width))*rowBytes+offset] |= bit
		}
	}
	return rows, width
}

// passes returns the lines that may contain all of the triples.
func (b block) passes(hashes []uint32) (m mask) {
	for i, line := range b {
		contains := func(h uint32) bool {
			_, ok := slices.BinarySearch(line, h)
			return ok
		}
		if line == nil || !slices.ContainsFunc(hashes, func(h uint32) bool { return !contains(h) }) {
			m[i/64] |= 1 << (i % 64)
		}
	}
	return m
}

// passes does the same for a stored block; it only reads the rows that it needs.
func (b *stored) passes(hashes []uint32) (mask, error) {
	var m mask
	for w := range m {
		m[w] = ^uint64(0)
	}
	var row [rowBytes]byte
	for _, h := range hashes {
		if _, err := b.file.ReadAt(row[:], b.At+int64(h>>(mostBits-b.Width))*rowBytes); err != nil {
			return m, fmt.Errorf("read the index: %w", err)
		}
		for w := range m {
			m[w] &= binary.LittleEndian.Uint64(row[8*w:])
		}
	}
	return m, nil
}

// mostTriples limits the triples that a search looks up: more do not filter better.
const mostTriples = 16

// wanted returns the distinct hashes of the triples of a folded text; if there are too many, a
// selection spread over the text.
func wanted(folded []byte) []uint32 {
	var all []uint32
	seen := make(map[uint32]bool)
	each(folded, func(h uint32) {
		if !seen[h] {
			seen[h] = true
			all = append(all, h)
		}
	})
	if len(all) <= mostTriples {
		return all
	}
	out := make([]uint32, mostTriples)
	for i := range out {
		out[i] = all[i*len(all)/mostTriples]
	}
	return out
}
