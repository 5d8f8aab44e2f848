package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/report"
	reportblock "gonogo/report/block"
)

// docs/audit.md shows the audit of a real run of the world whose grader can be
// fooled.
func TestLongDocsShowTheAuditOfTheHackableWorld(t *testing.T) {
	long(t)
	if raced {
		t.Skip("numbers are not the race detector's business")
	}
	t.Parallel()
	result, _ := runDemo(t, "--world", "hackable", "-o", filepath.Join(t.TempDir(), "run"))
	var lead string
	var probes reportblock.Grid
	for _, section := range report.NewRunPage(result, report.Options{}).Doc().Rest {
		for _, b := range section.Blocks {
			switch b := b.(type) {
			case reportblock.Note:
				if section.ID == "grader" && lead == "" {
					lead = b.Texts[0]
				}
			case reportblock.Grid:
				if section.ID == "grader" && len(b.Rows) == len(result.Grader.Probes) {
					probes = b
				}
			}
		}
	}
	if len(probes.Rows) == 0 || lead == "" {
		t.Fatal("the report shows no probes")
	}
	var table strings.Builder
	table.WriteString("\n| probe | | a sound grader | items | counted | their share, with 95 % interval |\n|---|---|---|--:|---|---|\n")
	for _, row := range probes.Rows {
		fmt.Fprintf(&table, "| `%s` | %s |\n", row[0], strings.Join(row[1:6], " | "))
	}
	fmt.Fprintf(&table, "\n%s\n", lead)
	pageHas(t, "audit.md", "audit", table.String())
}

// pageHas wants a text between a page's marks of a name; -update puts it there.
func pageHas(t *testing.T, page, mark, want string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", page)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want += "\n"
	open, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->"
	head, rest, ok := strings.Cut(string(b), open)
	was, rest, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the %s", path, mark)
	}
	if *update {
		if err := os.WriteFile(path, []byte(head+open+want+end+rest), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if was != want {
		t.Errorf("the %s in %s is not up to date: run with -update, and look\n%s", mark, path, cmp.Diff(was, want))
	}
}
