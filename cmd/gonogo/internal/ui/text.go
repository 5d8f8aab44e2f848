package ui

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/input/spelling"
)

// Names returns name of each element.
func Names[T, U any](all []T, name func(T) U) []U {
	out := make([]U, len(all))
	for i, one := range all {
		out[i] = name(one)
	}
	return out
}

// PickNames parses a comma-separated list of known names; what describes them in errors.
func PickNames(what, list string, known []string) ([]string, error) {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(known, name) {
			return nil, exit.Usagef("there is no %s %q%s", what, name, spelling.Choices(name, known))
		}
		out = append(out, name)
	}
	return out, nil
}

// PrintJSON writes v as indented JSON.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
