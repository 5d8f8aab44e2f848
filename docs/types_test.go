package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// told is what the sources say beside a type.
type told struct {
	doc    string
	fields map[string]string // by name in Go
	names  []string          // of its constants, in order
	values []string          // of those that are texts
}

// sources reads what stands beside the types of some rooms, by package and
// name, such as analysis.Result.
func sources(t *testing.T, rooms ...string) map[string]*told {
	t.Helper()
	all := make(map[string]*told)
	of := func(room, name string) *told {
		key := path.Base(room) + "." + name
		if all[key] == nil {
			all[key] = &told{fields: make(map[string]string)}
		}
		return all[key]
	}
	for _, room := range rooms {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(room), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no sources, %v", room, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				decl, ok := d.(*ast.GenDecl)
				switch {
				case ok && decl.Tok == token.TYPE:
					readTypes(decl, func(name string) *told { return of(room, name) })
				case ok && decl.Tok == token.CONST:
					readConstants(decl, func(name string) *told { return of(room, name) })
				}
			}
		}
	}
	return all
}

func readTypes(decl *ast.GenDecl, of func(string) *told) {
	for _, spec := range decl.Specs {
		typ := spec.(*ast.TypeSpec)
		what := of(typ.Name.Name)
		what.doc = text(decl.Doc)
		if typ.Doc != nil {
			what.doc = text(typ.Doc)
		}
		fields, ok := typ.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, field := range fields.Fields.List {
			for _, name := range field.Names {
				what.fields[name.Name] = strings.TrimSpace(text(field.Doc) + " " + text(field.Comment))
			}
		}
	}
}

// readConstants reads constants of a type of their own; those that follow one
// without a type and a value are of its type.
func readConstants(decl *ast.GenDecl, of func(string) *told) {
	last := ""
	for _, spec := range decl.Specs {
		value := spec.(*ast.ValueSpec)
		switch typ, ok := value.Type.(*ast.Ident); {
		case ok:
			last = typ.Name
		case len(value.Values) > 0:
			last = ""
		}
		if last == "" {
			continue
		}
		what := of(last)
		for i, name := range value.Names {
			what.names = append(what.names, name.Name)
			if i >= len(value.Values) {
				continue
			}
			if lit, ok := value.Values[i].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					what.values = append(what.values, s)
				}
			}
		}
	}
}

func text(group *ast.CommentGroup) string { return strings.Join(strings.Fields(group.Text()), " ") }
