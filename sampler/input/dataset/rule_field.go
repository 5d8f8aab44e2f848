package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// row is an item with its top-level fields, decoded once for all rules.
type row struct {
	item   *rollout.Item
	fields map[string]json.RawMessage
	file   *File
}

func decodeRows(f *File) []row {
	rows := make([]row, len(f.Items))
	for i := range f.Items {
		fields, err := object(f.Items[i].Row)
		if err != nil {
			fields = nil // not reached: Load decoded the row
		}
		rows[i] = row{&f.Items[i], fields, f}
	}
	return rows
}

// content returns a complaint about the first message part of one of these types.
func (r *row) content(types ...string) string {
	for i, m := range r.item.Messages {
		var parts []struct {
			Type string `json:"type"`
		}
		if len(m.Parts) == 0 || jsontext.Unmarshal(m.Parts, &parts) != nil {
			continue
		}
		for _, p := range parts {
			if slices.Contains(types, p.Type) {
				return fmt.Sprintf("messages[%d] holds content of type %q, which is not accepted", i, p.Type)
			}
		}
	}
	return ""
}

// extras returns the names of the fields that only the grader and the tools read, sorted.
func (r *row) extras() []string {
	opt := r.file.options
	var names []string
	for name := range r.fields {
		switch name {
		case "messages", "tools", "parallel_tool_calls", opt.IDField, opt.CategoryField, opt.FamilyField:
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// fieldRules are rules of common sense, and advice for any hosted platform; they never block.
func fieldRules() []Rule {
	return []Rule{
		{
			Name: "role", Doc: "roles other than developer, system, user, assistant and tool are unknown",
			row: unknownRole,
		},
		{
			Name: "reserved_key", Doc: "messages and tools are reserved: tools holds function definitions in chat form",
			row: reservedKey,
		},
		{
			Name: "platform_key", Doc: "parallel_tool_calls is added by the platform", hosted: true,
			row: func(r *row, _ Limit) string {
				if _, ok := r.fields["parallel_tool_calls"]; ok {
					return "the platform adds a field \"parallel_tool_calls\" of its own: rename this one"
				}
				return ""
			},
		},
		{
			Name: "no_reference", Doc: "a row with only messages gives the grader nothing to compare with",
			row: func(r *row, _ Limit) string {
				if len(r.extras()) == 0 {
					return "nothing but messages: the grader has no reference to compare with"
				}
				return ""
			},
		},
		{Name: "empty_content", Doc: "a user message without text asks nothing", row: emptyContent},
		{
			Name: "null_reference", Doc: "a reference that is null gives the grader nothing to compare with",
			file: nullReference,
		},
		{
			Name: "safety_phrase", Doc: "asking for the chain of thought trips the platform's safety screening",
			hosted: true, row: func(r *row, _ Limit) string {
				for i, m := range r.item.Messages {
					if strings.Contains(strings.ToLower(m.Content), "chain of thought") {
						return fmt.Sprintf(
							"messages[%d] mentions the \"chain of thought\", which the safety screening "+
								"of files may refuse", i)
					}
				}
				return ""
			},
		},
		{Name: "extra_keys", Doc: "every row should have the same fields", file: unevenKeys},
		{Name: "mixed_types", Doc: "a field should hold one type of value in all rows", file: mixedTypes},
		{Name: "same_answer", Doc: "one answer for all rows can be learnt without the task", file: sameAnswer},
		{Name: "split_keys", Doc: "the evaluation rows should have the fields of the training rows", files: splitKeys},
	}
}

func unknownRole(r *row, _ Limit) string {
	for i, m := range r.item.Messages {
		switch m.Role {
		case "developer", "system", "user", "assistant", "tool":
		default:
			return fmt.Sprintf("messages[%d] has the unknown role %q", i, m.Role)
		}
	}
	return ""
}

func emptyContent(r *row, _ Limit) string {
	for i, m := range r.item.Messages {
		if m.Role == "user" && strings.TrimSpace(m.Content) == "" && !hasParts(m) {
			return fmt.Sprintf("messages[%d]: the user message is empty", i)
		}
	}
	return ""
}

// hasParts reports whether a message has content other than text, such as an image.
func hasParts(m rollout.Message) bool {
	var parts []struct {
		Text *string `json:"text"`
	}
	return jsontext.Unmarshal(m.Parts, &parts) == nil && slices.ContainsFunc(parts, func(p struct {
		Text *string `json:"text"`
	},
	) bool {
		return p.Text == nil
	})
}

// nullReference finds null references: in any row for the usual names of a reference, in all rows
// for other names.
func nullReference(_ *File, rows []row, _ Limit) string {
	null, first := map[string]int{}, map[string]int{}
	for i := range rows {
		for _, name := range rows[i].extras() {
			if raw := rows[i].fields[name]; isAnswer(name) && absent(raw) {
				if null[name]++; null[name] == 1 {
					first[name] = rows[i].item.Line
				}
			}
		}
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(null)) {
		if null[name] == len(rows) || slices.Contains(rollout.ReferenceFields(), name) {
			words = append(words, fmt.Sprintf("%q is null in %d of %d rows (first in line %d): the grader has "+
				"nothing to compare with", name, null[name], len(rows), first[name]))
		}
	}
	return some(words)
}

func reservedKey(r *row, _ Limit) string {
	if r.item.Tools == nil {
		return ""
	}
	tools, err := functions(r.item.Tools)
	if err != nil {
		return "\"tools\" is reserved for function definitions: " + err.Error()
	}
	for i, t := range tools {
		if !t.nested {
			return fmt.Sprintf("tools[%d] is not in chat form: write {\"type\":\"function\",\"function\":{…}}", i)
		}
	}
	return ""
}

// unevenKeys finds fields that some rows have and others lack.
func unevenKeys(_ *File, rows []row, _ Limit) string {
	have := map[string]int{}
	for i := range rows {
		for _, name := range rows[i].extras() {
			have[name]++
		}
	}
	var uneven []string
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if have[name] == len(rows) {
			continue
		}
		first := slices.IndexFunc(rows, func(r row) bool { _, ok := r.fields[name]; return !ok })
		uneven = append(uneven, fmt.Sprintf("%q is missing in %d of %d rows (first in line %d)", name,
			len(rows)-have[name], len(rows), rows[first].item.Line))
	}
	return some(uneven)
}

// mixedTypes finds fields that hold different types of value in different rows. null fits every
// type.
func mixedTypes(_ *File, rows []row, _ Limit) string {
	type seen struct {
		kind string
		line int
	}
	first, mixed := map[string]seen{}, map[string]string{}
	for i := range rows {
		for _, name := range rows[i].extras() {
			kind, line := kindOf(rows[i].fields[name]), rows[i].item.Line
			f, met := first[name]
			switch {
			case kind == "":
			case !met:
				first[name] = seen{kind, line}
			case f.kind != kind && mixed[name] == "":
				mixed[name] = fmt.Sprintf("%q is %s in line %d and %s in line %d", name, f.kind, f.line, kind, line)
			}
		}
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(mixed)) {
		words = append(words, mixed[name])
	}
	return some(words)
}

func kindOf(raw json.RawMessage) string {
	switch raw = bytes.TrimSpace(raw); {
	case absent(raw):
		return ""
	case raw[0] == '"':
		return "a string"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case raw[0] == 't', raw[0] == 'f':
		return "true or false"
	}
	return "a number"
}

// answerWords mark a field that holds the right answer.
var answerWords = []string{"answer", "reference", "expected", "target", "label", "truth", "solution", "gold", "correct"}

func isAnswer(name string) bool {
	return slices.ContainsFunc(answerWords, func(w string) bool { return strings.Contains(strings.ToLower(name), w) })
}

// sameAnswer finds an answer field with the same value in all rows.
func sameAnswer(_ *File, rows []row, _ Limit) string {
	if len(rows) < 2 {
		return ""
	}
	var same []string
	for _, name := range rows[0].extras() {
		value := rows[0].fields[name]
		if !isAnswer(name) || absent(value) {
			continue
		}
		if !slices.ContainsFunc(rows, func(r row) bool { return !bytes.Equal(r.fields[name], value) }) {
			same = append(same, fmt.Sprintf("%q is %.60s in all %d rows: it can be learnt without the task", name,
				value, len(rows)))
		}
	}
	return some(same)
}

// splitKeys finds training fields that no evaluation row has.
func splitKeys(files []*File, _ Limit) (*File, string) {
	indexOf := func(split rollout.Split) int {
		return slices.IndexFunc(files, func(f *File) bool { return f.Split == split })
	}
	train, eval := indexOf(rollout.Train), indexOf(rollout.Eval)
	if train < 0 || eval < 0 {
		return nil, ""
	}
	needed, have := extraKeys(files[train]), extraKeys(files[eval])
	var lacking []string
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		if !have[name] {
			lacking = append(lacking, fmt.Sprintf("no row has the field %q of the training rows", name))
		}
	}
	if len(lacking) == 0 {
		return nil, ""
	}
	return files[eval], some(lacking)
}

func extraKeys(f *File) map[string]bool {
	keys := map[string]bool{}
	for _, r := range decodeRows(f) {
		for _, name := range r.extras() {
			keys[name] = true
		}
	}
	return keys
}

// some joins up to five complaints.
func some(words []string) string {
	const shown = 5
	if len(words) > shown {
		words = append(slices.Clone(words[:shown]), fmt.Sprintf("and %d more", len(words)-shown))
	}
	return strings.Join(words, "; ")
}
