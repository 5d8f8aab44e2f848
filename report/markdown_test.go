package report

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"gonogo/report/reporttest"
)

func TestMarkdownOfHostileTextIsText(t *testing.T) {
	for _, name := range reporttest.Names() {
		s := string(write(t, "markdown-full", page(t, name)))
		outside := regexp.MustCompile("(`+)[^`].*?[^`]?(`+)").ReplaceAllString(s, "")
		for _, bad := range []string{"<script", "<img", "](javascript", "@someone", "http://"} {
			if strings.Contains(outside, bad) {
				t.Errorf("%s: %q stands outside of code", name, bad)
			}
		}
		for i, line := range strings.Split(s, "\n") {
			if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("%s: line %d holds an unseen rune: %q", name, i+1, line)
			}
		}
	}
}

// TestMarkdownTablesKeepTheirColumns counts the pipes that divide cells: an
// id with a pipe must not add one.
func TestMarkdownTablesKeepTheirColumns(t *testing.T) {
	for _, name := range reporttest.Names() {
		columns := 0
		for i, line := range strings.Split(string(write(t, "markdown-full", page(t, name))), "\n") {
			if !strings.HasPrefix(line, "|") {
				columns = 0
				continue
			}
			n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if columns != 0 && n != columns {
				t.Errorf("%s: line %d has %d cells, the table %d: %s", name, i+1, n-1, columns-1, line)
			}
			columns = n
		}
	}
}
