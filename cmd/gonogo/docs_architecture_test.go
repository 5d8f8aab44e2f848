package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// floors are the nodes of the drawing in docs/architecture.md: each is the packages that
// begin with one of its paths, and with none longer of another's.
var floors = []struct {
	node, label string
	paths       []string
}{
	{"cmd", "cmd/gonogo: commands, gonogo.yaml, progress, exit codes", []string{"cmd/gonogo"}},
	{"viewer", "report/viewer: gonogo view", []string{"report/viewer"}},
	{"report", "report: one page; text, Markdown, HTML, PDF, JUnit, CSV", []string{"report"}},
	{"chart", "report/chart: pictures", []string{"report/chart", "report/internal/glyph", "report/internal/lettering", "report/internal/typeface"}},
	{"compare", "analysis/compare, history, curate, archive: many runs; rows", []string{"analysis/compare", "analysis/history", "analysis/curate", "analysis/archive"}},
	{"judge", "analysis/judge: run in, verdict out", []string{"analysis/judge"}},
	{"gate", "analysis/gate: one gate a file", []string{"analysis/gate"}},
	{"measure", "analysis/measure, collect: run to numbers", []string{"analysis/measure", "analysis/collect", "analysis/internal/burst"}},
	{"analysis", "analysis: Result, Finding, Settings, Gate", []string{"analysis"}},
	{"stat", "analysis/stat, shift: pure numbers", []string{"analysis/stat", "analysis/shift"}},
	{"message", "analysis/message: texts and numbers as data", []string{"analysis/message"}},
	{"boundary", "sampler/boundary, audit, burst, tryout, queue: model, tools, grader, agent, workers", []string{"sampler/boundary", "sampler/audit", "sampler/burst", "sampler/tryout", "sampler/queue"}},
	{"sampler", "sampler: the loop; Model, Tool, Grader", []string{"sampler"}},
	{"endpoint", "sampler/endpoint: one Do for every request", []string{"sampler/endpoint"}},
	{"input", "sampler/input, logs: files that people and other tools wrote", []string{"sampler/input", "sampler/logs"}},
	{"limit", "sampler/limit: pacing, retries, budgets", []string{"sampler/limit"}},
	{"rollout", "sampler/rollout: Item, Record, Manifest", []string{"sampler/rollout", "sampler/form", "sampler/jsontext", "sampler/internal"}},
	{"fixtures", "fixtures: the worlds", []string{"fixtures"}},
}

// aside lists packages that the drawing leaves out: they serve the tests, the pages and one
// target of make, or, as sampler/wording does, every floor.
var aside = []string{"analysis/calibration", "docs", "docs/testdata/library", "fixtures/backtest/judge", "report/reporttest", "sampler/wording"}

// floorOf is the node of a package, "" for one aside.
func floorOf(room string) (node string) {
	longest := 0
	for _, f := range floors {
		for _, path := range f.paths {
			if (room == path || strings.HasPrefix(room, path+"/")) && len(path) > longest && !slices.Contains(aside, room) {
				node, longest = f.node, len(path)
			}
		}
	}
	return node
}

// The drawing of docs/architecture.md follows from allowedArrows, and its table of packages from
// their docs; -update writes both.
func TestDocsShowTheFloorPlan(t *testing.T) {
	imports := make(map[string]map[string]bool)
	for room, targets := range allowedArrows {
		from := floorOf(room)
		if from == "" && !slices.Contains(aside, room) {
			t.Errorf("%s is on no floor of the drawing", room)
		}
		if imports[from] == nil {
			imports[from] = make(map[string]bool)
		}
		for _, target := range targets {
			if to := floorOf(target); to != "" && to != from {
				imports[from][to] = true
			}
		}
	}
	drawing := "```mermaid\nflowchart TD\n"
	for _, f := range floors {
		drawing += fmt.Sprintf("  %s[%s]\n", f.node, f.label)
	}
	for _, f := range floors {
		if targets := withoutDetours(imports, f.node); len(targets) > 0 {
			drawing += fmt.Sprintf("  %s --> %s\n", f.node, strings.Join(targets, " & "))
		}
	}
	fillPage(t, "architecture.md", "drawing", drawing+"```\n")

	table := "| package | what it does |\n|---|---|\n"
	for _, room := range slices.Sorted(maps.Keys(allowedArrows)) {
		if room != "docs/testdata/library" {
			table += fmt.Sprintf("| `%s` | %s |\n", room, synopsis(t, room))
		}
	}
	fillPage(t, "architecture.md", "packages", table)
}

// The files that docs/architecture.md names are there.
func TestDocsNameFilesThatAreThere(t *testing.T) {
	root := filepath.Join("..", "..")
	page := must(os.ReadFile(filepath.Join(root, "docs", "architecture.md")))(t)
	files := regexp.MustCompile("`((?:analysis|cmd|report|sampler)/[a-z_/]+\\.go)`").FindAllStringSubmatch(string(page), -1)
	if len(files) < 8 {
		t.Errorf("%d files are named: the search for them is broken", len(files))
	}
	for _, file := range files {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file[1]))); err != nil {
			t.Error(err)
		}
	}
}

// withoutDetours lists what a node imports, in the order of floors, but for what follows
// from the others.
func withoutDetours(imports map[string]map[string]bool, node string) (targets []string) {
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		for next := range imports[from] {
			if next == to || reaches(next, to) {
				return true
			}
		}
		return false
	}
	for _, f := range floors {
		detour := func(other string) bool { return other != f.node && reaches(other, f.node) }
		if imports[node][f.node] && !slices.ContainsFunc(slices.Collect(maps.Keys(imports[node])), detour) {
			targets = append(targets, f.node)
		}
	}
	return targets
}

// synopsis returns the first sentence of a package's doc, from its verb on. It skips the one
// that says whom the package serves.
func synopsis(t *testing.T, room string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(room), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		if doc := strings.Join(strings.Fields(parsed.Doc.Text()), " "); doc != "" && !strings.HasSuffix(file, "_test.go") {
			_, serves, ok := strings.Cut(doc, "may change in any release. It ")
			if !ok {
				serves = strings.SplitN(doc, " ", 3)[2] // Package NAME does ...
			}
			first, _, _ := strings.Cut(serves+" ", ". ")
			return strings.ReplaceAll(first, "|", `\|`)
		}
	}
	t.Errorf("%s has no doc", room)
	return ""
}
