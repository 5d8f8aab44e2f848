package report

import (
	"html"
	"strings"
	"unicode/utf8"
)

// mostMarkdown is how many characters the Markdown form holds: GitHub takes
// 65,536 in a comment, and whoever posts it may want to add a line. It fits
// GITHUB_STEP_SUMMARY (1 MiB) then, too.
const mostMarkdown = 65_000

const unfolded = "</details>"

// unfold begins what is shown when the reader opens it; unfolded ends it.
func (m *markdown) unfold(summary string) {
	m.f("<details>\n<summary>%s</summary>\n\n", html.EscapeString(summary))
}

// fit cuts a text of more than most characters behind a whole line, and says so
// in note. What was open there is closed, and no heading or head of a table is
// left without what it is of.
func fit(text []byte, most int, note string) []byte {
	if utf8.RuneCount(text) <= most {
		return text
	}
	left := most - utf8.RuneCountInString("\n"+unfolded+"\n\n"+note+"\n")
	var kept []string
	for line := range strings.Lines(string(text)) {
		if left -= utf8.RuneCountInString(line); left < 0 {
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

// headOnly reports whether the last line says nothing without the next one: a
// heading, or the labels of a table's columns.
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
