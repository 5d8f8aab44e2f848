package analysis

import (
	"maps"
	"slices"
)

// clip shortens s to about n bytes without breaking a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

// headLength bounds what is kept of an answer that earned the top.
const headLength = 80

// mostFrequent is the name with the highest count, the first of equals; "" of
// none.
func mostFrequent(counts map[string]int) string {
	most := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if most == "" || counts[name] > counts[most] {
			most = name
		}
	}
	return most
}
