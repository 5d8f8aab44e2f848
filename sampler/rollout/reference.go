package rollout

import (
	"bytes"
	"encoding/json"
	"slices"

	"gonogo/sampler/jsontext"
)

// ReferenceFields lists the usual names of the field with the right answer, the most likely first.
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

// Fields returns the item's row by field; nil if it is not an object.
func (it *Item) Fields() map[string]json.RawMessage {
	var row map[string]json.RawMessage
	if it == nil || jsontext.Unmarshal(it.Row, &row) != nil {
		return nil
	}
	return row
}

// Reference returns the item's right answer, from the first of the usual fields that is present and
// not empty, else from reward_model.ground_truth, as verl's rows have it, and the name of that
// field. ok is false if there is none.
func (it *Item) Reference() (text, field string, ok bool) {
	row := it.Fields()
	i := slices.IndexFunc(ReferenceFields(), func(field string) bool { return FieldText(row[field]) != "" })
	if i < 0 {
		var model struct {
			Truth json.RawMessage `json:"ground_truth"`
		}
		if jsontext.Unmarshal(row["reward_model"], &model) != nil || FieldText(model.Truth) == "" {
			return "", "", false
		}
		return FieldText(model.Truth), "reward_model.ground_truth", true
	}
	field = ReferenceFields()[i]
	return FieldText(row[field]), field, true
}

// Accepted returns the row's further right answers.
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

// FieldText returns the text of a field's value. A value that is not a string becomes compact JSON;
// null and invalid JSON give "".
func FieldText(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return jsontext.TextOrJSON(b.Bytes())
}
