// Package table serves the gonogo command; its API may change in any release.
//
// It writes a report as tables for other programs: a row for each item or rollout, as CSV or
// Parquet, with every number in full precision.
package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gonogo/analysis"
)

// Kind is the type of the cells of a column.
type Kind string

const (
	textCells   Kind = "text"
	countCells  Kind = "integer"
	numberCells Kind = "number"
	flagCells   Kind = "true or false"
	timeCells   Kind = "time"
)

// Column is one column of a table with a row for each R. It is the same in every format of the
// table.
type Column[R any] struct {
	Name string
	Kind Kind
	Doc  string
	Of   func(R) any // a string, int64, float64, bool or time.Time, according to Kind; nil if unknown
}

// writeCSV writes rows as comma-separated values with a header: UTF-8 without a byte order mark,
// lines ending in \n, and an empty cell for an unknown value.
func writeCSV[R any](w io.Writer, columns []Column[R], rows func(yield func(R) error) error) error {
	to := csv.NewWriter(w)
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = c.Name
	}
	if err := to.Write(cells); err != nil {
		return err
	}
	err := rows(func(r R) error {
		for i, c := range columns {
			cells[i] = Cell(c.Of(r))
		}
		return to.Write(cells)
	})
	if err != nil {
		return err
	}
	to.Flush()
	return to.Error()
}

// Cell writes a value in full precision, and a text so that no spreadsheet interprets it as a
// formula.
func Cell(value any) string {
	switch x := value.(type) {
	case string:
		return analysis.PlainCell(printable(x))
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(x)
	case time.Time:
		return x.UTC().Format(time.RFC3339Nano)
	case nil:
		return ""
	}
	panic(fmt.Sprintf("table: a column holds a %T", value))
}

// printable writes control characters as escapes, except tabs and newlines, which CSV can contain:
// many readers end a text at a NUL.
func printable(s string) string {
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\n' }
	if !strings.ContainsFunc(s, control) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if control(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// known returns the value of a cell for a pointer: nil for a nil pointer, NaN or an infinity.
func known[T int | int64 | float64](p *T) any {
	if p == nil {
		return nil
	}
	switch x := any(*p).(type) {
	case int:
		return int64(x)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return x + 0 // no negative zero
	}
	return any(*p)
}

// textOrNil returns s, or nil if it is empty.
func textOrNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
