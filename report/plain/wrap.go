package plain

import "strings"

// Wrap breaks a text at spaces into lines of at most width bytes, each with the prefix and a line
// end. A longer word gets its own line.
func Wrap(text, prefix string, width int) string {
	var b strings.Builder
	line := prefix
	for word := range strings.FieldsSeq(text) {
		if line != prefix && len(line)+1+len(word) > width {
			b.WriteString(line + "\n")
			line = prefix
		}
		if line != prefix {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}
