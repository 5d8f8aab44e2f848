package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// configError is one mistake in a configuration.
type configError struct {
	file         string // or "--set", or "environment"
	line, column int    // 1-based; 0 when there is no place to point at
	path         string // the key
	msg          string
}

// Error returns the mistake as file:line:column: key: message.
func (e configError) Error() string {
	var b strings.Builder
	b.WriteString(e.file)
	if e.line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.line, e.column)
	}
	if e.path != "" && e.file != "--set "+e.path {
		b.WriteString(": " + e.path)
	}
	return b.String() + ": " + e.msg
}

// configErrors are all mistakes of a configuration, sorted by line.
type configErrors []configError

// Error returns one mistake a line.
func (es configErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// orNil sorts the mistakes and returns them as an error, nil when there are
// none.
func (es configErrors) orNil() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b configError) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	return slices.CompactFunc(es, func(a, b configError) bool { return a == b })
}
