// Package docs holds the pages for readers, and hands out those that machines read as
// well: the JSON Schemas of what gonogo writes. A test makes them from the types and
// their comments.
package docs

import _ "embed"

// Schema is the JSON Schema (draft 2020-12) of one kind of file.
type Schema struct {
	Name  string // the file is docs/NAME.schema.json
	Topic string // of gonogo help, which prints it
	Doc   string // what it is the schema of
	JSON  []byte
}

var (
	//go:embed result.schema.json
	resultJSON []byte
	//go:embed comparison.schema.json
	comparisonJSON []byte
	//go:embed curation.schema.json
	curationJSON []byte
	//go:embed night.schema.json
	nightJSON []byte
	//go:embed history.schema.json
	historyJSON []byte
)

// Schemas lists the schemas.
func Schemas() []Schema {
	return []Schema{
		{"result", "result", "result.json", resultJSON},
		{"comparison", "comparison", "comparison.json", comparisonJSON},
		{"curation", "curation", "what gonogo curate --json prints", curationJSON},
		{"night", "night", "a line of nights.jsonl", nightJSON},
		{"history", "history.json", "history.json", historyJSON}, // history is a command,
	}
}
