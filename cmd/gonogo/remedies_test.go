package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// remedies are the texts of package analysis that name a command on a run, by a part
// of each, with the script that runs it in the state that prints it.
var remedies = map[string]string{
	"Close the hole in the grader. gonogo grade RUN -o RUN-2":        "remedies",
	"Change the grader so that it gives a worthless answer a grade":  "remedies",
	"A worthless answer should get the lowest grade, not a failure":  "remedies",
	"gonogo audit RUN then repeats what failed":                      "remedies",
	"gonogo audit RUN --items 40 puts the probes to more":            "remedies",
	"Fix the detector, then run gonogo audit RUN again.":             "remedies",
	"Fix the grader, then run gonogo grade RUN -o RUN-2":             "remedies",
	"measure into a new run directory: gonogo run -o RUN-2":          "remedies",
	"gonogo audit RUN --replay ":                                     "remedies",
	"decode result: %w: run gonogo analyze again":                    "remedies",
	"and this version reads %q: run gonogo analyze again":            "remedies",
	"not %s, %s or %s: run gonogo analyze again":                     "remedies",
	"which contradict each other: run gonogo analyze again":          "remedies",
	"no audit was made: gonogo audit RUN makes it":                   "audit_stage",
	"no audit was made: gonogo audit RUN --grader FILE makes it":     "coverage",
	"there are no labels by people (gonogo audit RUN --labels FILE)": "audit",
	"no training step was rehearsed: gonogo burst does":              "burst",
}

// bareCommands are the bare commands that texts are made of.
var bareCommands = []string{"gonogo audit RUN", "gonogo audit RUN --grader FILE", "gonogo burst RUN", "gonogo run -o RUN"}

// TestEveryRemedyIsRun holds that a text which names a command is in the table, and
// that the table's scripts run it.
func TestEveryRemedyIsRun(t *testing.T) {
	names := regexp.MustCompile(`gonogo (audit|grade|burst|run|sample|analyze)( -o)? (RUN|again|does)`)
	files, err := filepath.Glob(filepath.Join("..", "..", "analysis", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	used := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil || !names.MatchString(text) || slices.Contains(bareCommands, text) {
				return true
			}
			found := false
			for part := range remedies {
				if strings.Contains(text, part) {
					used[part], found = true, true
				}
			}
			if !found {
				t.Errorf("%s: no script is named that runs the command of %q", filepath.Base(file), text)
			}
			return true
		})
	}
	for part, script := range remedies {
		text, err := os.ReadFile(filepath.Join("testdata", "script", script+".txtar"))
		if err != nil || !used[part] {
			t.Errorf("%q is said nowhere any more, or has no script: %v", part, err)
			continue
		}
		runs := regexp.MustCompile(`(?m)^(exits [0-9]|exec) gonogo ` + strings.Fields(names.FindString(part + " gonogo audit RUN")[len("gonogo "):])[0] + ` `)
		if !runs.Match(text) {
			t.Errorf("%s.txtar does not run the command of %q", script, part)
		}
	}
}
