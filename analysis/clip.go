package analysis

import (
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/wording"
)

// Excerpt shortens s to about n bytes and marks what it cuts off on either side. It keeps the part
// around the first occurrence of key, starting at a whole word, or the beginning if that contains
// key or if s does not.
func Excerpt(s, key string, n int) string {
	index := strings.Index(s, key)
	if index < 0 || index+len(key) <= n {
		return wording.ClipBytes(s, n)
	}
	start := index - max(0, n-len(key))/2
	if word := strings.IndexByte(s[start:index], ' '); word >= 0 {
		start += word + 1
	}
	start = min(start, len(s)-n)
	for start < index && s[start]&0xC0 == 0x80 { // broken UTF-8 may have no start byte
		start++
	}
	return wording.Ellipsis + wording.ClipBytes(s[start:], n)
}

// ExcerptLength is the maximum length, in bytes, of an excerpt of an answer that earned the top.
const ExcerptLength = 80

// MostFrequent returns the name with the highest count, the first in the alphabet of equals; "" if
// counts is empty.
func MostFrequent(counts map[string]int) string {
	most := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if most == "" || counts[name] > counts[most] {
			most = name
		}
	}
	return most
}

// PlainCell keeps spreadsheets from evaluating text from the data as a formula (OWASP, CSV
// injection): it prefixes text that begins like a formula with an apostrophe.
func PlainCell(text string) string {
	trimmed := strings.TrimLeft(text, " \u00a0")
	if trimmed != "" && strings.ContainsAny(trimmed[:1], "=+-@\t\r\n") || strings.HasPrefix(trimmed, "＝") ||
		strings.HasPrefix(trimmed, "＋") || strings.HasPrefix(trimmed, "－") || strings.HasPrefix(trimmed, "＠") {
		return "'" + text
	}
	return text
}
