package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonogo/analysis/archive"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/docs"
	"gonogo/fixtures"
	"gonogo/report/viewer"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/boundary/python"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

// blocks returns the blocks of a language in pages of docs, by the heading above
// them.
func blocks(t *testing.T, language string, pages ...string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for _, page := range pages {
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range strings.Split(string(b), "\n## ")[1:] {
			heading, text, _ := strings.Cut(section, "\n")
			if m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(text); m != nil {
				out[heading] = m[1]
			}
		}
	}
	return out
}

// fillPage holds the part of a page of docs between the marks <!-- mark --> and <!-- end -->
// to a text; -update writes it.
func fillPage(t *testing.T, page, mark, text string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", filepath.FromSlash(page))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+mark+" -->\n", "<!-- end -->"
	before, rest, begun := strings.Cut(string(b), begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s has no place for %q", path, mark)
	}
	want := before + begin + "\n" + text + "\n" + end + after
	switch {
	case want == string(b):
	case !*update:
		t.Errorf("%s: the part %q differs from the code: go test ./cmd/gonogo -run %s -update", path, mark, t.Name())
	default:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Every kind of grader has an example in docs/graders.md that is read.
func TestDocsShowEveryKindOfGrader(t *testing.T) {
	pool, err := python.NewPool(python.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	_, dir := tinyWorld(t)
	cfg, err := config.Load(filepath.Join(dir, "gonogo.yaml"), os.LookupEnv, "sampling.address_map."+fixtures.Origin+"=http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	p, err := project.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	examples, sources := blocks(t, "json", "graders.md"), blocks(t, "python", "graders.md")
	for _, kind := range grader.Kinds() {
		var head struct{ Type string }
		example := examples[kind.Name]
		if err := json.Unmarshal([]byte(example), &head); err != nil || head.Type != kind.Name {
			t.Errorf("%s: its example is of type %q, %v", kind.Name, head.Type, err)
			continue
		}
		env := p.Env
		env.Environment = p.Bounds.Grader // any will do
		env.Python, env.Dir = pool, t.TempDir()
		for _, name := range regexp.MustCompile(`[a-z_]+\.py`).FindAllString(example, -1) {
			if err := os.WriteFile(filepath.Join(env.Dir, name), []byte(sources[kind.Name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		whole, err := grader.Inline(grader.Kinds(), json.RawMessage(example), env.Dir)
		if err != nil {
			t.Errorf("%s: %v", kind.Name, err)
			continue
		}
		g, err := grader.New(grader.Kinds(), whole, env)
		if err != nil {
			t.Errorf("%s: %v", kind.Name, err)
			continue
		}
		if _, err := exec.LookPath("python3"); err == nil && sources[kind.Name] != "" {
			grade, err := g.Grade(t.Context(), sampler.Output{Item: &rollout.Item{ID: "q", Row: json.RawMessage(`{"messages":[],"reference_answer":"42"}`)}, Text: "42"})
			if err != nil || grade.Reward < 1 {
				t.Errorf("%s: the example grades %+v, %v", kind.Name, grade, err)
			}
		}
		if checker, ok := g.(grader.Checker); ok {
			if err := checker.CheckItem(&p.Inputs.Items[0]); err != nil {
				t.Errorf("%s: %v", kind.Name, err)
			}
		}
	}
}

// The probes, detectors and labels that docs/audit.md shows are taken.
func TestDocsExamplesOfTheAuditAreTaken(t *testing.T) {
	_, dir := tinyWorld(t)
	path := filepath.Join(dir, "gonogo.yaml")
	base, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	examples := blocks(t, "yaml", "audit.md")
	for heading, want := range map[string][2]int{"Probes of your own": {3, 0}, "Detectors": {0, 3}} {
		if err := os.WriteFile(path, []byte(string(base)+examples[heading]), 0o644); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(path, os.LookupEnv, "seed=1", "sampling.address_map."+fixtures.Origin+"=http://127.0.0.1:1")
		if err != nil {
			t.Errorf("%s: %v", heading, err)
			continue
		}
		p, err := project.New(t.Context(), cfg)
		if err != nil {
			t.Errorf("%s: %v", heading, err)
			continue
		}
		if probes, detectors := len(cfg.Audit.Probes), len(p.Audit.Detectors); probes != want[0] || detectors != want[1] {
			t.Errorf("%s: %d probes and %d detectors, want %v", heading, probes, detectors, want)
		}
		p.Close()
	}
	labels, err := rollout.ReadLabels("labels.csv", strings.NewReader(blocks(t, "csv", "audit.md")["Scores by people"]))
	if err != nil || len(labels) != 3 {
		t.Errorf("the labels are read as %v, %v", labels, err)
	}
}

// docs/run-directory.md says of every file of a run directory how it survives.
func TestDocsSayHowEveryFileSurvives(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "run-directory.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, written, _ := strings.Cut(string(b), "\n## How it is written\n")
	written, _, _ = strings.Cut(written, "\n## ")
	for _, file := range []string{
		rollout.ManifestFile, rollout.ItemsFile, rollout.RolloutsFile, rollout.ProbesFile, rollout.LabelsFile, rollout.BurstFile, rollout.CallsFile,
		isolation.JournalFile, viewer.IndexFile, archive.ResultFile, output.ComparisonFile, queue.TraceFile, "run.lock",
	} {
		if !strings.Contains(written, "`"+file+"`") {
			t.Errorf("it says nothing of %s", file)
		}
	}
}

// docs/import.md lists the formats of gonogo export; -update writes the list.
func TestDocsListTheFormatsOfExport(t *testing.T) {
	table := "| format | what is written |\n|---|---|\n"
	for _, f := range exportFormats() {
		table += "| `" + f.name + "` | " + f.doc + " |\n"
	}
	fillPage(t, "import.md", "exports", table)
}

// docs/config.md lists every key of gonogo.yaml; -update writes the list.
func TestDocsListTheKeys(t *testing.T) {
	cell := strings.NewReplacer("|", `\|`, "\n", " ", "<", `\<`)
	table := "| key | value | default | what it is |\n|---|---|---|---|\n"
	for _, k := range config.Keys().Keys() {
		name, otherwise := "`"+k.Path+"`", k.Fallback
		if k.Binding {
			name += " \\*"
		}
		if k.Default != "" {
			otherwise = "`" + k.Default + "`"
		}
		table += fmt.Sprintf("| %s | %s | %s | %s |\n", name, cell.Replace(k.Kind()), cell.Replace(otherwise), cell.Replace(k.Doc))
		for _, e := range k.Entries() {
			table += fmt.Sprintf("| `%s[].%s` | %s |  | %s |\n", k.Path, e.Name, cell.Replace(e.Kind), cell.Replace(e.Doc))
		}
	}
	fillPage(t, "config.md", "keys", table)
}

// gonogo help words prints docs/glossary.md.
func TestDocsExplainTheWords(t *testing.T) {
	words := docs.Words()
	page := must(os.ReadFile("../../docs/glossary.md"))(t)
	if rows := strings.Count(string(page), "\n| **"); rows != len(words) || rows == 0 {
		t.Errorf("%d words of %d rows", len(words), rows)
	}
	if first := (docs.Word{Word: "item", Meaning: "one data point: a row of a data file, with its messages and whatever the grader needs."}); words[0] != first {
		t.Errorf("the first word is %+v", words[0])
	}
}
