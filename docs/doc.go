// Package docs holds the pages for readers, and hands out those that machines read as
// well: the glossary, and the JSON Schemas of what gonogo writes. A test makes them from the types and
// their comments.
package docs

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
)

// Schema is the JSON Schema (draft 2020-12) of one kind of file.
type Schema struct {
	Name  string // the file is docs/NAME.schema.json
	Topic string // of gonogo help, which prints it
	Doc   string // what it is the schema of
	JSON  []byte
}

// schemas is the schema files of this folder, packed: they are 200 kB of the binary otherwise.
//
//go:embed schemas.zip
var schemas []byte

// Schemas lists the schemas.
var Schemas = sync.OnceValue(func() []Schema {
	list := []Schema{
		{Name: "result", Topic: "result", Doc: "result.json"},
		{Name: "comparison", Topic: "comparison", Doc: "comparison.json"},
		{Name: "curation", Topic: "curation", Doc: "what gonogo curate --json prints"},
		{Name: "night", Topic: "night", Doc: "a line of nights.jsonl"},
		{Name: "history", Topic: "history.json", Doc: "history.json"}, // history is a command,
		{Name: "pilot", Topic: "pilot.json", Doc: "pilot.json"},       // and so is pilot
	}
	packed, err := zip.NewReader(bytes.NewReader(schemas), int64(len(schemas)))
	for i := range list {
		if err == nil {
			list[i].JSON, err = fs.ReadFile(packed, list[i].Name+".schema.json")
		}
	}
	if err != nil {
		panic(fmt.Sprintf("docs: schemas.zip: %v", err)) // a mistake in the program
	}
	return list
})

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
