package main

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"gonogo/report/reporttest"
)

// keepToSchema holds every result.json that a script leaves behind to the
// published schema.
func keepToSchema(t testscript.T, dir string) {
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != resultFile {
			return err
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := reporttest.CheckResult(b); err != nil {
			t.Log(file, err)
			t.FailNow()
		}
		return nil
	})
	if err != nil {
		t.Log(err)
		t.FailNow()
	}
}
