package config

import (
	"encoding/json"
	"strings"

	"gonogo/sampler/rollout"
)

// largeFile is how many rows make a subset worth proposing; firstItems is the
// subset proposed.
const (
	largeFile  = 500
	firstItems = 200
)

// label is a row field that may name an item, its category or its family.
type label struct {
	path  string   // the key
	names []string // fields that often hold it, the default first
	fits  func(rows, distinct int) bool
}

var labels = []label{
	{
		"data.id",
		[]string{"id", "item_id", "task_id", "question_id", "example_id", "sample_id", "uid", "uuid", "key"},
		func(rows, distinct int) bool { return distinct == rows },
	},
	{
		"data.category",
		[]string{"category", "type", "topic", "domain", "kind", "difficulty", "subject", "skill"},
		func(rows, distinct int) bool { return distinct > 1 && distinct <= max(20, rows/10) },
	},
	{
		"data.family",
		[]string{"family", "document", "document_id", "doc_id", "source", "repository", "repo", "company", "patient", "project", "url"},
		func(rows, distinct int) bool { return distinct > 1 && distinct < rows },
	},
}

func scalarField(it rollout.Item, name string) (string, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(it.Row, &fields) != nil {
		return "", false
	}
	raw := strings.TrimSpace(string(fields[name]))
	if raw == "" || raw == "null" || raw[0] == '{' || raw[0] == '[' {
		return "", false
	}
	return rollout.TextOrJSON(fields[name]), true
}
