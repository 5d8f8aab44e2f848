package analysis

import (
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/wording"
)

// Excerpt shortens s to about n bytes, those around the first place of key if it is not
// among the first, from a whole word on, or the last ones. What is left out on either side
// is marked.
func Excerpt(s, key string, n int) string {
	at := strings.Index(s, key)
	if at < 0 || at+len(key) <= n {
		return wording.ClipBytes(s, n)
	}
	from := at - max(0, n-len(key))/2
	if word := strings.IndexByte(s[from:at], ' '); word >= 0 {
		from += word + 1
	}
	from = min(from, len(s)-n)
	for from < at && s[from]&0xC0 == 0x80 { // broken bytes may have no beginning
		from++
	}
	return wording.Ellipsis + wording.ClipBytes(s[from:], n)
}

// ExcerptLength bounds what is kept of an answer that earned the top.
const ExcerptLength = 80

// MostFrequent is the name with the highest count, the first of equals; "" if there is none.
func MostFrequent(counts map[string]int) string {
	most := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if most == "" || counts[name] > counts[most] {
			most = name
		}
	}
	return most
}

// PlainCell keeps spreadsheets from evaluating text from the data as a formula (OWASP,
// CSV injection): a text that begins like one is marked as text.
func PlainCell(text string) string {
	trimmed := strings.TrimLeft(text, " \u00a0")
	if trimmed != "" && strings.ContainsAny(trimmed[:1], "=+-@\t\r\n") || strings.HasPrefix(trimmed, "＝") ||
		strings.HasPrefix(trimmed, "＋") || strings.HasPrefix(trimmed, "－") || strings.HasPrefix(trimmed, "＠") {
		return "'" + text
	}
	return text
}
