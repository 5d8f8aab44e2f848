package audit

import (
	"encoding/json"
	"regexp"
	"strings"

	"gonogo/sampler/rollout"
)

// Reference is an item's right answer, and where it was found.
type Reference struct {
	Text  string
	Field string // the field of the row, such as "reference_answer", or the template, such as "{{item.answer}}"

	before, after string // of Text in a worked solution; "" if the reference is Text alone
}

// FieldReference returns the reference of an item, from the first of the usual fields of its row
// that is not empty. A value that is not a string becomes compact JSON. Of a worked solution the
// reference is what it ends in: the line after ####, as in GSM8K, or the last \boxed{}, as in MATH. The
// bool is false if there is none.
func FieldReference(it *rollout.Item) (Reference, bool) {
	text, field, ok := it.Reference()
	before, final, after := solved(text)
	return Reference{Text: final, Field: field, before: before, after: after}, ok
}

// solved cuts a worked solution around its answer. Any other text is the answer as a whole.
func solved(text string) (before, answer, after string) {
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

// solution writes an answer into the worked solution of the reference; nil if there is none.
func (r Reference) solution() func(answer string) string {
	if r.before == "" {
		return nil
	}
	return func(answer string) string { return r.before + answer + r.after }
}

// accepted returns further right answers that the row names.
func accepted(it *rollout.Item) []string { return it.Accepted() }

// rowOf returns the item's row, by field; nil if it is not an object.
func rowOf(it *rollout.Item) map[string]json.RawMessage { return it.Fields() }
