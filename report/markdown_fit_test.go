package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/internal/markdown"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// A report of any run fits a comment on GitHub, and says when it was cut.
func TestMarkdownFitsAComment(t *testing.T) {
	for _, name := range append(reporttest.Names(), "crowded") {
		var p *RunPage
		if name == "crowded" {
			p = crowded(t)
		} else {
			p = page(t, name)
		}
		s := string(write(t, "markdown-full", p))
		if n := utf8.RuneCountInString(s); n > 65_536 || (name == "crowded") != strings.Contains(s, "Cut here, because") {
			t.Errorf("%s: %d characters, or not cut as it should be: …%s", name, n, s[max(0, len(s)-300):])
		}
		whole(t, name, s)
	}
}

// crowded is a page with more to say than a comment holds.
func crowded(t *testing.T) *RunPage {
	r := reporttest.Load(t, "go")
	for i := range 200 {
		r.Findings = append(r.Findings, analysis.Finding{Gate: fmt.Sprintf("own.%d", i), Split: rollout.Train, Severity: analysis.Advisory, Fact: analysis.Fact{Status: analysis.Fail, Title: message.Verbatim(strings.Repeat("多 | <b> ", 40)), Why: message.Verbatim(strings.Repeat("why ", 100))}})
	}
	return NewRunPage(r, options())
}

// Wherever a text is cut, its tables have heads and rows and its folds end.
func TestFitCutsAnywhere(t *testing.T) {
	for _, name := range []string{"dead", "audited"} {
		s := write(t, "markdown-full", page(t, name))
		all := utf8.RuneCount(s)
		for most := 200; most < all; most += 311 {
			cut := string(markdown.Fit(s, most, "cut"))
			if n := utf8.RuneCountInString(cut); n > most || !strings.HasSuffix(cut, "\ncut\n") {
				t.Fatalf("%s: %d characters of at most %d, ending in %q", name, n, most, cut[max(0, len(cut)-20):])
			}
			whole(t, name, cut)
		}
	}
}

// whole looks for halves: folds that do not end, tables without rows, headings
// without a text.
func whole(t *testing.T, name, s string) {
	t.Helper()
	if strings.Count(s, "<details>\n<summary>") != strings.Count(s, "\n</details>\n") {
		t.Errorf("%s: a fold does not end", name)
	}
	rule := func(line string) bool { return strings.HasPrefix(line, "|:--") || strings.HasPrefix(line, "|--") }
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, line := range lines {
		before, after := "", ""
		if i > 0 {
			before = lines[i-1]
		}
		if i+1 < len(lines) {
			after = lines[i+1]
		}
		switch {
		case rule(line) && (!strings.HasPrefix(before, "|") || !strings.HasPrefix(after, "|")),
			strings.HasPrefix(line, "|") && !strings.HasPrefix(before, "|") && !rule(after):
			t.Errorf("%s: half a table at line %d: %.80s", name, i+1, line)
		}
	}
}
