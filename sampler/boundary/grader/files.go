package grader

import (
	"encoding/json"
	"maps"
	"slices"

	"gonogo/sampler/jsontext"
)

// Local reports whether a definition, with all its parts, grades on this machine: without a server.
func Local(kinds []Kind, raw json.RawMessage) bool {
	var d struct {
		Type    string                     `json:"type"`
		Graders map[string]json.RawMessage `json:"graders"`
	}
	if jsontext.Unmarshal(raw, &d) != nil {
		return false
	}
	kind, err := find(kinds, d.Type)
	if err != nil || kind.Remote {
		return false
	}
	for _, part := range d.Graders {
		if !Local(kinds, part) {
			return false
		}
	}
	return true
}

// Files lists the files that a definition names and Inline reads, sorted: sources, modules, and
// the words of a command that name a file. Relative paths start from dir. A definition that is
// already inlined names only a command's files.
func Files(kinds []Kind, raw json.RawMessage, dir string) []string {
	found := make(map[string]bool)
	collect(kinds, raw, dir, found)
	return slices.Sorted(maps.Keys(found))
}

func collect(kinds []Kind, raw json.RawMessage, dir string, found map[string]bool) {
	var d struct {
		Type    string                     `json:"type"`
		File    any                        `json:"file"`
		Modules []any                      `json:"modules"`
		Command []any                      `json:"command"`
		Files   []any                      `json:"files"`
		Graders map[string]json.RawMessage `json:"graders"`
	}
	_ = jsontext.Unmarshal(raw, &d) // a value of another type names no file; New reports it
	if kind, err := find(kinds, d.Type); err == nil && kind.inline != nil {
		for _, name := range append(slices.Concat(d.Modules, d.Files), d.File) {
			if text, ok := name.(string); ok && text != "" {
				found[text] = true
			}
		}
		for _, word := range d.Command {
			if text, ok := word.(string); ok && text != "" && isFile(dir, text) {
				found[text] = true
			}
		}
	}
	for _, part := range d.Graders {
		collect(kinds, part, dir, found)
	}
}

// isFile reports whether a word names a file. A relative name starts from dir.
func isFile(dir, word string) bool {
	f, err := openRegular(dir, word)
	if err != nil {
		return false
	}
	return f.Close() == nil
}
