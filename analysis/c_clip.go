package analysis

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
