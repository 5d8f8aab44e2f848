package document

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Error is one mistake in a document.
type Error struct {
	File         string // or another name of the document
	Line, Column int    // 1-based; 0 if there is no position
	Path         string // of the value, such as tools[0].name; "" if the position is enough
	Msg          string
}

// Error returns the mistake as file:line:column: path: message.
func (e Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	if e.Path != "" && !strings.HasSuffix(e.File, " "+e.Path) { // as in --set KEY
		b.WriteString(": " + e.Path)
	}
	return b.String() + ": " + e.Msg
}

// Errors are all mistakes in a document, sorted by position.
type Errors []Error

// Error returns the mistakes, one per line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// OrNil sorts the mistakes and returns them as an error; nil if there are none.
func (es Errors) OrNil() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.CompactFunc(es, func(a, b Error) bool { return a == b })
}

// SortErrors joins errors: mistakes in documents by position, then the others.
func SortErrors(errs []error) error {
	var sorted Errors
	var rest []error
	for _, err := range errs {
		var one Error
		var many Errors
		switch {
		case errors.As(err, &many):
			sorted = append(sorted, many...)
		case errors.As(err, &one):
			sorted = append(sorted, one)
		case err != nil:
			rest = append(rest, err)
		}
	}
	if len(rest) == 0 {
		return sorted.OrNil()
	}
	return errors.Join(append([]error{sorted.OrNil()}, rest...)...)
}
