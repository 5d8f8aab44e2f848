package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/gate"
)

// docs/gates.md has every gate with its facts and thresholds, and where those of the
// first schema went.
func TestDocsShowTheGates(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "gates.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(b), "<!-- made -->\n")
	if !found {
		t.Fatalf("%s has no place for the gates", path)
	}
	want := head + "<!-- made -->\n" + gateSections() + movedTables()
	for _, row := range gate.All().Thresholds() {
		if !strings.Contains(want, fmt.Sprintf("| `%s` | %s | %g |", row.Name, row.Unit, row.Default)) {
			t.Errorf("%s has no row for the threshold %s", path, row.Name)
		}
	}
	if want == string(b) {
		return
	}
	if !*update {
		t.Fatalf("%s differs from gate.All() (-update writes it)", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func gateSections() string {
	var s strings.Builder
	for _, g := range gate.All() {
		fmt.Fprintf(&s, "\n## %s\n\n%s\n", g.Name, g.Doc)
		for i, part := range g.Parts {
			if i == 0 {
				s.WriteString("\n")
			}
			fmt.Fprintf(&s, "- `%s`: %s\n", part.Name, part.Doc)
		}
		s.WriteString(thresholdRows(g.Thresholds))
	}
	var others []analysis.Threshold
	for _, row := range gate.All().Thresholds() {
		if strings.HasPrefix(row.Name, "compare.") {
			others = append(others, row)
		}
	}
	return s.String() + "\n## Thresholds of gonogo compare\n" + thresholdRows(others)
}

func thresholdRows(list []analysis.Threshold) string {
	if len(list) == 0 {
		return ""
	}
	var s strings.Builder
	s.WriteString("\n| threshold | unit | default | what it is |\n|---|---|--:|---|\n")
	for _, row := range list {
		fmt.Fprintf(&s, "| `%s` | %s | %g | %s |\n", row.Name, row.Unit, row.Default, row.Doc)
	}
	return s.String()
}

func movedTables() string {
	var s strings.Builder
	s.WriteString("\n## Where the gates of gonogo/result/1 are\n\n| fact | of the gate |\n|---|---|\n")
	for _, m := range gate.RenamedGates() {
		fmt.Fprintf(&s, "| `%s` | [`%s`](#%s) |\n", m.Old, m.New, anchor(m.New))
	}
	s.WriteString("\n## Where former thresholds are\n\n| threshold before | now |\n|---|---|\n")
	for _, m := range gate.RenamedThresholds() {
		if m.Now != "" {
			fmt.Fprintf(&s, "| `%s` | `%s`: %s |\n", m.Old, m.New, m.Now)
		} else if m.Set {
			fmt.Fprintf(&s, "| `%s` | `%s` |\n", m.Old, m.New)
		} else {
			fmt.Fprintf(&s, "| `%s` | always %g, a part of `%s` |\n", m.Old, m.At, m.New)
		}
	}
	return s.String()
}

// anchor is what a heading is linked by.
func anchor(heading string) string { return strings.ReplaceAll(heading, ".", "") }
