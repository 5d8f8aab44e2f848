package importer

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/import.md again; then read them")

// docs/import.md tells of every format what the parts of a record are made of,
// in the words that the code carries.
func TestDocsTellOfEveryFormat(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "import.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	table := "| format | log | in a directory | item | sample | reward | no grade, and failures |\n|---|---|---|---|---|---|---|\n"
	for _, f := range Formats() {
		for part, text := range map[string]string{"item": f.From.Item, "sample": f.From.Sample, "reward": f.From.Reward, "failures": f.From.Failures, "files": strings.Join(f.Files, "")} {
			if text == "" || strings.Contains(text, "|") {
				t.Errorf("%s says nothing of its %s, or what a table cannot hold: %q", f.Name, part, text)
			}
		}
		table += fmt.Sprintf("| `%s` | %s | `%s` | %s | %s | %s | %s |\n", f.Name, f.Doc, strings.Join(f.Files, "`, `"), f.From.Item, f.From.Sample, f.From.Reward, f.From.Failures)
	}
	const begin, end = "<!-- formats -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(string(b), begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s: no place for the formats", path)
	}
	want := before + begin + "\n" + table + "\n" + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(b) {
		t.Errorf("%s tells of other formats than there are: run with -update", path)
	}
}
