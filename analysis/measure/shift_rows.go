package measure

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/shift"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// shiftRow is one item in the form used for comparisons.
type shiftRow struct {
	entry    *shift.Entry
	lastUser string
	rest     string  // the prompt without the last user message
	fields   []field // by name
}

// field is a field of a row that is neither shown to the model nor a reference.
type field struct {
	name  string
	value json.RawMessage
}

func (r shiftRow) key() collect.ItemKey {
	return collect.ItemKey{Split: rollout.Split(r.entry.Split), ID: r.entry.ID}
}

// origins maps each row that repeats another of its split to the first such row.
type origins map[collect.ItemKey]collect.ItemKey

func originsOf(sh *analysis.Shift) origins {
	o := make(origins)
	for _, d := range sh.Duplicates {
		if d.Kind == shift.ExactLeak {
			a := collect.ItemKey{Split: d.ASplit, ID: d.A}
			if first, ok := o[a]; ok { // a copy of a copy
				a = first
			}
			o[collect.ItemKey{Split: d.BSplit, ID: d.B}] = a
		}
	}
	return o
}

// once keeps only the first of the rows that repeat each other: a classifier recognizes a row that
// it was trained on, and would report a shift that is only copies. The number of copies is a
// separate finding (data.degenerate).
func once[T any](list []T, key func(T) collect.ItemKey, o origins) []T {
	seen := make(map[collect.ItemKey]bool)
	return slices.DeleteFunc(slices.Clone(list), func(x T) bool {
		k := key(x)
		if first, ok := o[k]; ok {
			k = first
		}
		again := seen[k]
		seen[k] = true
		return again
	})
}

// shiftRows reads the items whose rows are known, train first. The rows point to the entries.
func shiftRows(items []rollout.Item, s analysis.Settings) (rows []shiftRow, entries []shift.Entry) {
	rows, entries = make([]shiftRow, 0, len(items)), make([]shift.Entry, 0, len(items))
	names := make(map[string]string) // each name of a field once
	for _, split := range rollout.Splits() {
		for i := range items {
			if items[i].Split == split && len(items[i].Row) > 0 {
				row, entry := newShiftRow(&items[i], s)
				row.share(names)
				entries = append(entries, entry)
				row.entry = &entries[len(entries)-1]
				if len(rows) > 0 && row.rest == rows[len(rows)-1].rest {
					row.rest = rows[len(rows)-1].rest
				}
				rows = append(rows, row)
			}
		}
	}
	return rows, entries
}

// share replaces the names of the fields by equal ones.
func (r *shiftRow) share(names map[string]string) {
	for i := range r.fields {
		name := r.fields[i].name
		if _, known := names[name]; !known {
			names[name] = name
		}
		r.fields[i].name = names[name]
	}
}

// Entry returns the parts of an item that the search for copies and conflicts needs.
func Entry(it *rollout.Item, s analysis.Settings) shift.Entry {
	_, entry := newShiftRow(it, s)
	return entry
}

func newShiftRow(it *rollout.Item, s analysis.Settings) (row shiftRow, entry shift.Entry) {
	fields := otherFields(it)
	row.fields = sortedFields(fields)
	last, start := -1, 0
	for i, m := range it.Messages {
		if m.Role == "user" {
			last = i
		}
	}
	var prompt, rest, attached []string
	for i, m := range it.Messages {
		if i < last {
			start += len(m.Content) + len("\n")
		}
		prompt = append(prompt, m.Content)
		if i != last {
			rest = append(rest, m.Role+": "+m.Content)
		}
		attached = append(attached, attachments(m.Parts)...)
	}
	row.rest = strings.Join(rest, "\n")
	whole := strings.Join(prompt, "\n")
	if last >= 0 { // shares the memory of the prompt
		row.lastUser = whole[start : start+len(it.Messages[last].Content)]
	}
	reference := referenceOf(s, it)
	return row, shift.Entry{
		ID: it.ID, Split: string(it.Split), Prompt: whole,
		Reference: reference, Accepted: it.Accepted(), Family: it.Family,
		Attached: digest(attached...), Context: contextOf(fields),
	}
}

// referenceOf returns an item's right answer.
func referenceOf(s analysis.Settings, it *rollout.Item) string {
	if s.Reference != nil {
		return s.Reference(it)
	}
	text, _, _ := it.Reference()
	return text
}

// attachments returns the parts of a message that are not text.
func attachments(parts json.RawMessage) []string {
	if len(parts) == 0 {
		return nil
	}
	var list []json.RawMessage
	if jsontext.Unmarshal(parts, &list) != nil {
		return nil
	}
	var out []string
	for _, part := range list {
		var kind struct {
			Text *string `json:"text"`
		}
		if jsontext.Unmarshal(part, &kind) != nil || kind.Text == nil {
			out = append(out, string(part))
		}
	}
	return out
}

// digest represents texts that are only compared for equality; "" for none.
func digest(texts ...string) string {
	if len(texts) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return string(sum[:])
}

// sortedFields returns fields in order of their names.
func sortedFields(fields map[string]json.RawMessage) []field {
	var list []field
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		list = append(list, field{name, fields[name]})
	}
	return slices.Clip(list)
}

// nameFields are the usual names of fields that name a row or its place.
var nameFields = []string{
	"id", "item_id", "uuid", "uid", "guid", "index", "idx", "line", "row", "no", "number",
	"split", "seed", "hash", "sha256", "created_at", "timestamp",
}

// otherFields returns the row without what the model is shown, the reference and names of the row.
// Objects are expanded by one level.
func otherFields(it *rollout.Item) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, raw := range it.Fields() {
		if name == "messages" || name == "tools" || name == "parallel_tool_calls" || names(it, name, raw) {
			continue
		}
		var inner map[string]json.RawMessage
		if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '{' &&
			jsontext.Unmarshal(raw, &inner) == nil {
			for sub, value := range inner {
				if !names(it, sub, value) {
					out[name+"."+sub] = value
				}
			}
			continue
		}
		out[name] = raw
	}
	return out
}

// names reports whether a field holds the reference or names the row.
func names(it *rollout.Item, name string, raw json.RawMessage) bool {
	name = strings.ToLower(name)
	return slices.Contains(nameFields, name) || strings.HasSuffix(name, "_id") ||
		slices.Contains(rollout.ReferenceFields(), name) || slices.Contains(rollout.AcceptedFields(), name) ||
		rollout.FieldText(raw) == it.ID
}

// contextOf is a digest of what tools and grader may use to distinguish rows.
func contextOf(fields map[string]json.RawMessage) string {
	if len(fields) == 0 {
		return ""
	}
	b, err := json.Marshal(fields)
	if err != nil {
		return ""
	}
	return digest(string(b))
}

// texts returns the rows of a split for a comparison of texts.
func texts(rows []shiftRow, split rollout.Split, text func(*shiftRow) string) shift.Sample {
	sample := shift.Sample{Name: string(split)}
	for i := range rows {
		if rows[i].entry.Split == string(split) {
			sample.Rows = append(sample.Rows, shift.Row{ID: rows[i].entry.ID, Text: text(&rows[i])})
		}
	}
	return sample
}

// fieldKind says how a field of the rows can be compared.
type fieldKind int

const (
	leftOut fieldKind = iota
	numeric
	categorical
)

// Limits for treating a field's values as categories and not as names: the number of values, the
// rows per value on average, and the bytes of a value.
const (
	mostLevels    = 50
	rowsPerLevel  = 5
	longestLevel  = 64
	leastForField = 0.2 // share of the rows that must have the field
)

// fieldKinds decides for every field how it is compared.
func fieldKinds(rows []shiftRow) map[string]fieldKind {
	values := map[string][]fieldValue{}
	for i := range rows {
		for _, f := range rows[i].fields {
			values[f.name] = append(values[f.name],
				fieldValue{rollout.FieldText(f.value), isNumber(f.value), rows[i].entry.Family, rows[i].entry.Split})
		}
	}
	kinds := map[string]fieldKind{}
	for name, list := range values {
		if float64(len(list)) >= leastForField*float64(len(rows)) {
			kinds[name] = kindOfField(list)
		}
	}
	return kinds
}

type fieldValue struct {
	text   string
	number bool
	family string
	split  string
}

func isNumber(raw json.RawMessage) bool {
	var x float64
	return jsontext.Unmarshal(raw, &x) == nil && !bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

func kindOfField(list []fieldValue) fieldKind {
	if !slices.ContainsFunc(list, func(v fieldValue) bool { return !v.number }) {
		if counts(list) {
			return leftOut
		}
		return numeric
	}
	levels := map[string]int{}
	for _, v := range list {
		if len(v.text) > longestLevel {
			return leftOut
		}
		levels[v.text]++
	}
	if len(levels) > mostLevels || len(list) < rowsPerLevel*len(levels) || ofFamily(list) || drawnBy(list) {
		return leftOut
	}
	return categorical
}

// counts reports whether the values are whole numbers that are all different within a split and
// leave no gap: line numbers by another name.
func counts(list []fieldValue) bool {
	bySplit := map[string][]string{}
	for _, v := range list {
		if strings.ContainsAny(v.text, ".eE") {
			return false
		}
		bySplit[v.split] = append(bySplit[v.split], v.text)
	}
	for _, texts := range bySplit {
		slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
		first, last := parse(texts[0]), parse(texts[len(texts)-1])
		if len(slices.Compact(texts)) < len(texts) || len(texts) < 3 || last-first != float64(len(texts)-1) {
			return false
		}
	}
	return true
}

func parse(text string) (x float64) {
	if jsontext.Unmarshal([]byte(text), &x) != nil {
		return 0
	}
	return x
}

// ofFamily reports whether each value belongs to a single family: splits that share no family
// differ in such a field by design.
func ofFamily(list []fieldValue) bool {
	family := map[string]string{}
	for _, v := range list {
		if v.family == "" {
			return false
		}
		if known, ok := family[v.text]; ok && known != v.family {
			return false
		}
		family[v.text] = v.family
	}
	return true
}

// fewestGroups is the minimum number of values per split for a field to count as the one by which
// the splits were drawn.
const fewestGroups = 3

// drawnBy reports whether no two splits share a value, such as the name of a document whose rows
// all went to one split: the splits differ in such a field by design. If there are few values, they
// may be kinds of tasks, and are compared.
func drawnBy(list []fieldValue) bool {
	splitOf, groups := map[string]string{}, map[string]int{}
	for _, v := range list {
		if known, ok := splitOf[v.text]; ok {
			if known != v.split {
				return false
			}
			continue
		}
		splitOf[v.text] = v.split
		groups[v.split]++
	}
	for _, n := range groups {
		if n < fewestGroups {
			return false
		}
	}
	return len(groups) > 1
}

// fieldSample returns the rows of a split for a comparison of their fields.
func fieldSample(rows []shiftRow, split rollout.Split, kinds map[string]fieldKind) shift.Sample {
	sample := shift.Sample{Name: string(split)}
	for i := range rows {
		if rows[i].entry.Split != string(split) {
			continue
		}
		row := shift.Row{ID: rows[i].entry.ID, Numbers: map[string]float64{}, Categories: map[string]string{}}
		for _, f := range rows[i].fields {
			text := rollout.FieldText(f.value)
			switch kinds[f.name] {
			case numeric:
				row.Numbers[f.name] = parse(text)
			case categorical:
				if text != "" {
					row.Categories[f.name] = text
				}
			}
		}
		sample.Rows = append(sample.Rows, row)
	}
	return sample
}
