package typeface

import (
	"math/bits"
	"slices"
	"unicode/utf16"
)

// font assembles the tables (OpenType specification 1.9, TrueType outlines). up and down are the
// ascent and the descent of lines, in em.
func (b *builder) font(name string, up, down float64) []byte {
	if b.bounds[0] > b.bounds[2] {
		b.bounds = [4]int{}
	}
	ascent, descent := unit(up*emUnits), -unit(down*emUnits)
	n := len(b.runes)
	head := put16(put32(nil, 0x10000, 0x10000, 0, 0x5F0F3CF5), 3, emUnits)
	// long loca
	head = put16(append(head, make([]byte, 16)...), b.bounds[0], b.bounds[1], b.bounds[2], b.bounds[3], 0, 8, 2, 1, 0)
	hhea := put16(put32(nil, 0x10000), ascent, descent, 0, b.widest, b.bounds[0], 0, b.bounds[2], 1, 0, 0, 0, 0, 0, 0,
		0, n)
	maxp := put16(put32(nil, 0x10000), n, b.points, b.contours, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)
	os2 := put16(nil, 3, emUnits/2, 400, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	os2 = put32(append(os2, make([]byte, 10)...), 0, 0, 0, 0, 0)
	os2 = put16(os2, 64, int(b.runes[min(1, n-1)]), int(b.runes[n-1]), ascent, descent, 0, ascent, -descent)
	os2 = put16(put32(os2, 0, 0), emUnits/2, emUnits*7/10, 0, 32, 0)
	post := put32(put16(put32(nil, 0x30000, 0), -emUnits/10, emUnits/20), 0, 0, 0, 0, 0)
	return assemble([]table{
		{"OS/2", os2},
		{"cmap", b.cmap()},
		{"glyf", b.glyf},
		{"head", head},
		{"hhea", hhea},
		{"hmtx", b.hmtx},
		{"loca", put32(b.loca, len(b.glyf))},
		{"maxp", maxp},
		{"name", names(name)},
		{"post", post},
	})
}

// cmap maps runes to glyphs in format 4: one segment for each run of consecutive runes, whose
// glyphs are consecutive too.
func (b *builder) cmap() []byte {
	var starts, ends, deltas []int
	for g, r := range b.runes {
		if last := len(ends) - 1; g == 0 {
			continue
		} else if last >= 0 && ends[last]+1 == int(r) {
			ends[last]++
			continue
		}
		starts, ends, deltas = append(starts, int(r)), append(ends, int(r)), append(deltas, g-int(r))
	}
	starts, ends, deltas = append(starts, 0xFFFF), append(ends, 0xFFFF), append(deltas, 1)
	n := len(starts)
	step := bits.Len(uint(n)) - 1
	sub := put16(nil, 4, 16+8*n, 0, 2*n, 2<<step, step, 2*n-2<<step)
	sub = put16(put16(sub, ends...), 0)
	sub = put16(put16(sub, starts...), deltas...)
	sub = put16(sub, make([]int, n)...)
	return append(put32(put16(nil, 0, 1, 3, 1), 12), sub...)
}

// names returns a minimal name table: family, style, full and PostScript name.
func names(name string) []byte {
	var records, text []byte
	for _, id := range []int{1, 2, 4, 6} {
		s := name
		if id == 2 {
			s = "Regular"
		}
		start := len(text)
		for _, unit := range utf16.Encode([]rune(s)) {
			text = put16(text, int(unit))
		}
		records = put16(records, 3, 1, 0x409, id, len(text)-start, start)
	}
	return slices.Concat(put16(nil, 0, 4, 6+len(records)), records, text)
}

type table struct {
	tag  string
	data []byte
}

// assemble writes the directory and the tables, which must be sorted by tag.
func assemble(tables []table) []byte {
	n := len(tables)
	step := bits.Len(uint(n)) - 1
	out := put16(put32(nil, 0x10000), n, 16<<step, step, 16*n-16<<step)
	offset := len(out) + 16*n
	var body []byte
	for _, t := range tables {
		out = put32(append(out, t.tag...), checksum(t.data), offset+len(body), len(t.data))
		body = append(body, t.data...)
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
	}
	return append(out, body...)
}

func checksum(data []byte) int {
	sum := uint32(0)
	for i, c := range data {
		sum += uint32(c) << (24 - 8*(i%4))
	}
	return int(sum)
}
