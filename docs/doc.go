// Package docs holds the pages for readers, and hands out those that machines read as
// well: the glossary, and the JSON Schemas of what gonogo writes. A test makes them from the types and
// their comments.
package docs

import (
	_ "embed"
	"strings"
)

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

//go:embed glossary.md
var glossary string

// Word is a term of the glossary.
type Word struct{ Word, Meaning string }

// Words lists the terms in the order in which they build on each other.
func Words() (words []Word) {
	for line := range strings.Lines(glossary) {
		word, meaning, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "| **"), " |\n"), "** | ")
		if ok {
			words = append(words, Word{word, meaning})
		}
	}
	return words
}
