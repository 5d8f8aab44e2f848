package message

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// speaking are the folders whose code says something in a language, from here.
var speaking = []string{"../../analysis", "../../analysis/collect", "../../analysis/compare", "../../analysis/curate", "../../analysis/gate", "../../analysis/judge", "../../analysis/measure", "../../analysis/message", "../../analysis/history", "../../analysis/shift", "../../analysis/stat", "../../report", "../../report/chart"}

// source is what the code has of texts.
type source struct {
	said  map[string]string // what is said in a language, with its place
	texts map[string]bool   // every constant text there is, by itself
}

// readSource parses all packages. Constant texts may be sums of constants.
func readSource(t *testing.T) source {
	t.Helper()
	s := source{said: map[string]string{}, texts: map[string]bool{}}
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && len(e.Name()) > 2 && (e.Name()[0] == '.' || e.Name() == "testdata" || e.Name() == "node_modules"):
			return filepath.SkipDir
		case e.IsDir():
			return s.room(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// room takes up the files of one package.
func (s source) room(path string) error {
	fset := token.NewFileSet()
	var files []*ast.File
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !isCode(e) {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(path, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	constants := constantsOf(files)
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok {
				if text, ok := constant(x, constants); ok {
					s.texts[text] = true
				}
			}
			if call, ok := n.(*ast.CallExpr); ok {
				s.call(call, constants, fset, slices.Contains(speaking, path))
			}
			return true
		})
	}
	return nil
}

func isCode(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") && !strings.HasPrefix(e.Name(), "chinese_")
}

// call takes up what is said by a call.
func (s source) call(call *ast.CallExpr, constants map[string]string, fset *token.FileSet, speaking bool) {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
		if of, ok := f.X.(*ast.Ident); ok && of.Name == "message" && name == "New" {
			name = "message.New"
		}
	case *ast.Ident:
		if name = f.Name; name == "New" && strings.HasSuffix(fset.Position(call.Pos()).Filename, "message/text.go") {
			name = "message.New"
		}
	}
	at, counts := map[string]int{"Say": 0, "Text": 0, "Count": 1, "counted": 1, "message.New": 1, "skipped": 4}[name], name == "Count" || name == "counted"
	if name != "Say" && name != "Text" && name != "skipped" && name != "message.New" && !counts || len(call.Args) <= at {
		return
	}
	text, ok := constant(call.Args[at], constants)
	if !ok || text == "" {
		return
	}
	if counts {
		text = "%s " + text + "s"
		s.texts[text] = true
	}
	if (speaking && name != "counted" || name == "message.New") && !(name == "message.New" && (Def{English: text}).wordless()) {
		s.said[text] = fset.Position(call.Pos()).String()
	}
}

// constantsOf lists the constants of a package that are texts, by name.
func constantsOf(files []*ast.File) map[string]string {
	constants := map[string]string{}
	for range 2 { // one may be made of another that comes later
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				if decl, ok := n.(*ast.GenDecl); ok && decl.Tok == token.CONST {
					for _, spec := range decl.Specs {
						of := spec.(*ast.ValueSpec)
						for i, value := range of.Values {
							if text, ok := constant(value, constants); ok {
								constants[of.Names[i].Name] = text
							}
						}
					}
				}
				return true
			})
		}
	}
	return constants
}

// constant is the text of a constant expression.
func constant(x ast.Expr, constants map[string]string) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, x.Kind == token.STRING && err == nil
	case *ast.ParenExpr:
		return constant(x.X, constants)
	case *ast.Ident:
		text, ok := constants[x.Name]
		return text, ok
	case *ast.BinaryExpr:
		left, ok := constant(x.X, constants)
		right, also := constant(x.Y, constants)
		return left + right, ok && also && x.Op == token.ADD
	}
	return "", false
}

// What the code says with constant words is in the catalogue.
func TestEveryConstantTextIsTranslated(t *testing.T) {
	said := readSource(t).said
	all := Chinese.All()
	var lacking []string
	for text, place := range said {
		if _, ok := all[text]; !ok {
			lacking = append(lacking, place+": "+strconv.Quote(text))
		}
	}
	slices.Sort(lacking)
	if len(lacking) > 0 {
		t.Errorf("not translated:\n%s", strings.Join(lacking, "\n"))
	}
}

// What the catalogue translates is said by the code: as a constant text, behind
// its subject too, as a count, or as a name: "Best of k" is of best_of_k.
func TestEveryTranslationIsOfSomethingSaid(t *testing.T) {
	texts := readSource(t).texts
	var unused []string
	for english := range Chinese.All() {
		text := context.ReplaceAllString(english, "")
		if !texts[text] && !named(texts, text) && !texts["%s: "+text] {
			unused = append(unused, strconv.Quote(english))
		}
	}
	slices.Sort(unused)
	if len(unused) > 0 {
		t.Errorf("said nowhere:\n%s", strings.Join(unused, "\n"))
	}
}

// named reports whether a text is made of a name.
func named(texts map[string]bool, text string) bool {
	return slices.ContainsFunc([]string{"_", "-", ".", " "}, func(between string) bool {
		return texts[strings.ToLower(strings.ReplaceAll(text, " ", between))]
	})
}
