package grader

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gonogo/sampler/jsontext"
)

// definition holds a grader's definition by key.
type definition map[string]json.RawMessage

// Inline returns a definition with the contents of the files that it names, so that it is
// self-contained: it can be hashed, and run elsewhere. Relative paths start from dir. A definition
// that names no files is returned unchanged.
func Inline(kinds []Kind, raw json.RawMessage, dir string) (json.RawMessage, error) {
	var d definition
	if jsontext.Unmarshal(raw, &d) != nil {
		return raw, nil // New reports it
	}
	var name string
	_ = jsontext.Unmarshal(d["type"], &name) // New reports an error
	kind, err := find(kinds, name)
	if err != nil {
		return raw, nil
	}
	was := maps.Clone(d)
	if kind.inline != nil {
		if err := kind.inline(d, dir); err != nil {
			return nil, fmt.Errorf("%s grader: %w", kind.Name, err)
		}
	}
	var parts map[string]json.RawMessage
	if jsontext.Unmarshal(d["graders"], &parts) == nil && len(parts) > 0 {
		changed := false
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			part, err := Inline(kinds, parts[name], dir)
			if err != nil {
				return nil, fmt.Errorf("graders.%s: %w", name, err)
			}
			changed = changed || !bytes.Equal(part, parts[name])
			parts[name] = part
		}
		if changed {
			d["graders"] = encoded(parts)
		}
	}
	if maps.EqualFunc(d, was, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return raw, nil
	}
	return encoded(d), nil
}

// encoded returns the JSON of a value that cannot fail to encode: text, or what was read as JSON.
func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("grader: " + err.Error())
	}
	return b
}

// inlineSource inlines the source file, its modules, and the files next to it that it imports.
func inlineSource(d definition, dir string) error {
	var file string
	_ = jsontext.Unmarshal(d["file"], &file) // inlineFile reports it
	if err := inlineFile(d, dir); err != nil {
		return err
	}
	if err := inlineModules(d, dir); err != nil || file == "" {
		return err
	}
	return inlineImports(d, dir, filepath.Dir(file))
}

// imports matches an import statement of Python, and finds the modules that it names.
var imports = regexp.MustCompile(`(?m)^[ \t]*(?:from[ \t]+([\pL_][\pL\pN_]*)[ \t.]|import[ \t]+([^#\n;]+))`)

// inlineImports adds the modules that the source and its modules import from the source's folder, as Python
// itself finds them there.
func inlineImports(d definition, dir, folder string) error {
	var source string
	var modules []moduleFile
	_, _ = jsontext.Unmarshal(d["source"], &source), jsontext.Unmarshal(d["modules"], &modules) // New reports it
	texts := []string{source}
	for _, m := range modules {
		texts = append(texts, m.Source)
	}
	found := len(modules)
	for ; len(texts) > 0; texts = texts[1:] {
		for _, m := range imports.FindAllStringSubmatch(texts[0], -1) {
			for name := range strings.SplitSeq(m[1]+m[2], ",") {
				name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
				name, _, _ = strings.Cut(name, ".")
				file := filepath.Join(folder, name+".py")
				if !identifier.MatchString(name) || !isFile(dir, file) ||
					slices.ContainsFunc(modules, func(m moduleFile) bool { return m.Name == name }) {
					continue
				}
				text, err := readSource(dir, file)
				if err != nil {
					return fmt.Errorf("%s, which the source imports: %w", file, err)
				}
				modules, texts = append(modules, moduleFile{name, text}), append(texts, text)
			}
		}
	}
	if len(modules) > found {
		d["modules"] = encoded(modules)
	}
	return nil
}

// inlineFile replaces file by source, the file's text.
func inlineFile(d definition, dir string) error {
	if !present(d["file"]) {
		return nil
	}
	var file string
	if jsontext.Unmarshal(d["file"], &file) != nil || file == "" {
		return errors.New("file must be the name of a file")
	}
	if present(d["source"]) {
		return errors.New("file and source are both set: remove one of them")
	}
	text, err := readSource(dir, file)
	if err != nil {
		return fmt.Errorf("file: %w", err)
	}
	d["source"] = encoded(text)
	if !present(d["name"]) {
		d["name"] = encoded(filepath.Base(file))
	}
	delete(d, "file")
	return nil
}

// inlineModules replaces each module's file name by the module's name and text.
func inlineModules(d definition, dir string) error {
	var modules []json.RawMessage
	if !present(d["modules"]) {
		return nil
	}
	if jsontext.Unmarshal(d["modules"], &modules) != nil {
		return errors.New("modules is a list of files that the source imports")
	}
	for i, m := range modules {
		var file string
		if jsontext.Unmarshal(m, &file) != nil {
			continue // already inlined
		}
		name, ok := strings.CutSuffix(filepath.Base(file), ".py")
		if !ok || !identifier.MatchString(name) {
			return fmt.Errorf("modules: %s is not a module: name a file such as utils.py", file)
		}
		text, err := readSource(dir, file)
		if err != nil {
			return fmt.Errorf("modules: %w", err)
		}
		modules[i] = encoded(moduleFile{name, text})
	}
	d["modules"] = encoded(modules)
	return nil
}

// readSource reads a Python file.
func readSource(dir, file string) (string, error) {
	f, err := openRegular(dir, file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, largestSource))
	switch {
	case err != nil:
		return "", fmt.Errorf("read %s: %w", file, err)
	case len(b) >= largestSource:
		return "", fmt.Errorf("%s has %d bytes or more: only fewer are allowed", file, largestSource)
	case len(bytes.TrimSpace(b)) == 0:
		return "", fmt.Errorf("%s is empty", file)
	case !utf8.Valid(b):
		return "", fmt.Errorf("%s is not UTF-8", file)
	}
	return strings.TrimPrefix(string(b), "\ufeff"), nil
}

// openRegular opens a regular file. A relative name starts from dir.
func openRegular(dir, file string) (*os.File, error) {
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s: paths start from the folder of the file that names it", file)
	case err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", file)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return f, nil
}

// boundFile is a file of a command grader, with the hash of its contents in hexadecimal.
type boundFile struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// inlineCommand records under files the hashes of a command's files: the ones that its words name,
// and the ones already listed there. A word that names no file is an ordinary argument.
func inlineCommand(d definition, dir string) error {
	var argv []string
	var listed []json.RawMessage
	_ = jsontext.Unmarshal(d["command"], &argv) // New reports an error
	if present(d["files"]) && jsontext.Unmarshal(d["files"], &listed) != nil {
		return errors.New("files is a list of files that the command reads")
	}
	var bound []boundFile
	add := func(file string, must bool, was string) error {
		if slices.ContainsFunc(bound, func(b boundFile) bool { return b.File == file }) {
			return nil
		}
		sum, err := hashFile(dir, file)
		if err != nil && must {
			return fmt.Errorf("files: %w", err)
		}
		if err != nil {
			sum = was
		}
		if sum != "" {
			bound = append(bound, boundFile{file, sum})
		}
		return nil
	}
	for _, text := range argv {
		if err := add(text, false, ""); err != nil {
			return err
		}
	}
	for _, raw := range listed {
		var file string
		var was boundFile
		asText := jsontext.Unmarshal(raw, &file) == nil
		if !asText {
			_ = jsontext.Unmarshal(raw, &was) // as Inline wrote it
			file = was.File
		}
		if err := add(file, asText, was.SHA256); err != nil {
			return err
		}
	}
	if bound != nil {
		d["files"] = encoded(bound)
	}
	return nil
}

// hashFile returns the SHA-256 of a file, in hexadecimal.
func hashFile(dir, file string) (string, error) {
	f, err := openRegular(dir, file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
