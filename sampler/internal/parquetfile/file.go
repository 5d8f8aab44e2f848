package parquetfile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
)

// Is reports whether a file begins like a Parquet file.
func Is(first []byte) bool { return bytes.HasPrefix(first, []byte("PAR1")) }

// File is an opened Parquet file.
type File struct {
	data io.ReaderAt
	size int64
	file *parquet.File

	root   *column
	leaves []*column
}

// Open reads the schema of a file of size bytes.
func Open(data io.ReaderAt, size int64) (*File, error) {
	f := &File{data: data, size: size}
	err := Guard(func() (err error) {
		if err := footerFits(data, size); err != nil {
			return err
		}
		f.file, err = parquet.OpenFile(data, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
		if err == nil {
			f.root, err = columnsOf(f.file.Metadata())
		}
		if err == nil {
			f.leaves = f.root.leaves()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Schema returns the columns. Its methods must be called within Guard.
func (f *File) Schema() *parquet.Schema { return f.file.Schema() }

// Guard calls do, which uses the library, and returns an error for a panic: the library panics on
// some broken files.
func Guard(do func() error) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("the Parquet file is broken: %v", broken)
		}
	}()
	switch err := do(); {
	case errors.Is(err, errLZ4):
		return fmt.Errorf("the Parquet file: %w", err)
	case err != nil:
		return fmt.Errorf("the Parquet file is broken or was cut off: %w", err)
	default:
		return err
	}
}

// Rows passes the rows to yield, in order; a row is valid until yield returns. An error of yield or
// of ctx ends the read and is returned unchanged.
func (f *File) Rows(ctx context.Context, yield func(parquet.Row) error) error {
	unpack := new(unpacker)
	defer unpack.close()
	batch := make([]parquet.Row, 256)
	for i, group := range f.file.RowGroups() {
		var from parquet.Rows
		err := Guard(func() error {
			if err := pagesFit(ctx, f.data, f.size, f.file.Metadata(), i, unpack); err != nil {
				return err
			}
			from = group.Rows()
			return nil
		})
		if err == nil {
			err = eachOf(ctx, from, batch, yield)
			if closed := from.Close(); err == nil {
				err = closed
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachOf passes on the rows of a group.
func eachOf(ctx context.Context, from parquet.Rows, batch []parquet.Row, yield func(parquet.Row) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, end := 0, false
		err := Guard(func() (err error) {
			n, err = from.ReadRows(batch)
			if end = errors.Is(err, io.EOF); end {
				err = nil
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, row := range batch[:n] {
			if err := yield(row); err != nil {
				return err
			}
		}
		if end || n == 0 {
			return nil
		}
	}
}

// Objects passes each row to yield as a JSON object: lists and structs as in JSON, other values as
// File.Value has them, and null for NaN and for missing values. Errors are those of Rows.
func (f *File) Objects(ctx context.Context, yield func(json.RawMessage) error) error {
	return f.Rows(ctx, func(row parquet.Row) error {
		var text []byte
		err := Guard(func() (err error) {
			fields := make(map[string]any)
			if err := f.file.Schema().Reconstruct(&fields, row); err != nil {
				return err
			}
			text, err = json.Marshal(f.root.object(fields))
			return err
		})
		if err != nil {
			return err
		}
		return yield(text)
	})
}

// finite returns a value in which null replaces the numbers that JSON does not have.
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
