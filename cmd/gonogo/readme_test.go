package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/fixtures"
	"gonogo/report"
	"gonogo/sampler/dataset"
	"gonogo/sampler/job"
	"gonogo/sampler/rollout"
)

var readme = filepath.Join("..", "..", "README.md")

// The tables in the README are made from what they tell of: the gates, the
// worlds, and a real run of the world whose grader can be fooled.
func TestReadmeListsTheGates(t *testing.T) {
	var table strings.Builder
	table.WriteString("\n| gate | what it asks |\n|---|---|\n")
	for _, g := range analysis.Gates() {
		fmt.Fprintf(&table, "| [`%s`](docs/gates.md#%s) | %s%s |\n", g.Name, anchor(g.Name), g.Doc, factsOf(g))
	}
	readmeHas(t, "gates", table.String())
}

func TestReadmeListsTheTemplates(t *testing.T) {
	readmeHas(t, "worlds", "\n"+nearTable("docs/worlds.md"))
}

func TestReadmeShowsTheAuditOfTheHackableWorld(t *testing.T) {
	if raced {
		t.Skip("numbers are not the race detector's business")
	}
	t.Parallel()
	result, _ := runDemo(t, "--world", "hackable", "-o", filepath.Join(t.TempDir(), "run"))
	page := report.NewPage(result, report.Options{})
	var table strings.Builder
	table.WriteString("\n| probe | | a sound grader | items | counted | their share, with 95 % interval |\n|---|---|---|--:|---|---|\n")
	for _, p := range page.Audit.Probes {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s | %s |\n", p.Name, p.Label, p.Must, p.Items, p.Above, p.Accept)
	}
	fmt.Fprintf(&table, "\n%s\n", page.Audit.Lead)
	readmeHas(t, "audit", table.String())
}

// readmeHas wants a text between the README's marks of a name; -update puts it
// there.
func readmeHas(t *testing.T, mark, want string) {
	t.Helper()
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	want += "\n"
	open, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->"
	head, rest, ok := strings.Cut(string(b), open)
	was, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("README.md has no place for the %s", mark)
	}
	if *update {
		if err := os.WriteFile(readme, []byte(head+open+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if was != want {
		t.Errorf("the %s in README.md are not what they were: make golden, and look\n%s", mark, cmp.Diff(was, want))
	}
}

// Every command that the README shows is run, in order, as a newcomer would.
func TestReadmeCommandsRun(t *testing.T) {
	if raced {
		t.Skip("the same commands run under the race detector in their own tests")
	}
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	commands := readmeCommands(t)
	variants := readmeVariants(t)
	newcomersFolder(t)
	ran := 0
	for _, line := range commands {
		words := strings.Fields(line)
		switch words[0] {
		case "make":
			if !bytes.Contains(makefile, []byte("\n"+words[1]+":")) {
				t.Errorf("%s: the Makefile has no such target", line)
			}
		case "gonogo":
			ran++
			if strings.Contains(line, "--variant ") {
				listVariants(t, variants)
			}
			var stdout, stderr bytes.Buffer
			code := run(context.Background(), words, strings.NewReader(""), &stdout, &stderr)
			if !slices.Contains([]int{exit.Done, exit.NoGo, exit.Undecided}, code) {
				t.Errorf("%s: exit code %d\n%s", line, code, stderr.String())
			}
		default:
			t.Errorf("%s: a command that this test does not know", line)
		}
	}
	if ran < 5 {
		t.Errorf("the README shows %d commands of gonogo, and there were more", ran)
	}
	for _, made := range []string{"gonogo.yaml", "my-run/report/index.html", "my-run/probes.jsonl", "my-run-2/probes.jsonl", "imported/report/index.html", "from-table/rollouts.jsonl", "imported.eval"} {
		if _, err := os.Stat(made); err != nil {
			t.Errorf("the README's commands did not make %s", made)
		}
	}
}

// The README's data row and job are read as they stand.
func TestReadmeExamplesAreRead(t *testing.T) {
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(b), -1)
	if len(blocks) != 2 {
		t.Fatalf("the README shows %d JSON examples, want a row and a job", len(blocks))
	}
	row := filepath.Join(t.TempDir(), "train.jsonl")
	if err := os.WriteFile(row, []byte(blocks[0][1]), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := dataset.Load(row, rollout.Train, dataset.Options{})
	if err != nil || len(f.Items) != 1 || f.Items[0].ID != "q-1" {
		t.Errorf("the row is read as %+v, %v", f, err)
	}
	j, err := job.Parse("README.md", []byte(blocks[1][1]))
	if err != nil || len(j.Tools) != 1 || j.MaxEpisodeSteps != 20 || len(j.Unknown) > 0 {
		t.Errorf("the job is read as %+v, %v", j, err)
	}
}

// readmeCommands returns the lines of the README's sh blocks, without their
// comments.
func readmeCommands(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(b), -1) {
		for line := range strings.Lines(block[1]) {
			if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
	}
	return lines
}

// readmeVariants is the README's example of variants.
func readmeVariants(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n(variants:\n.*?)```").FindStringSubmatch(string(b))
	if block == nil {
		t.Fatal("the README shows no variants")
	}
	return block[1]
}

// listVariants adds variants to gonogo.yaml.
func listVariants(t *testing.T, variants string) {
	t.Helper()
	config, err := os.ReadFile("gonogo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("gonogo.yaml", []byte(string(config)+"\n"+variants), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newcomersFolder goes to a folder with a job, data and a log as the README
// names them, whose endpoints answer on this machine.
func newcomersFolder(t *testing.T) {
	t.Helper()
	world, dir := tinyWorld(t)
	server, err := world.Serve(fixtures.ServeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	job := filepath.Join(dir, "rft_job.json")
	b, err := os.ReadFile(job)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{
		job:                                 bytes.ReplaceAll(b, []byte(fixtures.Origin), []byte(server.URL())),
		filepath.Join(dir, "stricter.json"): []byte(`{"type": "string_check", "name": "exact", "operation": "eq", "input": "{{sample.output_text}}", "reference": "{{item.reference_answer}}"}`),
		filepath.Join(dir, "log.csv"):       []byte("question_id,trial,score\nq1,0,1\nq1,1,\n"),
		filepath.Join(dir, "results.json"): []byte(`[{"task_id": 1, "trial": 0, "reward": 1.0, "info": {}, "traj": [{"role":"user","content":"a"}]},
			{"task_id": 1, "trial": 1, "reward": 0.0, "info": {}, "traj": [{"role":"user","content":"a"}]}]`),
	}
	for name, content := range files {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "gonogo.yaml")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENAI_BASE_URL", server.URL()+"/v1")
	t.Setenv("OPENAI_API_KEY", "")
	t.Chdir(dir)
}
