package docs_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostExported bounds the exported functions, methods and types of the public packages
// together. It may only fall.
const mostExported = 665

// publicPackages returns the list that docs/library.md states.
func publicPackages(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("library.md")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`<!-- public: (.*) -->`).FindSubmatch(page)
	if list == nil {
		t.Fatal("library.md has no <!-- public: … --> line")
	}
	return strings.Fields(string(list[1]))
}

// TestPublicFace checks that docs/library.md lists the packages with a stable API, that they
// stay small, and that every other package says in the first line of its doc that its API may change.
func TestPublicFace(t *testing.T) {
	public, total := publicPackages(t), 0
	seen := map[string]bool{}
	for _, top := range []string{"analysis", "sampler", "report", "fixtures"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "internal" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			p := packageIn(t, dir)
			if p == nil || p.Name == "main" {
				return nil
			}
			name, _ := filepath.Rel("..", dir)
			name = filepath.ToSlash(name)
			if slices.Contains(public, name) {
				seen[name] = true
				total += exported(p)
				return nil
			}
			first, _, _ := strings.Cut(p.Doc, "\n")
			if want := "Package " + p.Name + " serves the gonogo command; its API may change in any release."; first != want {
				t.Errorf("%s: the doc begins with %q; want %q, or a place in docs/library.md", name, first, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range public {
		if !seen[name] {
			t.Errorf("docs/library.md lists %s, which is no package", name)
		}
	}
	if total != mostExported {
		t.Errorf("the public packages export %d functions, methods and types; mostExported is %d, and may only fall", total, mostExported)
	}
}

// packageIn parses the package in a folder, without its tests; nil if there is none.
func packageIn(t *testing.T, dir string) *doc.Package {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil
	}
	p, err := doc.NewFromFiles(set, files, "gonogo/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// exported counts a package's exported functions, methods and types; a method of an
// interface counts as one.
func exported(p *doc.Package) int {
	n := len(p.Funcs)
	for _, t := range p.Types {
		n += 1 + len(t.Funcs) + len(t.Methods)
		for _, spec := range t.Decl.Specs {
			in, ok := spec.(*ast.TypeSpec).Type.(*ast.InterfaceType)
			if !ok {
				continue
			}
			for _, m := range in.Methods.List {
				n += len(m.Names)
			}
		}
	}
	return n
}
