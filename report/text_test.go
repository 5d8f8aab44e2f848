package report

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"gonogo/report/reporttest"
	terminal "gonogo/report/text"
)

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestTextKeepsToItsWidthAndItsLetters(t *testing.T) {
	for _, name := range reporttest.Names() {
		for _, columns := range []int{0, 10, 60, 80, 100} {
			for _, ascii := range []bool{false, true} {
				p := *page(t, name)
				p.Width, p.ASCII, p.All = columns, ascii, true
				plain := string(write(t, "text", &p))
				checkLines(t, name, plain, max(60, columns+96*b2i(columns == 0)), ascii)
				p.Color = true
				if colored := string(write(t, "text", &p)); sgr.ReplaceAllString(colored, "") != plain {
					t.Errorf("%s at %d: colours change more than colour", name, columns)
				}
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func checkLines(t *testing.T, name, text string, limit int, ascii bool) {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		if w := terminal.Width(line); w > limit {
			t.Errorf("%s: line %d is %d wide, want at most %d: %q", name, i+1, w, limit, line)
		}
		if j := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) || ascii && r > unicode.MaxASCII }); j >= 0 {
			t.Errorf("%s: line %d holds what must not reach a terminal: %q", name, i+1, line)
		}
	}
}

func TestColourIsWritten(t *testing.T) {
	p := *page(t, "go")
	p.Color = true
	if s := string(write(t, "text", &p)); !strings.Contains(s, "\x1b[1;36mGO so far") || !strings.Contains(s, "\x1b[1;32mPASS") {
		t.Error("GO so far is not cyan, or PASS is not green")
	}
	if s := string(write(t, "text", page(t, "go"))); strings.Contains(s, "\x1b") {
		t.Error("an escape sequence without colours asked for")
	}
}
