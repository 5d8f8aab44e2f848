package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
)

// maxParquet is the largest Parquet file that is read as data: its rows are all in
// memory.
const maxParquet = 1 << 30

// isParquet recognises a Parquet file by how it begins.
func isParquet(first []byte) bool { return bytes.HasPrefix(first, []byte("PAR1")) }

// parquetLines returns the rows of a Parquet file as JSON lines, in order: lists and
// structs as JSON has them, times as numbers in the file's unit, and null for NaN and for
// what a row lacks.
func parquetLines(file []byte) (lines []byte, err error) {
	defer func() { // the library panics over some files that are broken
		if broken := recover(); broken != nil {
			err = fmt.Errorf("the Parquet file is broken: %v", broken)
		}
	}()
	if len(file) > maxParquet {
		return nil, fmt.Errorf("the Parquet file is larger than %d MB: split it, or write JSONL", maxParquet>>20)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, fmt.Errorf("the Parquet file is broken or was cut off: %w", err)
	}
	var out bytes.Buffer
	for _, group := range f.RowGroups() {
		from := group.Rows()
		if err := errors.Join(rowLines(&out, f.Schema(), from), from.Close()); err != nil {
			return nil, fmt.Errorf("the Parquet file is broken: %w", err)
		}
	}
	return out.Bytes(), nil
}

// rowLines appends the rows of a group.
func rowLines(out *bytes.Buffer, schema *parquet.Schema, from parquet.Rows) error {
	rows := make([]parquet.Row, 64)
	for {
		n, err := from.ReadRows(rows)
		for _, row := range rows[:n] {
			fields := make(map[string]any)
			if err := schema.Reconstruct(&fields, row); err != nil {
				return err
			}
			text, err := json.Marshal(finite(fields))
			if err != nil {
				return err
			}
			if out.Write(append(text, '\n')); len(text) > maxLine || out.Len() > maxParquet {
				return errors.New("its rows are too long")
			}
		}
		switch {
		case errors.Is(err, io.EOF), err == nil && n == 0:
			return nil
		case err != nil:
			return err
		}
	}
}

// finite is a value with null in the place of numbers that JSON does not have.
func finite(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			v[k] = finite(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = finite(inner)
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case float32:
		return finite(float64(v))
	}
	return v
}
