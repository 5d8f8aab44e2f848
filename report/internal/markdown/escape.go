package markdown

import (
	"strings"
	"unicode/utf8"
)

// signs escapes the characters with a meaning in Markdown. An at sign would mention a user, and a
// colon after http would make a link.
var signs = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "|", `\|`, "~", `\~`,
	"&", "&amp;",
	"#", `\#`, "@", "&#64;", "://", "&#58;//", "www.", "www&#46;", "!", `\!`, "$", `\$`,
)

// md escapes running text for Markdown.
func md(s string) string { return signs.Replace(s) }

// code writes s as a code span that is safe in a table: pipes are escaped.
func code(s string) string { return strings.ReplaceAll(span(s), "|", `\|`) }

// span writes s as a code span whose fence is longer than any run of backticks in it.
func span(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || s == "" {
		s = " " + s + " "
	}
	return fence + s + fence
}

const unfolded = "</details>"

// Fit cuts a text of more than most characters after a whole line, and appends note. It closes an
// open fold, and leaves no heading or table head without content at the end.
func Fit(text []byte, most int, note string) []byte {
	if utf8.RuneCount(text) <= most {
		return text
	}
	remaining := most - utf8.RuneCountInString("\n"+unfolded+"\n\n"+note+"\n")
	var kept []string
	for line := range strings.Lines(string(text)) {
		if remaining -= utf8.RuneCountInString(line); remaining < 0 {
			break
		}
		kept = append(kept, line)
	}
	for len(kept) > 0 && headOnly(kept) {
		kept = kept[:len(kept)-1]
	}
	open := false
	for _, line := range kept {
		switch strings.TrimSpace(line) {
		case "<details>":
			open = true
		case unfolded:
			open = false
		}
	}
	out := strings.Join(kept, "")
	if open {
		out += "\n" + unfolded + "\n"
	}
	return []byte(out + "\n" + note + "\n")
}

// headOnly reports whether the last line is useless without the next one: blank, a heading, the
// start of a fold, or a table head.
func headOnly(lines []string) bool {
	last := lines[len(lines)-1]
	for _, begin := range []string{"#", "<details>", "<summary>", "|:--"} {
		if strings.HasPrefix(last, begin) {
			return true
		}
	}
	labels := strings.HasPrefix(last, "|") && (len(lines) == 1 || !strings.HasPrefix(lines[len(lines)-2], "|"))
	return labels || strings.TrimSpace(last) == ""
}
