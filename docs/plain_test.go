package docs

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// made is what tests and targets of make write into a page.
var made = regexp.MustCompile(`(?s)<!-- [a-z][a-z .]* -->\n\n.*?\n<!-- end -->`)

// written is a page without what a budget of words does not count: tables, which
// are looked up and not read, and what is between marks, which tests write.
func written(text string) string {
	var out strings.Builder
	for line := range strings.Lines(made.ReplaceAllString(text, "")) {
		if !strings.HasPrefix(line, "|") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// budgets are the words of pages that hold what were several pages; any other has 1,500.
var budgets = map[string]int{"graders.md": 3170, "sampling.md": 2900, "wire.md": 3440}

// reference pages are looked up: tests write them from code.
var reference = map[string]bool{"gates.md": true}

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
		case name == "README.md" && n > 1100:
			t.Errorf("README.md has %d words, and may have 1,100", n)
		case reference[name]:
		default:
			if n, most := len(strings.Fields(written(text))), cmp.Or(budgets[name], 1500); n > most {
				t.Errorf("%s has %d words without its tables, and may have %d", name, n, most)
			}
		}
	}
}

// unplain are words that a reader stumbles over, each with what to write instead.
var unplain = []struct {
	word    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bmend(s|ed|ing)?\b`), "fix, repair"},
	{regexp.MustCompile(`(?i)\b(stands?|stood)\b`), "is, holds, means"},
	{regexp.MustCompile(`(?i)\b(lies?|lay)\b`), "is"},
	{regexp.MustCompile(`(?i)\bh(a|u)ngs? on\b`), "depends on"},
	{regexp.MustCompile(`(?i)\btell?s? of\b`), "describes, shows"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were|be|been) told\b`), "is reported, says"},
	{regexp.MustCompile(`(?i)\bnobody\b`), "no one"},
	{regexp.MustCompile(`(?i)\bbeside\b`), "next to, besides"},
	{regexp.MustCompile(`(?i)\b(comes?|came) of\b`), "results from, becomes of"},
	{regexp.MustCompile(`(?i)\bso many\b`), "that number of"},
	{regexp.MustCompile(`(?i)\banew\b`), "again"},
	{regexp.MustCompile(`(?i)\bspeaks of\b`), "is about, mentions"},
	{regexp.MustCompile(`(?i)\bsa(y|ys|id) (nothing|something) of\b`), "says nothing about"},
	{regexp.MustCompile(`([^r]e|[^e]) (is|are) no (JSON|number|object|string|list|URL)\b`), "is not a"},
	{regexp.MustCompile(`\bNO-GO for (its|the|their)\b`), "NO-GO because of"},
	{regexp.MustCompile(`(?i)\bmet what\b`), "found what"},
}

func TestPagesUsePlainWords(t *testing.T) {
	for name, text := range pages(t) {
		for i, line := range strings.Split(text, "\n") {
			for _, u := range unplain {
				for _, found := range u.word.FindAllString(line, -1) {
					t.Errorf("%s:%d: %q: write %s", name, i+1, found, u.instead)
				}
			}
		}
	}
}

// usual is what comments may say nevertheless: that a name stands for something, that a
// number lies in an interval, and a function called beside at the beginning of its own.
var usual = regexp.MustCompile(`(?i)\b(stands? for|(lies?|lay)\b)|^beside\b`)

// Comments, and texts in the code that people read, which are those of three words or more,
// keep to the same words. What worlds serve is the data of a task, and Chinese
// goes by the English that it translates.
func TestMessagesUsePlainWords(t *testing.T) {
	read := 0
	for _, room := range []string{"analysis", "cmd", "report", "sampler", "fixtures"} {
		err := filepath.WalkDir(filepath.Join("..", room), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || filepath.Base(filepath.Dir(path)) == "fixtures"):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, group := range file.Comments {
				text := strings.Join(strings.Fields(group.Text()), " ") // a phrase may go over two lines
				text = usual.ReplaceAllString(text, "")
				for _, u := range unplain {
					if found := u.word.FindString(text); found != "" {
						t.Errorf("%s: %q in a comment: write %s", files.Position(group.Pos()), found, u.instead)
					}
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil || len(strings.Fields(text)) < 3 {
					return true
				}
				read++
				for _, u := range unplain {
					if found := u.word.FindString(text); found != "" {
						t.Errorf("%s: %q: write %s", files.Position(lit.Pos()), found, u.instead)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 3000 {
		t.Errorf("%d texts were read: the search for them is broken", read)
	}
}
