package audit

import (
	"encoding/json"

	"gonogo/sampler/form"
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
	before, final, after := form.Solved(text)
	return Reference{Text: final, Field: field, before: before, after: after}, ok
}

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
