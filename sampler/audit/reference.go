package audit

import (
	"bytes"
	"encoding/json"

	"gonogo/sampler/rollout"
)

// Reference is what an item's right answer is, and where it was found.
type Reference struct {
	Text  string
	Field string // the field of the row, such as "reference_answer", or the template, such as "{{item.answer}}"
}

// referenceFields are the usual names of a row's field with the right answer,
// the likeliest first.
var referenceFields = []string{
	"reference_answer", "reference", "answer", "expected", "expected_output", "target", "ground_truth", "solution", "label", "gold",
}

// acceptedFields are the usual names of fields with further right answers.
var acceptedFields = []string{
	"accepted_answers", "acceptable_answers", "aliases", "answer_aliases", "alternatives", "references", "correct_answers",
}

// FieldReference finds the reference of an item in the first of the usual
// fields of its row that is there and not empty. A value that is no string
// stands as JSON text without spaces. ok is false when there is none.
func FieldReference(it *rollout.Item) (Reference, bool) {
	row := rowOf(it)
	for _, field := range referenceFields {
		if text := fieldText(row[field]); text != "" {
			return Reference{Text: text, Field: field}, true
		}
	}
	return Reference{}, false
}

// accepted lists further right answers that the row names.
func accepted(it *rollout.Item) []string {
	var list []string
	row := rowOf(it)
	for _, field := range acceptedFields {
		var raw []json.RawMessage
		if json.Unmarshal(row[field], &raw) != nil {
			continue
		}
		for _, r := range raw {
			if text := fieldText(r); text != "" {
				list = append(list, text)
			}
		}
	}
	return list
}

// rowOf is the item's row, by field; nil when it is no object.
func rowOf(it *rollout.Item) map[string]json.RawMessage {
	var row map[string]json.RawMessage
	if it == nil || json.Unmarshal(it.Row, &row) != nil {
		return nil
	}
	return row
}

func fieldText(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return rollout.TextOrJSON(b.Bytes())
}
