package config

import (
	"fmt"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/dataset"
)

// walker holds the document against the table of keys.
type walker struct {
	config *Config
	keys   []key
	errs   Errors
}

func (w *walker) fail(n *yamlNode, path, format string, args ...any) {
	w.errs = append(w.errs, Error{w.config.File, n.line, n.column, path, fmt.Sprintf(format, args...)})
}

// group reads a map of keys; prefix is "" or ends with a dot.
func (w *walker) group(prefix string, n *yamlNode) {
	for _, f := range n.fields {
		path := prefix + f.key
		i := slices.IndexFunc(w.keys, func(k key) bool { return k.Path == path })
		inside := slices.ContainsFunc(w.keys, func(k key) bool { return strings.HasPrefix(k.Path, path+".") })
		switch {
		case i >= 0 && f.value.kind == yamlNull: // left empty: its default holds
		case i >= 0:
			k := w.keys[i]
			w.config.given[path] = place{w.config.File, f.value.line, f.value.column}
			decoder{k, func(at *yamlNode, format string, args ...any) { w.fail(at, path, format, args...) }}.decode(f.value, &w.config.written)
		case !inside:
			w.fail(&yamlNode{line: f.line, column: f.column}, "", "unknown key %q%s", path, suggestKey(path, w.keys))
		case f.value.kind == yamlMap:
			w.group(path+".", f.value)
		case f.value.kind != yamlNull:
			w.fail(f.value, path, "is a group of keys such as %s, got %s", firstIn(path, w.keys), f.value.show())
		}
	}
}

func firstIn(group string, all []key) string {
	i := slices.IndexFunc(all, func(k key) bool { return strings.HasPrefix(k.Path, group+".") })
	return all[i].Path
}

// suggestKey words the key that was probably meant: a neighbour that is
// spelt like it, else a key elsewhere whose last word it is, else the key
// that is spelt most like it.
func suggestKey(path string, all []key) string {
	leaf := func(p string) string { return p[strings.LastIndexByte(p, '.')+1:] }
	parent := strings.TrimSuffix(path, leaf(path))
	var near, full, leaves []string
	for _, k := range all {
		full = append(full, k.Path)
		if strings.HasPrefix(k.Path, parent) {
			word, _, _ := strings.Cut(strings.TrimPrefix(k.Path, parent), ".")
			near = append(near, word)
		}
		if leaf(k.Path) == leaf(path) {
			leaves = append(leaves, k.Path)
		}
	}
	if word, ok := dataset.Suggest(leaf(path), near); ok {
		return fmt.Sprintf(", did you mean %q?", parent+word)
	}
	if len(leaves) > 0 {
		return fmt.Sprintf(", did you mean %s?", ui.OrList(leaves))
	}
	for _, k := range all {
		leaves = append(leaves, leaf(k.Path))
	}
	if word, ok := dataset.Suggest(leaf(path), leaves); ok {
		return fmt.Sprintf(", did you mean %q?", full[slices.Index(leaves, word)])
	}
	return "; gonogo help config lists the keys"
}
