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
		"cmd/gonogo/internal/config", "cmd/gonogo/internal/curation", "cmd/gonogo/internal/exit", "cmd/gonogo/internal/night", "cmd/gonogo/internal/output", "cmd/gonogo/internal/project", "cmd/gonogo/internal/stage", "cmd/gonogo/internal/ui",
		"sampler", "sampler/rollout", "sampler/input/dataset",
		"sampler/boundary/grader", "sampler/queue", "sampler/logs/importer", "sampler/logs/exporter", "sampler/input/spelling", "analysis", "analysis/archive", "analysis/collect", "analysis/compare", "analysis/curate", "analysis/history", "analysis/judge", "analysis/message", "report", "report/chart", "cmd/gonogo/internal/console", "report/plain", "report/recipe", "report/viewer", "fixtures", "docs",
		"sampler/queue/brief",
	},
	"cmd/gonogo/internal/curation": {
		"cmd/gonogo/internal/config", "cmd/gonogo/internal/exit", "cmd/gonogo/internal/project", "cmd/gonogo/internal/stage", "cmd/gonogo/internal/ui",
		"sampler/input/dataset", "sampler/input/document", "sampler/rollout", "analysis/archive", "analysis/curate", "analysis/message", "cmd/gonogo/internal/console", "fixtures",
	},
	"cmd/gonogo/internal/night": {
		"cmd/gonogo/internal/config", "cmd/gonogo/internal/exit", "cmd/gonogo/internal/output", "cmd/gonogo/internal/project", "cmd/gonogo/internal/stage", "cmd/gonogo/internal/ui",
		"sampler/rollout", "analysis/archive", "analysis/compare", "analysis/history", "report", "cmd/gonogo/internal/console",
	},
	"cmd/gonogo/internal/stage": {
		"cmd/gonogo/internal/config", "cmd/gonogo/internal/exit", "cmd/gonogo/internal/output", "cmd/gonogo/internal/project", "cmd/gonogo/internal/ui",
		"sampler", "sampler/endpoint", "sampler/audit", "sampler/burst", "sampler/input/document", "sampler/boundary/grader", "sampler/limit", "sampler/rollout/markup", "sampler/rollout", "sampler/input/spelling", "sampler/tryout", "analysis", "analysis/compare", "analysis/gate", "analysis/judge", "analysis/measure", "analysis/message", "cmd/gonogo/internal/console",
		"sampler/queue/brief",
	},
	"cmd/gonogo/internal/output": {
		"cmd/gonogo/internal/config", "cmd/gonogo/internal/exit", "cmd/gonogo/internal/project", "cmd/gonogo/internal/ui",
		"sampler/rollout", "analysis", "analysis/archive", "analysis/message", "analysis/collect", "analysis/compare", "analysis/gate", "analysis/stat", "report", "cmd/gonogo/internal/console",
		"sampler/input/document",
	},
	"cmd/gonogo/internal/project": {
		"cmd/gonogo/internal/config", "cmd/gonogo/internal/exit", "cmd/gonogo/internal/ui",
		"sampler", "sampler/endpoint", "sampler/boundary/agent", "sampler/audit", "sampler/audit/custom", "sampler/input/dataset", "sampler/input/document", "sampler/boundary/grader", "sampler/boundary/isolation", "sampler/input/job", "sampler/limit", "sampler/boundary/mcp", "sampler/boundary/model", "sampler/boundary/proxy", "sampler/boundary/python", "sampler/queue", "sampler/rollout", "sampler/input/spelling", "sampler/boundary/tool",
		"analysis", "analysis/message", "cmd/gonogo/internal/console", "fixtures",
		"sampler/queue/brief",
	},
	"cmd/gonogo/internal/config": {
		"cmd/gonogo/internal/exit", "cmd/gonogo/internal/ui",
		"sampler", "sampler/rollout/credential", "sampler/boundary/agent", "sampler/audit", "sampler/input/dataset", "sampler/input/document", "sampler/boundary/grader", "sampler/boundary/isolation", "sampler/input/job", "sampler/limit", "sampler/boundary/mcp", "sampler/boundary/python", "sampler/queue", "sampler/jsontext", "sampler/rollout", "sampler/input/schema", "sampler/input/spelling",
		"analysis", "analysis/gate", "analysis/message", "analysis/stat", "report", "cmd/gonogo/internal/console", "fixtures",
		"sampler/boundary/model",
		"sampler/burst",
		"sampler/queue/brief",
	},
	"cmd/gonogo/internal/ui":   {"cmd/gonogo/internal/exit", "cmd/gonogo/internal/console", "sampler/input/spelling"},
	"cmd/gonogo/internal/exit": {},

	"report":                          {"report/block", "report/plain", "report/table", "report/text", "report/markdown", "report/html", "report/junit", "report/chart", "report/chart/glyph", "report/pdf", "report/lettering", "report/typeface", "analysis", "analysis/collect", "analysis/compare", "analysis/history", "analysis/message", "analysis/stat", "sampler/rollout"},
	"report/block":                    {"report/chart", "analysis/message", "sampler/rollout"},                                                                                                                                                                                       // what a report is made of
	"report/plain":                    {},                                                                                                                                                                                                                                            // nothing hidden in a text
	"cmd/gonogo/internal/console":     {"report/plain", "analysis", "analysis/message", "sampler", "sampler/endpoint", "sampler/audit", "sampler/burst", "sampler/limit", "sampler/queue", "sampler/rollout", "sampler/tryout", "analysis/gate", "sampler/input/schema", "fixtures"}, // for terminals, before a run is judged
	"report/recipe":                   {"report/plain", "sampler/input/job", "sampler/jsontext", "sampler/rollout", "analysis", "analysis/gate", "analysis/message", "analysis/stat"},                                                                                                // a trainer's configuration
	"report/table":                    {"report/plain", "analysis", "analysis/collect", "analysis/compare", "sampler/rollout"},                                                                                                                                                       // for other programs
	"report/text":                     {"report/block", "analysis/message"},
	"report/html":                     {"report/block", "report/chart", "analysis/message", "sampler/rollout"},
	"report/markdown":                 {"report/block", "analysis/message"},
	"report/junit":                    {},                  // test results as a file
	"report/lettering":                {"report/typeface"}, // the texts of pictures
	"report/chart":                    {"report/chart/glyph", "report/chart/scale", "report/lettering", "analysis", "analysis/compare", "analysis/history", "analysis/message", "analysis/shift", "analysis/stat", "sampler/rollout"},
	"report/chart/glyph":              {},
	"report/chart/scale":              {"analysis/history", "analysis/message"},
	"report/viewer":                   {"sampler/jsontext", "sampler/rollout"},
	"report/pdf":                      {"report/block", "report/chart", "report/typeface", "analysis/message"},
	"report/typeface":                 {},
	"report/reporttest":               {"report/typeface", "analysis", "analysis/compare", "analysis/message", "sampler/rollout", "docs"},                                    // results for the tests of the two rooms above
	"analysis":                        {"analysis/message", "analysis/shift", "analysis/stat", "sampler/rollout/markup", "sampler/rollout"},                                  // types: Result, Finding, Settings, Gate
	"analysis/archive":                {"analysis", "analysis/compare", "analysis/curate", "sampler/input/dataset", "analysis/history", "analysis/judge", "sampler/rollout"}, // result.json and nights.jsonl, the one room of analysis that reads and writes files
	"analysis/collect":                {"analysis", "analysis/stat", "sampler/jsontext", "sampler/rollout/markup", "sampler/rollout", "sampler/rollout/prompt"},
	"analysis/burst":                  {"analysis", "analysis/message", "analysis/stat", "sampler/rollout"}, // endpoints under the load of a training step
	"analysis/measure":                {"analysis", "analysis/burst", "analysis/collect", "analysis/message", "analysis/shift", "analysis/stat", "sampler/form", "sampler/rollout/markup", "sampler/jsontext", "sampler/rollout"},
	"analysis/gate":                   {"analysis", "analysis/message", "analysis/shift", "analysis/stat", "sampler/rollout/markup", "sampler/rollout"},
	"analysis/judge":                  {"analysis", "analysis/gate", "analysis/measure", "analysis/message", "sampler/rollout"},
	"analysis/curate":                 {"analysis", "analysis/collect", "analysis/measure", "analysis/message", "analysis/shift", "analysis/stat", "sampler/rollout"},
	"analysis/compare":                {"analysis", "analysis/collect", "analysis/judge", "analysis/measure", "analysis/message", "analysis/shift", "analysis/stat", "sampler/rollout"},
	"analysis/history":                {"analysis", "analysis/compare", "analysis/message", "analysis/shift", "analysis/stat", "sampler/rollout"},
	"analysis/message":                {},
	"analysis/shift":                  {"analysis/message", "analysis/stat"},
	"analysis/stat":                   {"analysis/message"},
	"analysis/calibration":            {}, // tables of docs/calibration.md for the tests of the three rooms above
	"sampler":                         {"sampler/endpoint", "sampler/limit", "sampler/jsontext", "sampler/rollout"},
	"sampler/endpoint":                {"sampler/rollout/credential", "sampler/limit", "sampler/jsontext", "sampler/rollout"},
	"sampler/limit":                   {},
	"sampler/rollout":                 {"sampler/rollout/credential", "sampler/failure", "sampler/jsontext", "sampler/rollout/prompt"},
	"sampler/failure":                 {}, // how tools say that a rollout was not judged
	"sampler/jsontext":                {}, // JSON texts: keys, literals, exact decoding
	"sampler/rollout/prompt":          {}, // which prompts are the same
	"sampler/rollout/credential":      {},
	"sampler/boundary/model":          {"sampler", "sampler/endpoint", "sampler/limit", "sampler/jsontext", "sampler/rollout", "sampler/logs/transcript"},
	"sampler/boundary/agent":          {"sampler", "sampler/endpoint", "sampler/failure", "sampler/boundary/process", "sampler/jsontext", "sampler/rollout", "sampler/logs/transcript", "sampler/limit"},
	"sampler/boundary/mcp":            {"sampler/rollout/credential", "sampler", "sampler/endpoint", "sampler/boundary/process", "sampler/jsontext", "sampler/rollout"},
	"sampler/boundary/proxy":          {"sampler", "sampler/endpoint", "sampler/jsontext", "sampler/rollout", "sampler/logs/transcript"},
	"sampler/boundary/tool":           {"sampler", "sampler/endpoint", "sampler/jsontext", "sampler/rollout"},
	"sampler/boundary/grader":         {"sampler/rollout/credential", "sampler/failure", "sampler", "sampler/endpoint", "sampler/boundary/process", "sampler/boundary/python", "sampler/jsontext", "sampler/rollout", "sampler/boundary/grader/formula", "sampler/boundary/grader/metric"},
	"sampler/boundary/grader/formula": {},
	"sampler/boundary/grader/metric":  {},
	"sampler/boundary/isolation":      {"sampler", "sampler/endpoint", "sampler/boundary/process", "sampler/jsontext", "sampler/rollout", "sampler/limit"},
	"sampler/boundary/process":        {},
	"sampler/boundary/python":         {"sampler", "sampler/endpoint", "sampler/boundary/process", "sampler/limit"},
	"sampler/form":                    {}, // what answers have in common
	"sampler/audit":                   {"sampler", "sampler/form", "sampler/jsontext", "sampler/rollout"},
	"sampler/audit/custom":            {"sampler", "sampler/audit", "sampler/input/document", "sampler/boundary/grader", "sampler/rollout"},
	"sampler/burst":                   {"sampler", "sampler/endpoint", "sampler/limit", "sampler/jsontext", "sampler/rollout"},
	"sampler/input/document":          {},
	"sampler/input/schema":            {"sampler/input/document", "sampler/input/spelling", "sampler/limit"},
	"sampler/input/spelling":          {},
	"sampler/rollout/markup":          {},
	"sampler/tryout":                  {"sampler", "sampler/endpoint", "sampler/audit", "sampler/rollout/markup", "sampler/rollout"},
	"sampler/queue":                   {"sampler", "sampler/endpoint", "sampler/limit", "sampler/jsontext", "sampler/rollout"},
	"sampler/queue/brief":             {"sampler/input/dataset", "sampler/input/document", "sampler/jsontext", "sampler/rollout"},
	"sampler/input/dataset":           {"sampler/logs/parquetfile", "sampler/jsontext", "sampler/rollout", "sampler/input/spelling"},
	"sampler/logs/importer":           {"sampler/failure", "sampler/logs/parquetfile", "sampler/jsontext", "sampler/rollout", "sampler/rollout/prompt", "sampler/logs/transcript"},
	"sampler/logs/parquetfile":        {},
	"sampler/logs/transcript":         {"sampler/jsontext", "sampler/rollout"},
	"sampler/logs/exporter":           {"sampler/jsontext", "sampler/rollout"},
	"sampler/input/job":               {"sampler/rollout/credential", "sampler/input/document", "sampler/jsontext"},
	"fixtures":                        {"fixtures"},
	"docs":                            {},                                                                                                                                           // pages for readers, and the schema of result.json
	"docs/testdata/library":           {"analysis", "analysis/gate", "analysis/judge", "analysis/message", "report", "report/chart", "sampler", "sampler/audit", "sampler/rollout"}, // a module of its own, as a user of the packages would write it

	"fixtures/backtest/judge": {"sampler/rollout", "sampler/audit", "analysis", "analysis/gate", "analysis/judge", "analysis/stat", "report/chart", "fixtures"}, // make backtest
}

// standardOnly rooms import the standard library and other rooms, no module.
var standardOnly = []string{"analysis/message", "sampler/failure", "sampler/jsontext", "sampler/rollout", "sampler/rollout/credential", "sampler/limit", "sampler/input/spelling", "sampler/boundary/grader/formula", "sampler/boundary/grader/metric", "fixtures"}

// pureRooms neither reach a network nor open files.
var pureRooms = map[string][]string{
	"analysis":                        {"net", "net/http", "os", "os/exec"},
	"analysis/archive":                {"net", "net/http", "os/exec"},
	"analysis/burst":                  {"net", "net/http", "os", "os/exec"},
	"analysis/collect":                {"net", "net/http", "os", "os/exec"},
	"analysis/compare":                {"net", "net/http", "os", "os/exec"},
	"analysis/curate":                 {"net", "net/http", "os", "os/exec"},
	"analysis/gate":                   {"net", "net/http", "os", "os/exec", "time"},
	"analysis/history":                {"net", "net/http", "os", "os/exec"},
	"analysis/judge":                  {"net", "net/http", "os", "os/exec", "time"},
	"analysis/measure":                {"net", "net/http", "os", "os/exec"},
	"analysis/message":                {"net", "net/http", "os", "os/exec", "time"},
	"analysis/shift":                  {"net", "net/http", "os", "os/exec", "time"},
	"analysis/stat":                   {"net", "net/http", "os", "os/exec", "time"},
	"sampler/limit":                   {"net", "net/http", "os", "os/exec"},
	"sampler/boundary/grader/metric":  {"net", "net/http", "os", "os/exec", "time"},
	"sampler/boundary/grader/formula": {"net", "net/http", "os", "os/exec", "time"},
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
