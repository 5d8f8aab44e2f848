package typeface

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"golang.org/x/image/font/sfnt"
)

// needed lists the tables that are read from a font, in their order.
var needed = []string{"CFF ", "OS/2", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post"}

// repaired parses font i of a file from copies of the tables in needed, so that other tables and
// the offsets of tables do not matter. If the font cannot be repaired, it returns reason.
func repaired(data []byte, i int, reason error) (*sfnt.Font, error) {
	offset := 0
	if strings.HasPrefix(string(data), "ttcf") {
		offset = int(word(data, 12+4*i))
	}
	var tables []table
	for n := range int(word(data, offset+4) >> 16) {
		entry := offset + 12 + 16*n
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
	if strings.HasPrefix(string(data[min(offset, len(data)):]), "OTTO") {
		copy(out, "OTTO")
	}
	f, err := sfnt.Parse(out)
	if err != nil {
		return nil, reason
	}
	return f, nil
}

// word returns the big-endian word of four bytes at an offset; 0 past the end.
func word(data []byte, offset int) uint32 {
	if offset < 0 || offset+4 > len(data) {
		return 0
	}
	return binary.BigEndian.Uint32(data[offset:])
}
