package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowedArrows is the floor plan: each room and the rooms it may import.
// Arrows point upstream only. "fixtures" covers its own folders but one.
var allowedArrows = map[string][]string{
	"cmd/gonogo": {
		"analysis", "analysis/archive", "analysis/collect", "analysis/compare", "analysis/curate", "analysis/gate",
		"analysis/history", "analysis/judge", "analysis/message", "analysis/price",
		"cmd/gonogo/internal/brief", "cmd/gonogo/internal/config", "cmd/gonogo/internal/console",
		"cmd/gonogo/internal/exit", "cmd/gonogo/internal/mcpserver", "cmd/gonogo/internal/output",
		"cmd/gonogo/internal/project", "cmd/gonogo/internal/stage", "cmd/gonogo/internal/training", "cmd/gonogo/internal/ui", "docs", "fixtures", "report",
		"report/chart", "report/plain", "report/recipe", "report/viewer", "sampler",
		"sampler/boundary/grader", "sampler/input/dataset", "sampler/input/setup",
		"sampler/input/spelling", "sampler/logs/exporter", "sampler/logs/importer", "sampler/queue",
		"sampler/rollout", "sampler/rollout/credential", "sampler/rollout/disk", "sampler/wording",
	},
	"cmd/gonogo/internal/stage": {
		"analysis", "analysis/compare", "analysis/gate", "analysis/judge", "analysis/measure",
		"analysis/message", "cmd/gonogo/internal/brief", "cmd/gonogo/internal/config",
		"cmd/gonogo/internal/console", "cmd/gonogo/internal/exit", "cmd/gonogo/internal/output",
		"cmd/gonogo/internal/project", "cmd/gonogo/internal/ui", "sampler", "sampler/audit",
		"sampler/boundary/grader", "sampler/burst", "sampler/endpoint", "sampler/input/document",
		"sampler/input/spelling", "sampler/limit", "sampler/rollout", "sampler/rollout/credential",
		"sampler/rollout/disk", "sampler/rollout/markup", "sampler/tryout",
	},
	// the log of a training
	// the first steps of a training, in front of a base run
	"cmd/gonogo/internal/training": {
		"analysis", "analysis/collect", "analysis/message", "analysis/pilot", "analysis/stat",
		"cmd/gonogo/internal/config", "cmd/gonogo/internal/console", "cmd/gonogo/internal/exit",
		"cmd/gonogo/internal/output", "cmd/gonogo/internal/project", "cmd/gonogo/internal/stage",
		"cmd/gonogo/internal/ui", "sampler/audit", "sampler/form", "sampler/input/dataset", "sampler/jsontext",
		"sampler/logs/importer", "sampler/rollout", "sampler/rollout/disk", "sampler/rollout/prompt",
	},
	// for coding agents
	"cmd/gonogo/internal/mcpserver": {
		"analysis", "analysis/compare", "analysis/message", "cmd/gonogo/internal/config",
		"cmd/gonogo/internal/console", "cmd/gonogo/internal/exit", "cmd/gonogo/internal/output",
		"cmd/gonogo/internal/project", "cmd/gonogo/internal/stage", "cmd/gonogo/internal/ui", "report",
		"report/block", "report/plain", "sampler/jsontext", "sampler/rollout", "sampler/rollout/credential", "sampler/wording",
	},
	"cmd/gonogo/internal/output": {
		"analysis", "analysis/archive", "analysis/collect", "analysis/compare", "analysis/gate",
		"analysis/message", "analysis/pilot", "analysis/stat", "cmd/gonogo/internal/config",
		"cmd/gonogo/internal/console", "cmd/gonogo/internal/exit", "cmd/gonogo/internal/project",
		"cmd/gonogo/internal/ui", "report",
		"sampler/input/document", "sampler/rollout", "sampler/rollout/disk",
	},
	"cmd/gonogo/internal/project": {
		"analysis", "analysis/gate", "analysis/message", "cmd/gonogo/internal/brief",
		"cmd/gonogo/internal/config", "cmd/gonogo/internal/console", "cmd/gonogo/internal/exit",
		"cmd/gonogo/internal/ui", "fixtures", "sampler", "sampler/audit", "sampler/boundary/agent",
		"sampler/boundary/environment", "sampler/boundary/grader", "sampler/boundary/isolation", "sampler/boundary/mcp",
		"sampler/boundary/model", "sampler/boundary/mutant", "sampler/boundary/proxy", "sampler/boundary/python",
		"sampler/boundary/tool", "sampler/endpoint", "sampler/input/dataset", "sampler/input/document",
		"sampler/input/job", "sampler/input/spelling", "sampler/limit", "sampler/queue",
		"sampler/rollout", "sampler/rollout/credential", "sampler/rollout/disk",
	},
	"cmd/gonogo/internal/config": {
		"analysis", "analysis/gate", "analysis/message", "analysis/price", "analysis/stat",
		"cmd/gonogo/internal/brief", "cmd/gonogo/internal/console", "cmd/gonogo/internal/exit",
		"cmd/gonogo/internal/ui", "fixtures", "report", "sampler", "sampler/audit",
		"sampler/boundary/agent", "sampler/boundary/environment", "sampler/boundary/grader",
		"sampler/boundary/isolation", "sampler/boundary/mcp", "sampler/boundary/model", "sampler/boundary/python", "sampler/burst",
		"sampler/input/dataset", "sampler/input/document", "sampler/input/job", "sampler/input/schema",
		"sampler/input/spelling", "sampler/jsontext", "sampler/limit", "sampler/queue",
		"sampler/rollout", "sampler/rollout/credential",
	},
	"cmd/gonogo/internal/ui": {
		"cmd/gonogo/internal/console", "cmd/gonogo/internal/exit", "sampler/input/spelling",
	},
	"cmd/gonogo/internal/exit": {},
	"report": {
		"analysis", "analysis/collect", "analysis/compare", "analysis/gate", "analysis/history",
		"analysis/message", "analysis/pilot", "analysis/stat", "report/block", "report/chart",
		"report/internal/html", "report/internal/junit", "report/internal/lettering",
		"report/internal/markdown", "report/internal/pdf", "report/internal/typeface", "report/plain",
		"report/table", "report/text", "sampler/rollout", "sampler/rollout/disk", "sampler/wording",
	},
	// what a report is made of
	"report/block": {"analysis/message", "report/chart", "sampler/rollout"},
	// nothing hidden in a text
	"report/plain": {},
	// for terminals, before a run is judged
	"cmd/gonogo/internal/console": {
		"analysis", "analysis/gate", "analysis/message", "analysis/pilot", "analysis/price", "fixtures", "report/plain",
		"sampler", "sampler/audit", "sampler/burst", "sampler/endpoint", "sampler/input/schema",
		"sampler/limit", "sampler/queue", "sampler/rollout", "sampler/tryout", "sampler/wording",
	},
	// a trainer's configuration
	"report/recipe": {
		"analysis", "analysis/gate", "analysis/message", "analysis/pilot", "analysis/stat",
		"report/plain", "sampler/input/dataset", "sampler/input/job", "sampler/jsontext", "sampler/rollout",
	},
	// for other programs
	"report/table": {
		"analysis", "analysis/collect", "analysis/compare", "report/plain", "sampler/rollout",
		"sampler/wording",
	},
	"report/text":              {"analysis/message", "report/block"},
	"report/internal/html":     {"analysis/message", "report/block", "report/chart", "sampler/rollout"},
	"report/internal/markdown": {"analysis/message", "report/block"},
	// test results as a file
	"report/internal/junit": {},
	// the texts of pictures
	"report/internal/lettering": {"report/internal/typeface"},
	"report/chart": {
		"analysis", "analysis/compare", "analysis/history", "analysis/message", "analysis/pilot",
		"analysis/shift", "analysis/stat", "report/internal/glyph", "report/internal/lettering", "sampler/rollout",
		"sampler/wording",
	},
	"report/internal/glyph": {},
	"report/viewer": {
		"sampler/jsontext", "sampler/rollout", "sampler/rollout/disk", "sampler/wording",
	},
	"report/internal/pdf":      {"analysis/message", "report/block", "report/chart", "report/internal/typeface"},
	"report/internal/typeface": {},
	// results for the tests of the two rooms above
	"report/reporttest": {
		"analysis", "analysis/compare", "analysis/message", "analysis/pilot", "docs",
		"report/internal/typeface",
		"sampler/rollout",
	},
	// types: Result, Finding, Settings, Gate
	"analysis": {
		"analysis/internal/automaton", "analysis/message", "analysis/price", "analysis/shift", "analysis/stat", "sampler/rollout",
		"sampler/rollout/markup", "sampler/wording",
	},
	// result.json and nights.jsonl, the one room of analysis that reads and writes files
	"analysis/archive": {
		"analysis", "analysis/compare", "analysis/curate", "analysis/history", "analysis/judge",
		"analysis/measure", "analysis/message", "analysis/pilot", "sampler/input/dataset", "sampler/rollout",
		"sampler/rollout/disk",
	},
	"analysis/collect": {
		"analysis", "analysis/price", "analysis/stat", "sampler/jsontext", "sampler/rollout",
		"sampler/rollout/markup", "sampler/rollout/prompt", "sampler/wording",
	},
	// the first steps of a training
	"analysis/pilot": {"analysis", "analysis/message", "analysis/stat"},
	// regular expressions, fast
	"analysis/internal/automaton": {},
	// endpoints under the load of a training step
	"analysis/internal/burst": {"analysis", "analysis/message", "analysis/stat", "sampler/rollout"},
	"analysis/measure": {
		"analysis", "analysis/collect", "analysis/internal/burst", "analysis/message", "analysis/price",
		"analysis/shift", "analysis/stat", "sampler/form", "sampler/jsontext", "sampler/rollout",
		"sampler/rollout/disk", "sampler/rollout/markup", "sampler/wording",
	},
	"analysis/gate": {
		"analysis", "analysis/message", "analysis/shift", "analysis/stat", "sampler/rollout",
		"sampler/rollout/markup", "sampler/wording",
	},
	// tests of gates
	"analysis/gate/gatetest": {"analysis", "sampler/rollout"},
	"analysis/judge": {
		"analysis", "analysis/gate", "analysis/measure", "analysis/message", "sampler/rollout",
	},
	"analysis/curate": {
		"analysis", "analysis/collect", "analysis/gate", "analysis/measure", "analysis/message",
		"analysis/shift", "analysis/stat", "sampler/rollout", "sampler/wording",
	},
	"analysis/compare": {
		"analysis", "analysis/collect", "analysis/gate", "analysis/judge", "analysis/measure",
		"analysis/message", "analysis/shift", "analysis/stat", "sampler/rollout", "sampler/wording",
	},
	"analysis/history": {
		"analysis", "analysis/compare", "analysis/message", "analysis/shift", "analysis/stat",
		"sampler/rollout",
	},
	"analysis/message": {"sampler/wording"},
	"analysis/shift":   {"analysis/message", "analysis/stat"},
	"analysis/stat":    {"analysis/message"},
	// tables of docs/calibration/simulations.md for the tests of the three rooms above
	"analysis/calibration": {},
	"sampler": {
		"sampler/endpoint", "sampler/internal/reported", "sampler/jsontext", "sampler/limit", "sampler/rollout",
		"sampler/rollout/credential",
	},
	"sampler/endpoint": {
		"sampler/jsontext", "sampler/limit", "sampler/rollout", "sampler/rollout/credential",
		"sampler/wording",
	},
	"sampler/limit": {},
	"sampler/rollout": {
		"sampler/internal/compressed", "sampler/internal/failure", "sampler/jsontext",
		"sampler/rollout/credential", "sampler/rollout/disk", "sampler/rollout/prompt", "sampler/wording",
	},
	// how tools say that a rollout was not judged
	"sampler/internal/failure": {},
	// JSON texts: keys, literals, exact decoding
	"sampler/jsontext": {},
	// which prompts are the same
	"sampler/rollout/prompt":     {},
	"sampler/rollout/credential": {},
	"sampler/boundary/model": {
		"sampler", "sampler/endpoint", "sampler/internal/transcript", "sampler/jsontext", "sampler/limit",
		"sampler/rollout", "sampler/rollout/credential",
	},
	"sampler/boundary/agent": {
		"sampler", "sampler/boundary/internal/process", "sampler/endpoint", "sampler/internal/failure",
		"sampler/internal/transcript", "sampler/jsontext", "sampler/limit", "sampler/rollout",
		"sampler/rollout/credential", "sampler/rollout/disk", "sampler/wording",
	},
	"sampler/boundary/environment": {
		"sampler", "sampler/boundary/agent", "sampler/boundary/internal/process", "sampler/endpoint",
		"sampler/jsontext", "sampler/rollout", "sampler/rollout/credential",
	},
	"sampler/boundary/mcp": {
		"sampler", "sampler/boundary/internal/process", "sampler/endpoint", "sampler/jsontext",
		"sampler/rollout", "sampler/rollout/credential",
	},
	"sampler/boundary/proxy": {
		"sampler", "sampler/endpoint", "sampler/internal/transcript", "sampler/jsontext",
		"sampler/rollout", "sampler/rollout/credential",
	},
	"sampler/boundary/tool": {
		"sampler", "sampler/endpoint", "sampler/jsontext", "sampler/rollout",
		"sampler/rollout/credential", "sampler/wording",
	},
	"sampler/boundary/grader": {
		"sampler", "sampler/boundary/grader/internal/formula", "sampler/boundary/grader/internal/metric",
		"sampler/boundary/internal/process", "sampler/boundary/python", "sampler/endpoint",
		"sampler/internal/failure", "sampler/jsontext", "sampler/rollout", "sampler/rollout/credential",
		"sampler/rollout/disk", "sampler/wording",
	},
	"sampler/boundary/grader/internal/formula": {},

	"sampler/boundary/grader/internal/metric": {},
	"sampler/boundary/isolation": {
		"sampler", "sampler/boundary/internal/process", "sampler/endpoint", "sampler/jsontext",
		"sampler/limit", "sampler/rollout", "sampler/rollout/credential", "sampler/rollout/disk",
	},
	"sampler/boundary/internal/process": {"sampler/wording"},
	"sampler/boundary/mutant":           {"sampler/boundary/python", "sampler/endpoint", "sampler/jsontext"},
	"sampler/boundary/python": {
		"sampler", "sampler/boundary/internal/process", "sampler/endpoint", "sampler/limit",
	},
	// what answers have in common
	"sampler/form": {},
	"sampler/audit": {
		"sampler", "sampler/form", "sampler/internal/arguments", "sampler/jsontext", "sampler/rollout", "sampler/rollout/credential",
	},
	"sampler/burst": {
		"sampler", "sampler/endpoint", "sampler/internal/arguments", "sampler/internal/reported", "sampler/jsontext", "sampler/limit",
		"sampler/rollout",
	},
	// what tools can be called with
	"sampler/internal/arguments": {"sampler/jsontext", "sampler/rollout"},
	"sampler/input/document":     {"sampler/rollout/disk"},
	"sampler/input/schema":       {"sampler/input/document", "sampler/input/spelling", "sampler/limit"},
	"sampler/input/spelling":     {},
	"sampler/rollout/markup":     {},
	// plurals and shortened texts
	"sampler/wording": {},
	"sampler/tryout": {
		"sampler", "sampler/audit", "sampler/endpoint", "sampler/rollout", "sampler/rollout/markup",
		"sampler/wording",
	},
	"sampler/queue": {
		"sampler", "sampler/endpoint", "sampler/jsontext", "sampler/limit", "sampler/rollout",
		"sampler/rollout/credential", "sampler/rollout/disk", "sampler/wording",
	},
	"cmd/gonogo/internal/brief": {
		"sampler/input/dataset", "sampler/input/document", "sampler/jsontext", "sampler/rollout",
	},
	"sampler/input/dataset": {
		"sampler/input/spelling", "sampler/internal/compressed", "sampler/internal/jsonrows",
		"sampler/internal/parquetfile", "sampler/jsontext", "sampler/rollout", "sampler/rollout/disk",
	},
	"sampler/logs/importer": {
		"sampler/input/document", "sampler/internal/compressed", "sampler/internal/failure", "sampler/internal/jsonrows",
		"sampler/internal/parquetfile", "sampler/internal/transcript", "sampler/jsontext",
		"sampler/rollout", "sampler/rollout/prompt", "sampler/wording",
	},
	"sampler/internal/compressed":  {},
	"sampler/internal/jsonrows":    {},
	"sampler/internal/parquetfile": {},
	"sampler/internal/transcript":  {"sampler/jsontext", "sampler/rollout"},
	"sampler/internal/reported":    {"sampler/jsontext", "sampler/rollout"},
	"sampler/logs/exporter": {
		"sampler/internal/transcript", "sampler/jsontext", "sampler/rollout", "sampler/rollout/disk",
		"sampler/wording",
	},
	"sampler/input/setup": {"sampler/input/document", "sampler/jsontext", "sampler/wording"},
	"sampler/input/job":   {"sampler/input/document", "sampler/jsontext", "sampler/rollout/credential"},
	"fixtures":            {"fixtures", "sampler/jsontext"},
	// pages for readers, and the schema of result.json
	"docs": {},
	// a module of its own, as a user of the packages would write it
	"docs/testdata/library": {
		"analysis", "analysis/gate", "analysis/judge", "analysis/message", "report", "report/chart",
		"sampler", "sampler/audit", "sampler/rollout",
	},
	// make backtest
	"fixtures/backtest/judge": {
		"analysis", "analysis/gate", "analysis/judge", "analysis/pilot", "analysis/stat", "fixtures", "report/chart",
		"sampler/audit", "sampler/rollout",
	},
	"analysis/price":       {"analysis/message", "sampler/rollout"},
	"sampler/rollout/disk": {},
}

// standardOnly rooms import the standard library and other rooms, no module.
var standardOnly = []string{"analysis/internal/automaton", "analysis/message", "sampler/internal/failure", "sampler/jsontext", "sampler/rollout", "sampler/rollout/disk", "sampler/rollout/credential", "sampler/limit", "sampler/wording", "sampler/input/spelling", "sampler/boundary/grader/internal/formula", "sampler/boundary/grader/internal/metric", "fixtures"}

// pureRooms neither reach a network nor open files.
var pureRooms = map[string][]string{
	"analysis":                    {"net", "net/http", "os", "os/exec"},
	"analysis/archive":            {"net", "net/http", "os/exec"},
	"analysis/internal/automaton": {"net", "net/http", "os", "os/exec"},
	"analysis/internal/burst":     {"net", "net/http", "os", "os/exec"},
	"analysis/collect":            {"net", "net/http", "os", "os/exec"},
	"analysis/compare":            {"net", "net/http", "os", "os/exec"},
	"analysis/curate":             {"net", "net/http", "os", "os/exec"},
	"analysis/gate":               {"net", "net/http", "os", "os/exec", "time"},
	"analysis/history":            {"net", "net/http", "os", "os/exec"},
	"analysis/judge":              {"net", "net/http", "os", "os/exec", "time"},
	"analysis/measure":            {"net", "net/http", "os", "os/exec"},
	"analysis/message":            {"net", "net/http", "os", "os/exec", "time"},
	"analysis/price":              {"net", "net/http", "os", "os/exec"},
	"analysis/shift":              {"net", "net/http", "os", "os/exec", "time"},
	"analysis/stat":               {"net", "net/http", "os", "os/exec", "time"},
	"sampler/limit":               {"net", "net/http", "os", "os/exec"},
	"sampler/boundary/grader/internal/metric": {
		"net", "net/http", "os", "os/exec", "time",
	},
	"sampler/boundary/grader/internal/formula": {
		"net", "net/http", "os", "os/exec", "time",
	},
}

// arrow is one import, found in one file.
type arrow struct{ room, imports, file string }

func TestImportArrowsPointUpstream(t *testing.T) {
	module := modulePath(t)
	for _, a := range arrows(t) {
		target, ours := strings.CutPrefix(a.imports, module+"/")
		switch {
		case a.imports == "": // a file without imports still shows its room
		case !ours:
			outside(t, a)
		case !slices.Contains(allowedArrows[a.room], roomOf(target)):
			t.Errorf("%s: room %s may not import %s", a.file, a.room, target)
		}
	}
}

func outside(t *testing.T, a arrow) {
	t.Helper()
	thirdParty := strings.Contains(strings.Split(a.imports, "/")[0], ".")
	if thirdParty && slices.Contains(standardOnly, a.room) {
		t.Errorf("%s: room %s keeps to the standard library and imports %s", a.file, a.room, a.imports)
	}
	if slices.Contains(pureRooms[a.room], a.imports) {
		t.Errorf("%s: room %s is pure and imports %s", a.file, a.room, a.imports)
	}
}

// The flags of a command line are read in one place.
func TestOnlyCommandsKnowTheFlagLibrary(t *testing.T) {
	for _, a := range arrows(t) {
		if strings.HasPrefix(a.imports, "github.com/urfave/cli") && a.room != "cmd/gonogo" {
			t.Errorf("%s imports %s: pass what the flags chose", a.file, a.imports)
		}
	}
}

func TestEveryRoomIsOnTheFloorPlan(t *testing.T) {
	rooms := make(map[string]bool)
	for _, a := range arrows(t) {
		rooms[a.room] = true
	}
	for room := range rooms {
		if _, ok := allowedArrows[room]; !ok {
			t.Errorf("room %s is not in the table of allowed arrows", room)
		}
	}
	for room := range allowedArrows {
		if !rooms[room] {
			t.Errorf("room %s is in the table of allowed arrows, and has no source", room)
		}
	}
}

// An arrow that nobody needs is one that somebody will use.
func TestEveryAllowedArrowIsUsed(t *testing.T) {
	module := modulePath(t)
	used := make(map[arrow]bool)
	for _, a := range arrows(t) {
		if target, ours := strings.CutPrefix(a.imports, module+"/"); ours {
			used[arrow{room: a.room, imports: roomOf(target)}] = true
		}
	}
	for room, targets := range allowedArrows {
		for _, target := range targets {
			if !used[arrow{room: room, imports: target}] {
				t.Errorf("room %s does not import %s: take the arrow out of the table", room, target)
			}
		}
	}
}

func TestTheFloorPlanHasNoCircle(t *testing.T) {
	var visit func(room string, trail []string)
	visit = func(room string, trail []string) {
		if slices.Contains(trail, room) {
			t.Fatalf("circle: %s", strings.Join(append(trail, room), " -> "))
		}
		for _, next := range allowedArrows[room] {
			if next != room {
				visit(next, append(slices.Clone(trail), room))
			}
		}
	}
	for _, room := range slices.Sorted(maps.Keys(allowedArrows)) {
		visit(room, nil)
	}
}

// arrows reads the imports of every source that is not a test, from the
// sources themselves: a child process would escape the test cache.
func arrows(t *testing.T) []arrow {
	t.Helper()
	root := filepath.Join("..", "..")
	var out []arrow
	for _, top := range []string{"cmd", "analysis", "sampler", "report", "fixtures", "docs"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			room := roomOf(path.Dir(filepath.ToSlash(rel)))
			out = append(out, arrow{room: room, imports: "", file: rel})
			for _, imp := range parsed.Imports {
				name, err := strconv.Unquote(imp.Path.Value)
				if err != nil {
					return err
				}
				out = append(out, arrow{room, name, rel})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// modulePath is read, because a published copy has a path of its own.
func modulePath(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(b), "\n")
	path, ok := strings.CutPrefix(first, "module ")
	if !ok {
		t.Fatalf("go.mod begins with %q", first)
	}
	return path
}

// roomOf maps a package's folder to its room: all of fixtures is one, but for the
// program that judges its recordings.
func roomOf(dir string) string {
	if dir == "fixtures" || strings.HasPrefix(dir, "fixtures/") && dir != "fixtures/backtest/judge" {
		return "fixtures"
	}
	return dir
}
