package importer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/sampler/internal/compressed"
	"gonogo/sampler/internal/jsonrows"
	"gonogo/sampler/rollout"
)

// Source is one import: files of one format, in order, and directories. A directory stands for the
// files in it whose names match the format's patterns.
type Source struct {
	Files   []File
	Options Options
}

// Options supplies what the files themselves do not say.
type Options struct {
	Split      rollout.Split     // for rollouts that do not name a split; "" = train
	OnConflict rollout.Conflict  // for gonogo's own lines and tables; other formats have their own rule
	Score      string            // which of several scores is the reward; "" = the format's default
	Map        map[string]string // for tables: part of a record -> column
	// what an item is: ItemPrompt, "item" for the ids of the log whatever the prompts, or a key of
	// the rows; "" = the format's default
	Item string
}

// Check returns an error for invalid values.
func (o Options) Check() error {
	switch o.Split {
	case "", rollout.Train, rollout.Eval, rollout.Production:
	default:
		return fmt.Errorf("--split is %q: it is train, eval or production", o.Split)
	}
	switch o.OnConflict {
	case "", rollout.First, rollout.Last:
	default:
		return fmt.Errorf("--on-conflict is %q: it is first or last", o.OnConflict)
	}
	return nil
}

// ColumnMap parses lists of PART=COLUMN for Options.Map. The name of a column may contain an equals
// sign.
func ColumnMap(lists []string) (map[string]string, error) {
	columns := make(map[string]string)
	for _, list := range lists {
		for pair := range strings.SplitSeq(list, ",") {
			part, column, ok := strings.Cut(pair, "=")
			part = strings.TrimSpace(part)
			if !ok || part == "" || column == "" {
				return nil, fmt.Errorf("--map %s: it is PART=COLUMN, as in --map item=question_id,reward=score", list)
			}
			if was, twice := columns[part]; twice && was != column {
				return nil, fmt.Errorf("--map names two columns for %s: %s and %s", part, was, column)
			}
			columns[part] = column
		}
	}
	return columns, nil
}

// split returns the split of rollouts that do not name one.
func (o Options) split() rollout.Split { return cmp.Or(o.Split, rollout.Train) }

// File is a file or a directory to import.
type File struct {
	Name string // as shown in errors
	FS   fs.FS  // the file system that holds it and the files next to it
	Path string // its name in FS

	found bool // in a directory, rather than named by the caller
	list  *list
}

// list is where the rows of a file are, if it does not hold one a line.
type list struct{ path []string } // the keys that lead to it; none for an array that makes up the file

// name names the list in a note.
func (l *list) name() string {
	if len(l.path) == 0 {
		return "a JSON array"
	}
	return fmt.Sprintf("the list %q", strings.Join(l.path, "."))
}

// asLines returns the file as one of JSON lines, of which Open reads the rows, if it is an array of
// objects, or one object with one list of objects, and not itself a row by its keys. Other files are
// returned as they are.
func (f File) asLines(isRow func(keys []string) bool) (File, error) {
	rd, err := f.Open()
	if err != nil {
		return f, err
	}
	defer rd.Close()
	shape, err := jsonrows.Find(rd)
	switch {
	case err != nil:
		return f, f.errorOf("read", err)
	case shape.Array:
		f.list = new(list)
	case len(shape.Lists) == 1 && !isRow(shape.Keys):
		f.list = &list{shape.Lists[0]}
	}
	return f, nil
}

// shapeHint says how to write the rows of a file one a line, if they are in lists; else it is "".
func (f File) shapeHint() string {
	rd, err := f.Open()
	if err != nil {
		return ""
	}
	defer rd.Close()
	shape, err := jsonrows.Find(rd)
	switch {
	case err != nil:
		return ""
	case shape.Array:
		return "\n  it is a JSON array: " + jsonrows.Command() + " writes its rows one a line, and --map says what they hold"
	case len(shape.Lists) > 0:
		path := shape.Lists[0]
		return fmt.Sprintf("\n  rows in its list %q: %s writes them one a line, and --map says what they hold",
			strings.Join(path, "."), jsonrows.Command(path...))
	}
	return ""
}

// Paths returns the source that reads the files and directories at paths.
func Paths(opt Options, paths ...string) Source {
	src := Source{Options: opt}
	for _, p := range paths {
		clean := filepath.Clean(p)
		f := File{Name: p, FS: os.DirFS(filepath.Dir(clean)), Path: filepath.Base(clean)}
		if !fs.ValidPath(f.Path) { // the path is .. or the root
			f.FS, f.Path = os.DirFS(clean), "."
		}
		src.Files = append(src.Files, f)
	}
	return src
}

// Open opens the file at its beginning. It can be called several times. A compressed file is read
// unpacked, and a list as JSON lines; only other files can be an io.ReaderAt. Anything but a regular
// file, which could be read for ever, is an error.
func (f File) Open() (fs.File, error) {
	if _, err := f.stat(); err != nil {
		return nil, err
	}
	rd, err := f.FS.Open(f.Path)
	if err != nil {
		return nil, f.errorOf("open", err)
	}
	if at, ok := rd.(io.ReaderAt); ok && f.list == nil {
		head := make([]byte, compressed.Peek)
		if n, _ := at.ReadAt(head, 0); !compressed.Is(head[:n]) { // an error comes again
			return rd, nil
		}
	}
	content, err := compressed.NewReader(rd, 0)
	if err == nil && f.list != nil {
		content, err = jsonrows.NewReader(content, f.list.path...)
	}
	if err != nil {
		rd.Close()
		return nil, f.errorOf("open", err)
	}
	return unpackedFile{rd, content}, nil
}

// unpackedFile is a file that is read from a reader of its content.
type unpackedFile struct {
	fs.File
	content io.Reader
}

// Read reads the content.
func (u unpackedFile) Read(p []byte) (int, error) { return u.content.Read(p) }

// base returns the name of the file in its folder, without the ending of a compression.
func (f File) base() string { return compressed.PlainName(path.Base(f.Path)) }

// Beside returns the file called name in the directory of f. The file need not exist.
func (f File) Beside(name string) File {
	return File{
		Name: filepath.Join(filepath.Dir(f.Name), filepath.FromSlash(name)), FS: f.FS,
		Path: path.Join(path.Dir(f.Path), name),
	}
}

// stat returns the info of the file. Files are opened more than once, so anything but a regular
// file or a directory is an error.
func (f File) stat() (fs.FileInfo, error) {
	info, err := fs.Stat(f.FS, f.Path)
	switch {
	case err != nil:
		return nil, f.errorOf("open", err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, fmt.Errorf("open %s: it is not a regular file, and an import may read it more than once: save "+
			"it as a file", f.Name)
	}
	return info, nil
}

// errorOf returns an error with the file's name as the caller gave it, not as its file system does.
func (f File) errorOf(doing string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return fmt.Errorf("%s %s: %w", doing, f.Name, err)
}

// mentions reports whether the first 4 KiB of the file contain word.
func (f File) mentions(word string) bool {
	rd, err := f.Open()
	if err != nil {
		return false
	}
	defer rd.Close()
	head, err := io.ReadAll(io.LimitReader(rd, 4<<10))
	return err == nil && bytes.Contains(head, []byte(word))
}

// filesOf returns the source with each directory replaced by the files in it whose names match a
// pattern, in the order of their paths. Hidden directories are skipped. A directory without such
// files is ErrUnrecognized. A file that is named twice counts once.
func (s Source) filesOf(patterns []string) (Source, error) {
	var files []File
	for _, f := range s.Files {
		info, err := f.stat()
		if err != nil {
			return s, err
		}
		if !info.IsDir() {
			files = append(files, f)
			continue
		}
		found, err := f.walk(patterns)
		if err != nil {
			return s, err
		}
		if len(found) == 0 {
			return s, fmt.Errorf("%w: no file in %s is called %s", ErrUnrecognized, f.Name,
				strings.Join(patterns, " or "))
		}
		files = append(files, found...)
	}
	seen := make(map[string]bool, len(files))
	s.Files = slices.DeleteFunc(files, func(f File) bool {
		name := filepath.Clean(f.Name)
		again := seen[name]
		seen[name] = true
		return again
	})
	return s, nil
}

func (f File) walk(patterns []string) (files []File, err error) {
	err = fs.WalkDir(f.FS, f.Path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != f.Path && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.Type().IsRegular() || !matches(patterns, d.Name()):
			return nil
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(p, f.Path), "/")
		files = append(files, File{
			Name: filepath.Join(f.Name, filepath.FromSlash(rel)), FS: f.FS, Path: p,
			found: true,
		})
		return nil
	})
	if err != nil {
		return nil, f.errorOf("look through", err)
	}
	return files, nil
}

// matches reports whether the name of a file, compressed or not, has one of the patterns.
func matches(patterns []string, name string) bool {
	name = compressed.PlainName(name)
	for _, p := range patterns {
		if ok, err := path.Match(p, name); ok && err == nil {
			return true
		}
	}
	return false
}

// sniffed returns the files that sniff recognizes. A file of another format is left out and listed
// if it was found in a directory, and is an error if the caller named it. If no file is left, the
// error is ErrUnrecognized.
func (s Source) sniffed(ctx context.Context, sniff func(File) error) (files []File, leftOut []string, err error) {
	for _, f := range s.Files {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", f.Name, err)
		}
		err := sniff(f)
		switch {
		case errors.Is(err, ErrUnrecognized) && f.found:
			leftOut = append(leftOut, f.Name)
		case errors.Is(err, ErrUnrecognized) && len(s.Files) > 1:
			return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
		case err != nil:
			return nil, nil, err
		default:
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("%w: none of %s is", ErrUnrecognized, counted(leftOut, few))
	}
	return files, leftOut, nil
}

// few is how many names a message lists as examples.
const few = 3

// mostNames is how many names a message lists from which one is to be chosen.
const mostNames = 30

// counted lists names for a message, but only the first of many.
func counted(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
