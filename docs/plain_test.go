package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// written is a page without what a budget of words does not count: tables, which
// are looked up and not read, and what is between marks, which tests write.
func written(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// reference pages are looked up: tests write them from code.
var reference = map[string]bool{"calibration.md": true, "charts.md": true, "gates.md": true, "worlds.md": true}

func pages(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.md")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	out := make(map[string]string)
	for _, file := range append(files, "../README.md", "../CONTRIBUTING.md") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = string(b)
	}
	return out
}

func TestPagesKeepToTheirBudgets(t *testing.T) {
	for name, text := range pages(t) {
		switch n := len(strings.Fields(text)); {
		case name == "README.md" && n > 1200:
			t.Errorf("README.md has %d words, and may have 1,200", n)
		case reference[name]:
		case len(strings.Fields(written(text))) > 1500:
			t.Errorf("%s has %d words without its tables, and may have 1,500", name, len(strings.Fields(written(text))))
		}
	}
}

// unplain are words that a reader stumbles over, each with what to write instead.
var unplain = []struct {
	word    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bmend(s|ed|ing)?\b`), "fix, repair"},
	{regexp.MustCompile(`(?i)\b(stands?|stood)\b( for\b)?`), "is, holds, remains"},
	{regexp.MustCompile(`(?i)\b(lies?|lay)\b`), "is"},
	{regexp.MustCompile(`(?i)\bh(a|u)ngs? on\b`), "depends on"},
	{regexp.MustCompile(`(?i)\btell?s? of\b`), "describes, shows"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were|be|been) told\b`), "is reported, says"},
	{regexp.MustCompile(`(?i)\bnobody\b`), "no one"},
	{regexp.MustCompile(`(?i)\bbeside\b`), "next to, besides"},
	{regexp.MustCompile(`(?i)\b(comes?|came) of\b`), "results from, becomes of"},
	{regexp.MustCompile(`(?i)\bso many\b`), "that number of"},
}

// unread are pages whose words were not gone through yet, and what make calibrate
// writes.
var unread = []string{"calibration.md", "calibration.head.md", "burst.md", "endpoints.md", "formats.md", "performance.md", "charts.md", "gates.md", "worlds.md", "import.md"}

func TestPagesUsePlainWords(t *testing.T) {
	for name, text := range pages(t) {
		if slices.Contains(unread, name) {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			for _, u := range unplain {
				for _, found := range u.word.FindAllString(line, -1) {
					if !strings.HasSuffix(found, " for") {
						t.Errorf("%s:%d: %q: write %s", name, i+1, found, u.instead)
					}
				}
			}
		}
	}
}
