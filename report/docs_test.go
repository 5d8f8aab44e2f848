package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/report/table"
)

// docs/report.md has every format and every column, in the words that
// the code carries.
func TestDocsTellOfFormatsAndColumns(t *testing.T) {
	path := filepath.Join("..", "docs", "report.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	formats := "| format | file | what it is |\n|---|---|---|\n"
	for _, f := range Formats() {
		file := "on the terminal"
		if f.File != "" {
			file = "`" + f.File + "`"
		}
		formats += fmt.Sprintf("| `%s` | %s | %s |\n", f.Name, file, f.Doc)
	}
	compared := "| format | file | what it is |\n|---|---|---|\n"
	for _, f := range ComparisonFormats() {
		compared += fmt.Sprintf("| `%s` | `%s` | %s |\n", f.Name, f.File, f.Doc)
	}
	got := string(b)
	for part, rows := range map[string]string{
		"formats": formats, "columns of items.csv": columnTable(table.ItemColumns()), "columns of rollouts.csv": columnTable(table.RolloutColumns([]string{"NAME"}, true)),
		"formats of a comparison": compared, "columns of a comparison": columnTable(table.ChangeColumns()),
	} {
		begin, end := "<!-- "+part+" -->\n", "<!-- end -->"
		before, rest, ok := strings.Cut(got, begin)
		_, after, ended := strings.Cut(rest, end)
		if !ok || !ended {
			t.Fatalf("%s: no place for the %s", path, part)
		}
		got = before + begin + "\n" + rows + "\n" + end + after
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != string(b) {
		t.Errorf("%s tells of other formats or columns than there are: run with -update", path)
	}
}

func columnTable[R any](columns []table.Column[R]) string {
	s := "| column | holds | what it is |\n|---|---|---|\n"
	for _, c := range columns {
		s += fmt.Sprintf("| `%s` | %s | %s |\n", c.Name, c.Kind, c.Doc)
	}
	return s
}
