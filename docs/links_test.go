package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link is what a page of Markdown points at, page or picture.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every page, picture and heading that a page of the project points at is there.
func TestLinksLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	below, err := filepath.Glob("*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, below...)
	found := 0
	for _, page := range append(pages, "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			found++
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s points at %s: %v", page, m[1], err)
			} else if heading != "" && !headings(t, path)[heading] {
				t.Errorf("%s points at %s, and %s has no such heading", page, m[1], path)
			}
		}
	}
	if found < 20 {
		t.Errorf("%d links found: the search for them is broken", found)
	}
}

// page is how the program and its sources name a page.
var page = regexp.MustCompile(`\bdocs/([a-z/-]+\.md)(?:#([a-z_-]+))?`)

// Every page that the program, its sources or the Makefile name is there.
func TestSourcesNamePagesThatAreThere(t *testing.T) {
	found := 0
	check := func(path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.FindAllStringSubmatch(string(text), -1) {
			found++
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names docs/%s: %v", path, m[1], err)
			} else if m[2] != "" && !headings(t, m[1])[m[2]] {
				t.Errorf("%s names %s, which has no such heading", path, m[0])
			}
		}
	}
	check("../Makefile")
	check("../analysis/message/zh.json")
	for _, room := range []string{"analysis", "cmd", "report", "sampler", "fixtures"} {
		err := filepath.WalkDir(filepath.Join("..", room), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path == filepath.Join("..", "fixtures", "internal"): // worlds with pages of their own
				return filepath.SkipDir
			case !d.IsDir() && strings.HasSuffix(path, ".go"):
				check(path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 20 {
		t.Errorf("%d pages are named: the search for them is broken", found)
	}
}

var (
	title  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	silent = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// headings are those of a page, as links name them.
func headings(t *testing.T, path string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]bool)
	for _, m := range title.FindAllStringSubmatch(string(text), -1) {
		out[strings.ReplaceAll(silent.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return out
}
