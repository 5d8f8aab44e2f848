package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"gonogo/analysis/archive"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/training"
	"gonogo/report/reporttest"
)

// schemaOf names the published schema that a file is held to; the curation is
// what a script keeps of `gonogo curate --json`.
var schemaOf = map[string]string{
	archive.ResultFile: "result", output.ComparisonFile: "comparison", "history.json": "history", archive.NightsFile: "night", "curation.json": "curation", training.PilotFile: "pilot",
}

// keepToSchema holds every file that a script leaves behind, and that a schema
// is published for, to that schema.
func keepToSchema(t testscript.T, dir string) {
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || schemaOf[d.Name()] == "" || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		docs := [][]byte{b}
		if filepath.Ext(file) == ".jsonl" {
			docs = bytes.Split(b, []byte("\n"))
			docs = docs[:len(docs)-1] // what follows the last line end is no line, or a torn one
		}
		for _, doc := range docs {
			if err := reporttest.Check(schemaOf[d.Name()], doc); err != nil {
				t.Log(file, err)
				t.FailNow()
			}
		}
		return nil
	})
	if err != nil {
		t.Log(err)
		t.FailNow()
	}
}
