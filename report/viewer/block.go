package viewer

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// A block says of up to blockLines lines which triples of bytes their folded
// texts hold, as a filter that may say yes wrongly and never no: one row of
// blockLines bits for each value of a hash of a triple. Whoever looks for a
// text reads the rows of its triples alone.
const (
	blockLines = 512
	rowBytes   = blockLines / 8
	mostBits   = 18 // of the hash
	fewestBits = 8
)

// fullest is the share of bits that may be set in a block: one triple lets that many of the other
// lines pass, eight let next to none.
const fullest = 0.2

// triples is the set of hashed triples of one line's texts.
type triples struct {
	set  [1 << mostBits / 64]uint64
	text []byte // folded; kept for its memory
}

// add takes in one text. Triples do not reach from one text into the next.
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

// hash spreads a triple over mostBits bits, the highest of which are the best:
// Knuth's multiplicative hashing.
func hash(triple uint32) uint32 { return triple * 2654435761 >> (32 - mostBits) }

// mostOf bounds the triples of one line: a line of more passes every filter, as
// nil has it.
const mostOf = 1 << 16

// take returns the hashes of the set in ascending order, and empties it.
func (t *triples) take() []uint32 {
	n := 0
	for _, w := range t.set {
		n += bits.OnesCount64(w)
	}
	out := make([]uint32, 0, min(n, mostOf))
	for i, w := range t.set {
		for ; w != 0 && n <= mostOf; w &= w - 1 {
			out = append(out, uint32(i*64+bits.TrailingZeros64(w)))
		}
		t.set[i] = 0
	}
	if n > mostOf {
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

// block is a block that is being filled: the hashes of each of its lines.
type block [][]uint32

// rows returns the rows of a block, and how many bits of the hash
// distinguish them: as few as leave it no fuller than fullest.
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
		at, bit := i/8, byte(1)<<(i%8)
		if hashes == nil {
			for ; at < len(rows); at += rowBytes {
				rows[at] |= bit
			}
		}
		for _, h := range hashes {
			rows[int(h>>(mostBits-width))*rowBytes+at] |= bit
		}
	}
	return rows, width
}

// passes returns the lines that may hold all of the triples.
func (b block) passes(hashes []uint32) (m mask) {
	for i, line := range b {
		there := func(h uint32) bool {
			_, ok := slices.BinarySearch(line, h)
			return ok
		}
		if line == nil || !slices.ContainsFunc(hashes, func(h uint32) bool { return !there(h) }) {
			m[i/64] |= 1 << (i % 64)
		}
	}
	return m
}

// passes does so for a block on disk, of which it reads the rows it needs.
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

// most triples that a search asks for: more bits add nothing.
const mostTriples = 16

// wanted returns the hashes of a folded text's triples, spread over it, without
// the repeated ones.
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
