package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// referenceVariable stands for the bare reference in an answer's template.
var referenceVariable = regexp.MustCompile(`\{\{\s*reference\s*\}\}`)

// AnswerTemplate parses a template that makes an answer of a bare reference, right or wrong: a text
// that contains {{reference}}, such as "Answer: {{reference}}". In a JSON template the reference is
// escaped within quotes. Without quotes, as in {"answer": {{reference}}}, a reference that is a
// number, a boolean, a list or an object is inserted unchanged, anything else as a JSON string.
func AnswerTemplate(template string) (func(reference string) string, error) {
	matches := referenceVariable.FindAllStringIndex(template, -1)
	if len(matches) == 0 {
		return nil,
			errors.New(
				`the answer template has no {{reference}} in it; write it as {"answer": "{{reference}}"} or "Answer: {{reference}}"`)
	}
	rest := referenceVariable.ReplaceAllString(template, "")
	if i := strings.Index(rest, "{{"); i >= 0 &&
		!json.Valid([]byte(referenceVariable.ReplaceAllString(template, "0"))) {
		return nil, fmt.Errorf("the answer template has %q in it: {{reference}} is the only variable",
			rest[i:min(len(rest), i+20)])
	}
	isJSON := json.Valid([]byte(referenceVariable.ReplaceAllString(template, "0")))
	if inner := strings.TrimSpace(fenceless(template)); !isJSON && strings.HasPrefix(inner, "{") &&
		!strings.HasPrefix(inner, "{{") {
		isJSON = json.Valid([]byte(referenceVariable.ReplaceAllString(inner, "0"))) // an object in a fence
	}
	return func(reference string) string {
		var b strings.Builder
		from := 0
		for _, place := range matches {
			b.WriteString(template[from:place[0]])
			from = place[1]
			switch {
			case !isJSON:
				b.WriteString(reference)
			case quoted(template[:place[0]]):
				text := encode(reference)
				b.WriteString(text[1 : len(text)-1])
			case reference != "null" && json.Valid([]byte(reference)) &&
				!strings.HasPrefix(strings.TrimSpace(reference), `"`):
				b.WriteString(reference)
			default:
				b.WriteString(encode(reference))
			}
		}
		b.WriteString(template[from:])
		return b.String()
	}, nil
}

// quoted reports whether a prefix of a JSON text ends within a string.
func quoted(json string) bool {
	in := false
	for i := 0; i < len(json); i++ {
		switch {
		case json[i] == '\\' && in:
			i++
		case json[i] == '"':
			in = !in
		}
	}
	return in
}

// The placeholders for a reference while a template is taken apart: no answer contains them.
const (
	textMark   = "\uE000reference\uE001"
	numberMark = "7000000000000000007"
)

// unwrap extracts the bare reference, whatever it is, from an answer that the template wrap made.
// ok is false if the answer has another shape; without a template every answer is bare.
func unwrap(wrap func(string) string, answer string) (bare string, ok bool) {
	if wrap == nil {
		return answer, true
	}
	shape := wrap(textMark)
	if tree, isJSON := parseJSON(shape); isJSON {
		path, _, found := tree.find(func(leaf node) bool { return leaf.text() == textMark })
		parsed, valid := parseJSON(strings.TrimSpace(answer))
		if !found || !valid {
			return answer, false
		}
		leaf, found := parsed.lookup(path)
		return leaf.text(), found
	}
	before, after, _ := strings.Cut(shape, textMark)
	i := strings.LastIndex(answer, before)
	if before == "" || i < 0 {
		return answer, before == "" && strings.HasSuffix(answer, after)
	}
	bare = answer[i+len(before):]
	if !strings.Contains(bare, after) { // what lines below the answer say differs
		line, _, more := strings.Cut(after, "\n")
		if after = line; more {
			after += "\n"
		}
	}
	if end := strings.Index(bare, after); after != "" && end >= 0 {
		bare = bare[:end]
	}
	return bare, true
}

// inJSON reports whether answers are JSON with the reference in a field, and
// whether the field holds a number.
func (c *Case) inJSON() (isJSON, typed bool) {
	if c.Answer == nil {
		return false, false
	}
	tree, isJSON := parseJSON(c.Answer(numberMark))
	if !isJSON || tree.kind == scalar {
		return false, false
	}
	_, _, typed = tree.find(func(leaf node) bool { return leaf.raw == numberMark })
	return true, typed
}
