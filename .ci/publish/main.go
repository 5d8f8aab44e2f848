// Command publish writes the module under a path that it can be fetched by:
//
//	publish MODULE VERSION INTO
//
// INTO/tree gets a copy of the tracked files, to be pushed where MODULE is, and
// INTO/module the same as a file server would offer it to GOPROXY. It runs at the
// root of the repository.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 4 || os.Args[1] == "" || os.Args[2] == "" {
		fmt.Fprintln(os.Stderr, "usage: make publish MODULE=example.org/you/gonogo VERSION=v0.1.0")
		os.Exit(2)
	}
	if err := publish(module.Version{Path: os.Args[1], Version: os.Args[2]}, os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

func publish(as module.Version, into string) error {
	if as.Version != semver.Canonical(as.Version) {
		return fmt.Errorf("VERSION %q: want one like v0.1.0", as.Version)
	}
	if err := module.Check(as.Path, as.Version); err != nil {
		return fmt.Errorf("MODULE %s, VERSION %s: %w", as.Path, as.Version, err)
	}
	from, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	tree := filepath.Join(into, "tree")
	if err := copyTree(tree, rename{modfile.ModulePath(from), as}); err != nil {
		return err
	}
	return pack(as, tree, filepath.Join(into, "module"))
}

// copyTree writes the tracked files below dir, which must not exist.
func copyTree(dir string, r rename) error {
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s exists: remove it first", dir)
	}
	names, err := git("ls-files", "-z")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		info, err := os.Lstat(name)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed, and not yet committed
		} else if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s: a module has regular files only", name)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if b, err = r.file(name, b); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		to := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755),
			os.WriteFile(to, b, info.Mode().Perm())); err != nil {
			return err
		}
	}
	return nil
}

// rename replaces the module path that the sources have.
type rename struct {
	from string
	as   module.Version
}

func (r rename) file(name string, b []byte) ([]byte, error) {
	switch {
	case filepath.Base(name) == "go.mod":
		return r.goMod(name, b)
	case strings.HasSuffix(name, ".go"):
		return r.imports(name, b)
	case strings.HasSuffix(name, ".md"):
		return r.page(b), nil
	}
	return b, nil
}

// path is the new path of a package or module, if it has one.
func (r rename) path(old string) (string, bool) {
	if rest, ok := strings.CutPrefix(old, r.from); ok && (rest == "" || rest[0] == '/') {
		return r.as.Path + rest, true
	}
	return old, false
}

func (r rename) imports(name string, src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(src)
	for _, spec := range slices.Backward(f.Imports) { // from the end: offsets before stay true
		old, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if path, ours := r.path(old); ours {
			at := fset.Position(spec.Path.Pos()).Offset
			out = slices.Replace(out, at, at+len(spec.Path.Value), []byte(strconv.Quote(path))...)
		}
	}
	if bytes.Equal(out, src) {
		return src, nil
	}
	return format.Source(out) // sorts the imports
}

// goMod renames the module, and what modules inside the tree require of it.
func (r rename) goMod(name string, b []byte) ([]byte, error) {
	f, err := modfile.Parse(name, b, nil)
	if err != nil {
		return nil, err
	}
	path, _ := r.path(f.Module.Mod.Path)
	err = f.AddModuleStmt(path)
	for _, q := range slices.Clone(f.Require) {
		if q.Mod.Path == r.from {
			err = errors.Join(err, f.DropRequire(r.from), f.AddRequire(r.as.Path, r.as.Version))
		}
	}
	for _, p := range slices.Clone(f.Replace) {
		if p := *p; p.Old.Path == r.from {
			err = errors.Join(err, f.DropReplace(r.from, p.Old.Version),
				f.AddReplace(r.as.Path, "", p.New.Path, p.New.Version))
		}
	}
	if err != nil {
		return nil, err
	}
	f.Cleanup()
	return f.Format()
}

// oncePublished is a comment in a page, whose text replaces the paragraph below it.
var oncePublished = regexp.MustCompile(`(?s)<!-- once published: (.*?) -->\n.*?(\n\n|\n?\z)`)

func (r rename) page(b []byte) []byte {
	return oncePublished.ReplaceAllFunc(b, func(found []byte) []byte {
		m := oncePublished.FindSubmatch(found)
		text := strings.NewReplacer("MODULE", r.as.Path, "VERSION", r.as.Version).Replace(string(m[1]))
		return append([]byte(text), m[2]...)
	})
}

// pack writes what GOPROXY asks a server for.
func pack(as module.Version, tree, dir string) error {
	path, err := module.EscapePath(as.Path)
	if err != nil {
		return err
	}
	when, err := git("log", "-1", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%cd")
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(tree, "go.mod"))
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, as, tree); err != nil {
		return err
	}
	at := filepath.Join(dir, filepath.FromSlash(path), "@v")
	err = os.MkdirAll(at, 0o755)
	for name, b := range map[string][]byte{
		"list":               []byte(as.Version + "\n"),
		as.Version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":%q}`, as.Version, strings.TrimSpace(when)),
		as.Version + ".mod":  mod,
		as.Version + ".zip":  archive.Bytes(),
	} {
		err = errors.Join(err, os.WriteFile(filepath.Join(at, name), b, 0o644))
	}
	return err
}

func git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return string(out), nil
}
