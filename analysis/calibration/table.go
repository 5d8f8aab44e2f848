package calibration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Full reports whether simulations run in full, which GONOGO_CALIBRATE=1 requests. Otherwise they
// run at a small size, in seconds.
func Full() bool { return os.Getenv("GONOGO_CALIBRATE") != "" }

// Table is one simulation's section: a description, a row per cell, and the targets for its
// figures.
type Table struct {
	place   int
	title   string
	text    string
	columns []string
	rows    []string
	targets []*Target
}

// New returns an empty table. Sections are sorted by place. The text describes the simulation in
// words, with sizes and seeds.
func New(place int, title, text string, columns ...string) *Table {
	return &Table{place: place, title: title, text: text, columns: columns}
}

// Row adds one line. Write shares of data sets with Percent or Target.Hold.
func (t *Table) Row(cells ...any) {
	words := make([]string, len(cells))
	for i, cell := range cells {
		words[i] = fmt.Sprint(cell)
	}
	t.rows = append(t.rows, "| "+strings.Join(words, " | ")+" |\n")
}

// Target adds a line to the table of targets. about describes the requirement on the figures that
// are then passed to Hold.
func (t *Table) Target(about string) *Target {
	target := &Target{about: about}
	t.targets = append(t.targets, target)
	return target
}

// Percent formats a share.
func Percent(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

// Write writes the section into the folder named by GONOGO_CALIBRATE_DIR, if that is set.
func (t *Table) Write(tb testing.TB) {
	tb.Helper()
	dir := os.Getenv("GONOGO_CALIBRATE_DIR")
	if dir == "" {
		return
	}
	for name, text := range map[string]string{"section.md": t.section(tb.Name()), "targets.md": t.summary()} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.%s", t.place, name)), []byte(text),
			0o666); err != nil {
			tb.Fatal(err)
		}
	}
}

// section returns the text under the title, and its source.
func (t *Table) section(test string) string {
	rule := strings.Repeat("|---", len(t.columns)) + "|\n"
	return fmt.Sprintf("\n## %s\n\n%s By `%s`.\n\n| %s |\n%s%s", t.title, t.text, test,
		strings.Join(t.columns, " | "), rule, strings.Join(t.rows, ""))
}

func (t *Table) summary() string {
	var b strings.Builder
	for _, target := range t.targets {
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s |\n", t.title, target.about, target.cells, target.seen(),
			target.verdict())
	}
	return b.String()
}
