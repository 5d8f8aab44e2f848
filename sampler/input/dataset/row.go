package dataset

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"

	"gonogo/sampler/input/spelling"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// reader turns rows into items and keeps what it must compare them with.
type reader struct {
	file *File
	errs []error
	ids  map[string]firstUse
	rows map[[sha256.Size]byte]int // canonical row without its id -> first line

	written map[string]canonicalField // by the field's name

	unnamed, wrapped, repeated, copies lines

	likely map[string]int // rows without a conversation, by the field that often holds a question
}

// unprompted is the error of a file whose rows, as far as it was read, all lack a conversation and
// have a field that often holds a question.
type unprompted struct {
	error
	field string
}

func (e *unprompted) Unwrap() error { return e.error }

// err joins what is wrong with the rows.
func (rd *reader) err() error {
	err := errors.Join(rd.errs...)
	for field, n := range rd.likely {
		if n == rd.file.Rows {
			return &unprompted{err, field}
		}
	}
	return err
}

// firstUse is the first use of an id.
type firstUse struct {
	line   int
	number bool // the id is written as a number
	row    [sha256.Size]byte
}

// lines counts rows and remembers the first.
type lines struct{ n, first int }

func (l *lines) add(line int) {
	if l.n++; l.n == 1 {
		l.first = line
	}
}

func (rd *reader) fail(line int, format string, args ...any) {
	rd.errs = append(rd.errs, fmt.Errorf("%s:%d: %w", rd.file.Path, line, fmt.Errorf(format, args...)))
}

// row reads one line that is not blank.
func (rd *reader) row(text []byte, line int) {
	rd.file.Rows++
	if !utf8.Valid(text) {
		rd.fail(line, "not UTF-8 text")
		return
	}
	fields, err := object(text)
	if err != nil {
		rd.fail(line, "%w", err)
		return
	}
	if inner, ok := unwrap(fields); ok {
		rd.wrapped.add(line)
		text = inner
		if fields, err = object(text); err != nil {
			rd.fail(line, "item: %w", err)
			return
		}
	}
	if list := prompted(fields, rd.file.options.PromptField); list != nil {
		rd.file.prompted.add(line)
		if _, ok := fields["messages"]; ok { // replaced by the named field
			delete(fields, "messages")
			if text, err = json.Marshal(fields); err != nil {
				rd.fail(line, "%w", err)
				return
			}
		}
		fields["messages"] = list
		_, rest, _ := bytes.Cut(text, []byte{'{'})
		if text = slices.Concat([]byte(`{"messages":`), list); len(bytes.TrimSpace(rest)) > len("}") {
			text = append(text, ',')
		}
		text = append(text, rest...)
	}
	it := rollout.Item{Split: rd.file.Split, File: rd.file.base(), Line: line, Row: bytes.Clone(text)}
	if err := messages(&it, fields["messages"]); err != nil {
		if near, ok := spelling.Suggest("messages", slices.Sorted(maps.Keys(fields))); ok &&
			absent(fields["messages"]) {
			err = fmt.Errorf("%w, but the row has %q", err, near)
		} else if name, whole := likelyPrompt(fields); name != "" && absent(fields["messages"]) {
			if whole {
				rd.likely[name]++
			}
			err = fmt.Errorf("%w; the key data.prompt names another field that holds them or the user's text, such "+
				"as %q", err, name)
		}
		rd.fail(line, "%w", err)
		return
	}
	opt := rd.file.options
	it.Category = jsontext.TextOrJSON(fields[opt.CategoryField])
	it.Family = jsontext.TextOrJSON(fields[opt.FamilyField])
	id, number, err := itemID(fields[opt.IDField])
	if err != nil {
		rd.fail(line, "%q: %w", opt.IDField, err)
		return
	}
	if it.ID = id; id == "" {
		rd.unnamed.add(line)
		it.ID = fmt.Sprintf("line-%d", line)
	}
	if rd.unique(it.ID, number, line, fields) {
		rd.file.Items = append(rd.file.Items, it)
	}
}

// unique reports whether the row is to be kept, and records an error if its id is taken.
func (rd *reader) unique(id string, number bool, line int, fields map[string]json.RawMessage) bool {
	full, rest := rd.fingerprints(fields)
	switch first, taken := rd.ids[id]; {
	case taken && first.number != number:
		rd.fail(line, "id %s is written once as a string and once as a number (line %d): write all ids one way", id,
			first.line)
		return false
	case taken && first.row != full:
		rd.fail(line, "id %q is taken by a different row in line %d: give every item an id of its own", id, first.line)
		return false
	case taken:
		rd.repeated.add(line)
		rd.file.Repeats = append(rd.file.Repeats, Repeat{Line: line, First: first.line})
		return false
	}
	rd.ids[id] = firstUse{line, number, full}
	if _, seen := rd.rows[rest]; seen {
		rd.copies.add(line)
	} else {
		rd.rows[rest] = line
	}
	return true
}

// finish reports the counts as Problems.
func (rd *reader) finish() {
	f := rd.file
	note := func(l lines, rule, format string) {
		if l.n > 0 {
			f.Problems = append(f.Problems, rollout.Problem{
				Split: f.Split, File: f.base(), Line: l.first, Rule: rule,
				Message: fmt.Sprintf(format, l.n, f.Rows),
			})
		}
	}
	note(rd.wrapped, "wrapped",
		`rows wrapped as {"item":{…}}, as files for evals are: %d of %d; the inner object was used; training files are not wrapped`)
	note(rd.repeated, "repeated_row", "rows that repeat an earlier row with its id: %d of %d; they were left out")
	note(rd.copies, "duplicate_row", "rows that are copies of an earlier row under another id: %d of %d")
	note(rd.unnamed, "no_id", "rows without \""+f.options.IDField+
		"\", named after their line: %d of %d; results of two versions of the file cannot be matched")
}

// object decodes a JSON object one level deep.
func object(text []byte) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	err := jsontext.Unmarshal(text, &fields)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("broken JSON at column %d: %w", syntax.Offset, err)
	case errors.As(err, &kind):
		return nil, fmt.Errorf("a row must be a JSON object, this is %s", kind.Value)
	case err != nil:
		return nil, fmt.Errorf("broken JSON: %w", err)
	case fields == nil:
		return nil, errors.New("a row must be a JSON object, this is null")
	}
	return fields, nil
}

// unwrap returns the row inside {"item":{"messages":…}}.
func unwrap(fields map[string]json.RawMessage) (json.RawMessage, bool) {
	if _, ok := fields["messages"]; ok {
		return nil, false
	}
	var inner struct {
		Messages json.RawMessage `json:"messages"`
	}
	item, ok := fields["item"]
	if !ok || jsontext.Unmarshal(item, &inner) != nil || inner.Messages == nil {
		return nil, false
	}
	return item, true
}

// prompted returns the conversation of a row that holds it in another field than messages, or as JSON
// text: as messages or as the user's text, in the named field or, if name is "", in prompt, where the
// trainers of TRL and verl read it; nil if there is none.
func prompted(fields map[string]json.RawMessage, name string) json.RawMessage {
	_, has := fields["messages"]
	switch {
	case name == "messages", name == "" && has:
		return conversation(fields["messages"])
	case name == "":
		name = "prompt"
	}
	switch prompt := fields[name]; kindOf(prompt) {
	case "a list":
		return prompt
	case "a string":
		if list := conversation(prompt); list != nil {
			return list
		}
		return slices.Concat([]byte(`[{"role":"user","content":`), prompt, []byte(`}]`))
	}
	return nil
}

// conversation returns the messages that a string holds as JSON text; nil if it holds anything else.
func conversation(text json.RawMessage) json.RawMessage {
	if kindOf(text) != "a string" {
		return nil
	}
	list := json.RawMessage(jsontext.TextOrJSON(text))
	var messages []struct {
		Role string `json:"role"`
	}
	if jsontext.Unmarshal(list, &messages) != nil || len(messages) == 0 || messages[0].Role == "" {
		return nil
	}
	return list
}

// likelyPrompt returns a field that often holds a question; "" if there is none. whole says that no
// other field may hold a part of it.
func likelyPrompt(fields map[string]json.RawMessage) (name string, whole bool) {
	found := 0
	for _, likely := range []string{
		"question", "problem", "instruction", "input", "query", "text", "conversations", "context", "system",
	} {
		if !absent(fields[likely]) {
			name, found = cmp.Or(name, likely), found+1
		}
	}
	return name, found == 1
}

// messages decodes the item's conversation and checks that it is one.
func messages(it *rollout.Item, raw json.RawMessage) error {
	var list []json.RawMessage
	switch {
	case absent(raw):
		return errors.New(`missing "messages"`)
	case jsontext.Unmarshal(raw, &list) != nil:
		return errors.New(`"messages" must be a list of messages`)
	case len(list) == 0:
		return errors.New(`"messages" is empty`)
	}
	for i, m := range list {
		var role struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		if err := jsontext.Unmarshal(m, &role); err != nil || bytes.TrimSpace(m)[0] != '{' {
			return fmt.Errorf(`messages[%d] must be an object with a "role"`, i)
		}
		if role.Role == "" {
			return fmt.Errorf(`messages[%d]: missing "role"`, i)
		}
		if role.Role != "user" {
			continue // an assistant message with tool calls has no content
		}
		switch kind := kindOf(role.Content); kind {
		case "a string", "a list":
		case "":
			return fmt.Errorf(`messages[%d]: the user message has no "content"`, i)
		default:
			return fmt.Errorf(
				`messages[%d]: the "content" of a user message is a string or a list of parts, this is %s`, i, kind)
		}
	}
	if err := it.Decode(); err != nil {
		return fmt.Errorf("messages: %w", err)
	}
	return nil
}

var wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)

// itemID returns an item's id as text, "" if the row has none, and whether it is written as a
// number.
func itemID(raw json.RawMessage) (id string, number bool, err error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case absent(raw):
		return "", false, nil
	case raw[0] == '"':
		if id = jsontext.TextOrJSON(raw); id == "" {
			return "", false, errors.New("the id is empty")
		}
		return id, false, nil
	case wholeNumber.Match(raw):
		return string(raw), true, nil
	}
	return "", false, fmt.Errorf("an id must be a string or a whole number, got %.40s", raw)
}

// absent reports whether a field is missing or null.
func absent(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || bytes.Equal(raw, []byte("null"))
}

// fingerprints hashes a row with and without its id. The order of keys, at any depth, and white
// space do not matter.
func (rd *reader) fingerprints(fields map[string]json.RawMessage) (full, rest [sha256.Size]byte) {
	withID, without := sha256.New(), sha256.New()
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		text := rd.canonical(key, fields[key])
		withID.Write(text)
		if key != rd.file.options.IDField {
			without.Write(text)
		}
	}
	return [sha256.Size]byte(withID.Sum(nil)), [sha256.Size]byte(without.Sum(nil))
}

// canonicalField is a field in the form last read, and its canonical form.
type canonicalField struct{ raw, text []byte }

// canonical returns a field in a form that does not depend on how it is written. It caches the last
// value of each field: most rows have the same tools as the row before.
func (rd *reader) canonical(key string, raw json.RawMessage) []byte {
	if last, ok := rd.written[key]; ok && bytes.Equal(last.raw, raw) {
		return last.text
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return nil // not reached: the row was decoded before
	}
	text, err := json.Marshal([]any{key, value})
	if err != nil {
		return nil // not reached: value was decoded from JSON
	}
	rd.written[key] = canonicalField{raw, text}
	return text
}
