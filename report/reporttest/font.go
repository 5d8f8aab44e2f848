package reporttest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"gonogo/report/internal/typeface"
)

// Font makes a TrueType font with a glyph for each of the signs. Whatever the sign, its glyph is a
// Latin letter.
func Font(t testing.TB, signs string) []byte {
	t.Helper()
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	font, err := typeface.Embed("Signs", []*typeface.Face{typeface.Builtin(typeface.Regular)}, []rune(letters))
	if err != nil {
		t.Fatal(err)
	}
	runes := slices.Compact(slices.Sorted(slices.Values([]rune(signs))))
	var starts, deltas []uint16
	for i, r := range runes {
		starts, deltas = append(starts, uint16(r)), append(deltas, uint16(1+i%len(letters)-int(r)))
	}
	starts, deltas = append(starts, 0xffff), append(deltas, 1)
	n := uint16(len(starts))
	var cmap bytes.Buffer // in format 4, with a segment for each sign; the search fields are not needed
	for _, words := range [][]uint16{
		{0, 1, 3, 1, 0, 12, 4, 16 + 8*n, 0, 2 * n, 0, 0, 0},
		starts,
		{0},
		starts, deltas,
		make([]uint16, n),
	} {
		if err := binary.Write(&cmap, binary.BigEndian, words); err != nil {
			t.Fatal(err)
		}
	}
	entry := font[bytes.Index(font, []byte("cmap")):]
	binary.BigEndian.PutUint32(entry[8:], uint32(len(font)))
	binary.BigEndian.PutUint32(entry[12:], uint32(cmap.Len()))
	return append(font, cmap.Bytes()...)
}
