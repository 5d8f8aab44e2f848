package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis/gate"
	"gonogo/fixtures"
)

// docs/worlds.md shows every template and has a world for every gate.
func TestDocsShowTheWorlds(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "worlds.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(b)
	for _, part := range []struct{ begin, text string }{
		{"near", nearTable()}, {"worlds", worldSections(t)}, {"others", otherTable()}, {"gates", gateTable()},
	} {
		before, rest, found := strings.Cut(want, "<!-- "+part.begin+" -->\n")
		_, after, ended := strings.Cut(rest, "<!-- end -->")
		if !found || !ended {
			t.Fatalf("%s: no place for %s", path, part.begin)
		}
		want = before + "<!-- " + part.begin + " -->\n\n" + part.text + "\n<!-- end -->" + after
	}
	if want == string(b) {
		return
	}
	if !*update {
		t.Fatalf("%s tells another story than fixtures.Worlds() (-update writes it)", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// nearTable leads from a task to the nearest template.
func nearTable() string {
	var s strings.Builder
	s.WriteString("| your task is like | start from | its verdict |\n|---|---|---|\n")
	for _, w := range fixtures.Templates() {
		fmt.Fprintf(&s, "| %s | [`%s`](#%s) | %s |\n", w.Like, w.Name, w.Name, outcomeOf(w))
	}
	return s.String()
}

// outcomeOf is a world's verdict with what it depends on.
func outcomeOf(w fixtures.World) string {
	s := w.Verdict
	if w.Gate != "" {
		s += " by `" + w.Gate + "`"
	}
	if more := w.OtherCautions(); len(more) > 0 {
		s += ", with cautions: `" + strings.Join(more, "`, `") + "`"
	}
	return s
}

func worldSections(t *testing.T) string {
	t.Helper()
	var s strings.Builder
	worlds := fixtures.Worlds()
	for i, w := range fixtures.Templates() {
		if i > 0 {
			s.WriteString("\n")
		}
		fmt.Fprintf(&s, "## %s\n\n%s Verdict: %s.\n", w.Name, w.Doc, outcomeOf(w))
		s.WriteString(seen(t, w))
		if len(w.Needs) > 0 {
			fmt.Fprintf(&s, "\nIt needs `%s`.\n", strings.Join(w.Needs, "`, `"))
		}
		for _, p := range w.Policies {
			fmt.Fprintf(&s, "\nTo compare with: %s\n\n<!-- not run: it takes minutes, and the tests of the world run it -->\n```sh\ngonogo demo --world %s\ngonogo demo --world %s --set model.name=%s -o other\ngonogo compare demo-%s other -o compared\n```\n", p.Doc, w.Name, w.Name, p.Name, w.Name)
		}
		for _, twin := range worlds {
			if strings.HasPrefix(twin.Name, w.Name+"-") {
				fmt.Fprintf(&s, "\nIts twin `%s`: %s Verdict: %s.\n", twin.Name, twin.Doc, outcomeOf(twin))
				s.WriteString(seen(t, twin))
			}
		}
	}
	return s.String()
}

// seen is a world's summary picture, with three lines on what to see in it.
func seen(t *testing.T, w fixtures.World) string {
	t.Helper()
	if len(w.See) != 3 {
		t.Errorf("%s says in %d lines what to see, not in three", w.Name, len(w.See))
	}
	return fmt.Sprintf("\n![The summary of %s](worlds/%s.png)\n\n- %s\n", w.Name, w.Name, strings.Join(w.See, "\n- "))
}

// otherTable lists the worlds that are no templates.
func otherTable() string {
	var s strings.Builder
	s.WriteString("| world | verdict | what it is |\n|---|---|---|\n")
	for _, w := range fixtures.Worlds() {
		if len(w.See) == 0 { // the others have their sections
			fmt.Fprintf(&s, "| `%s` | %s | %s |\n", w.Name, outcomeOf(w), w.Doc)
		}
	}
	return s.String()
}

func gateTable() string {
	var s strings.Builder
	s.WriteString("| gate | decides | is the only caution of |\n|---|---|---|\n")
	for _, g := range gate.All() {
		var decides, only []string
		for _, w := range fixtures.Worlds() {
			if w.Gate == g.Name {
				decides = append(decides, "`"+w.Name+"`")
			}
			if w.Gate == "" && slices.Equal(w.Cautions, []string{g.Name}) {
				only = append(only, "`"+w.Name+"`")
			}
		}
		fmt.Fprintf(&s, "| `%s` | %s | %s |\n", g.Name, strings.Join(decides, ", "), strings.Join(only, ", "))
	}
	return s.String()
}
