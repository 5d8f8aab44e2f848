package audit

import (
	"encoding/json"

	"gonogo/sampler/rollout"
)

// Reference is an item's right answer, and where it was found.
type Reference struct {
	Text  string
	Field string // the field of the row, such as "reference_answer", or the template, such as "{{item.answer}}"
}

// FieldReference returns the reference of an item, from the first of the usual fields of its row
// that is not empty. A value that is not a string becomes compact JSON. The bool is false if there
// is none.
func FieldReference(it *rollout.Item) (Reference, bool) {
	text, field, ok := it.Reference()
	return Reference{Text: text, Field: field}, ok
}

// accepted returns further right answers that the row names.
func accepted(it *rollout.Item) []string { return it.Accepted() }

// rowOf returns the item's row, by field; nil if it is not an object.
func rowOf(it *rollout.Item) map[string]json.RawMessage { return it.Fields() }
