package form

import (
	"regexp"
	"strings"
)

// Solved cuts a worked solution around its answer: the line after ####, as in GSM8K, or the last
// \boxed{}, as in MATH. Any other text is the answer as a whole.
func Solved(text string) (before, answer, after string) {
	if i := strings.LastIndex(text, "####"); i > 0 && text[i-1] == '\n' {
		from := i + len("####")
		answer = strings.TrimSpace(text[from:])
		// A document that has headings may end in one: then it is no worked solution.
		if answer != "" && !strings.Contains(answer, "\n") && !markdownHeading.MatchString(text[:i]) {
			at := from + strings.Index(text[from:], answer)
			return text[:at], answer, text[at+len(answer):]
		}
	}
	const box = `\boxed{`
	from := strings.LastIndex(text, box) + len(box)
	if from < len(box) || strings.TrimSpace(text[:from-len(box)]) == "" {
		return "", text, ""
	}
	depth := 1
	for i, r := range text[from:] {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			if answer = strings.TrimSpace(text[from : from+i]); answer == "" {
				break
			}
			return text[:from], text[from : from+i], text[from+i:]
		}
	}
	return "", text, ""
}

// markdownHeading matches the beginning of a heading of Markdown.
var markdownHeading = regexp.MustCompile(`(?m)^#{1,6}\s`)
