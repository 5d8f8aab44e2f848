package rollout

import (
	"bytes"
	"encoding/json"
	"slices"

	"gonogo/sampler/jsontext"
)

// ReferenceFields lists the usual names of a row's field with the right answer,
// the likeliest first.
func ReferenceFields() []string {
	return []string{
		"reference_answer", "reference", "answer", "expected", "expected_output", "target", "ground_truth",
		"solution", "label", "gold",
	}
}

// AcceptedFields lists the usual names of fields with further right answers.
func AcceptedFields() []string {
	return []string{
		"accepted_answers", "acceptable_answers", "aliases", "answer_aliases", "alternatives", "references",
		"correct_answers",
	}
}

// Fields is the item's row by field; nil when it is not an object.
func (it *Item) Fields() map[string]json.RawMessage {
	var row map[string]json.RawMessage
	if it == nil || jsontext.Unmarshal(it.Row, &row) != nil {
		return nil
	}
	return row
}

// Reference finds the item's right answer in the first of the usual fields that
// is there and not empty, and names that field. ok is false when there is none.
func (it *Item) Reference() (text, field string, ok bool) {
	row := it.Fields()
	at := slices.IndexFunc(ReferenceFields(), func(field string) bool { return FieldText(row[field]) != "" })
	if at < 0 {
		return "", "", false
	}
	field = ReferenceFields()[at]
	return FieldText(row[field]), field, true
}

// Accepted lists further right answers that the row names.
func (it *Item) Accepted() []string {
	var list []string
	row := it.Fields()
	for _, field := range AcceptedFields() {
		var raw []json.RawMessage
		if jsontext.Unmarshal(row[field], &raw) != nil {
			continue
		}
		for _, r := range raw {
			if text := FieldText(r); text != "" {
				list = append(list, text)
			}
		}
	}
	return list
}

// FieldText is the text of a field's value. A value that is not a string is as
// JSON text without spaces; null and what is not JSON give "".
func FieldText(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return jsontext.TextOrJSON(b.Bytes())
}
