package dataset

import (
	"encoding/json"
	"errors"
	"strings"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// LoadGuess reads the file as Load does. If its rows have neither messages nor a prompt, it takes the one
// field that often holds the user's text as the conversation, and returns its name. If several may be a
// part of the text, it takes none.
func LoadGuess(path string, split rollout.Split) (f *File, prompt string, err error) {
	f, err = Load(path, split, Options{})
	if without, is := errors.AsType[*unprompted](err); is {
		prompt = without.field
		f, err = Load(path, split, Options{PromptField: prompt})
	}
	return f, prompt, err
}

// GuessFields returns the fields of the rows that probably hold the item's id, category and family.
// Each is the first of its usual names under which every row of every file has a text or a number,
// with values that fit. A field that was not found is "".
func GuessFields(files []*File) Options {
	guess := func(names []string, fits func(rows, distinct int) bool) string {
		for _, name := range names {
			if holds(files, name, fits) {
				return name
			}
		}
		return ""
	}
	return Options{
		IDField: guess([]string{
			"id", "item_id", "task_id", "question_id", "example_id", "sample_id", "uid", "uuid",
			"key",
		},
			func(rows, distinct int) bool { return distinct == rows }),
		CategoryField: guess([]string{"category", "type", "topic", "domain", "kind", "difficulty", "subject", "skill"},
			func(rows, distinct int) bool { return distinct > 1 && distinct <= max(20, rows/10) }),
		FamilyField: guess([]string{
			"family", "document", "document_id", "doc_id", "source", "repository", "repo",
			"company", "patient", "project", "url",
		},
			func(rows, distinct int) bool { return distinct > 1 && distinct < rows }),
	}
}

func holds(files []*File, name string, fits func(rows, distinct int) bool) bool {
	for _, f := range files {
		distinct := map[string]bool{}
		for _, it := range f.Items {
			value, ok := scalarField(it, name)
			if !ok {
				return false
			}
			distinct[value] = true
		}
		if !fits(len(f.Items), len(distinct)) {
			return false
		}
	}
	return true
}

func scalarField(it rollout.Item, name string) (string, bool) {
	var fields map[string]json.RawMessage
	if jsontext.Unmarshal(it.Row, &fields) != nil {
		return "", false
	}
	raw := strings.TrimSpace(string(fields[name]))
	if raw == "" || raw == "null" || raw[0] == '{' || raw[0] == '[' {
		return "", false
	}
	return jsontext.TextOrJSON(fields[name]), true
}
