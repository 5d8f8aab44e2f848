package typeface

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"golang.org/x/image/font/sfnt"
)

// needed are the tables that a font is read by, in their order.
var needed = []string{"CFF ", "OS/2", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post"}

// repaired reads font i of a file from copies of the tables that are needed:
// other tables, and where they begin, no longer matter. A font that cannot be
// repaired fails for the reason it had before.
func repaired(data []byte, i int, reason error) (*sfnt.Font, error) {
	at := 0
	if strings.HasPrefix(string(data), "ttcf") {
		at = int(word(data, 12+4*i))
	}
	var tables []table
	for n := range int(word(data, at+4) >> 16) {
		entry := at + 12 + 16*n
		from, size := int(word(data, entry+8)), int(word(data, entry+12))
		if entry+16 > len(data) || from+size > len(data) {
			return nil, reason
		}
		if tag := string(data[entry : entry+4]); slices.Contains(needed, tag) {
			tables = append(tables, table{tag, data[from : from+size]})
		}
	}
	if len(tables) == 0 {
		return nil, reason
	}
	sort.Slice(tables, func(i, j int) bool { return tables[i].tag < tables[j].tag })
	out := assemble(tables)
	if strings.HasPrefix(string(data[min(at, len(data)):]), "OTTO") {
		copy(out, "OTTO")
	}
	f, err := sfnt.Parse(out)
	if err != nil {
		return nil, reason
	}
	return f, nil
}

// word is the big-endian word of four bytes at a place; 0 past the end.
func word(data []byte, at int) uint32 {
	if at < 0 || at+4 > len(data) {
		return 0
	}
	return binary.BigEndian.Uint32(data[at:])
}
