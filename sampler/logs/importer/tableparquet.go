package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"gonogo/sampler/internal/parquetfile"
)

// openParquet reads the schema.
func openParquet(f File, _ map[string]string) (*table, error) {
	p, err := parquetOf(f)
	if err != nil {
		return nil, err
	}
	defer p.close()
	t := new(table)
	t.lists = make(map[string]bool)
	err = p.guard(func() error {
		for _, path := range p.file.Schema().Columns() {
			name := strings.Join(path, ".")
			t.columns = append(t.columns, name)
			if _, err := p.leaves([]string{name}); err != nil {
				t.lists[name] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.native = ours(t.columns)
	t.rows = func(ctx context.Context, _ Sink, wanted []string, yield func(int, []cell) error) error {
		p, err := parquetOf(f)
		if err != nil {
			return err
		}
		defer p.close()
		return p.rows(ctx, wanted, yield)
	}
	return t, nil
}

// parquetFile is an opened Parquet file.
type parquetFile struct {
	File
	rd   fs.File
	file *parquetfile.File
}

func (p *parquetFile) close() { p.rd.Close() }

func parquetOf(f File) (*parquetFile, error) {
	info, err := f.stat()
	if err != nil {
		return nil, err
	}
	rd, err := f.Open()
	if err != nil {
		return nil, err
	}
	seeker, ok := rd.(io.ReaderAt)
	p := &parquetFile{File: f, rd: rd}
	magic := make([]byte, 4)
	if ok {
		_, err = seeker.ReadAt(magic, 0)
	}
	if !ok || err != nil || !parquetfile.Is(magic) {
		rd.Close()
		return nil, fmt.Errorf("%w: it does not begin as a Parquet file does", ErrUnrecognized)
	}
	if p.file, err = parquetfile.Open(seeker, info.Size()); err != nil {
		rd.Close()
		return nil, lineError(f, 1, "%w", err)
	}
	return p, nil
}

// guard runs do, and names the file in its error.
func (p *parquetFile) guard(do func() error) error {
	return p.named(context.Background(), parquetfile.Guard(func() error { return ended(do()) }))
}

// named names the file in an error of package parquetfile; an error that was marked by ended is
// returned unchanged.
func (p *parquetFile) named(ctx context.Context, err error) error {
	sinkErr, ok := errors.AsType[sinkError](err)
	switch {
	case ok:
		return sinkErr.error
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("read %s: %w", p.Name, ctx.Err())
	}
	return lineError(p.File, 1, "%w", err)
}

// leaves returns the positions in wanted of columns by their index.
func (p *parquetFile) leaves(wanted []string) (map[int]int, error) {
	byColumn := make(map[int]int)
	for i, name := range wanted {
		path := strings.Split(name, ".")
		column, ok := p.file.Schema().Lookup(path...)
		if !ok { // a name that contains dots
			column, ok = p.file.Schema().Lookup(name)
		}
		if !ok || column.MaxRepetitionLevel > 0 {
			return nil, lineError(p.File, 1, "column %s holds lists: a part of a rollout is one value", name)
		}
		byColumn[column.ColumnIndex] = i
	}
	return byColumn, nil
}

func (p *parquetFile) rows(ctx context.Context, wanted []string, yield func(int, []cell) error) error {
	var byColumn map[int]int
	err := p.guard(func() (err error) {
		byColumn, err = p.leaves(wanted)
		return err
	})
	if err != nil {
		return err
	}
	cells, line := make([]cell, len(wanted)), 0
	return p.named(ctx, p.file.Rows(ctx, func(row parquet.Row) error {
		line++
		for i := range cells {
			cells[i] = cell{none: true}
		}
		for _, v := range row {
			if i, ok := byColumn[v.Column()]; ok {
				cells[i] = parquetCell(p.file.Value(v.Column(), v))
			}
		}
		return ended(yield(line, cells))
	}))
}

// parquetCell formats a value as it would be in a CSV file.
func parquetCell(v any) cell {
	switch v := v.(type) {
	case nil:
		return cell{none: true}
	case float32:
		return cell{text: strconv.FormatFloat(float64(v), 'g', -1, 32)}
	case float64:
		return cell{text: strconv.FormatFloat(v, 'g', -1, 64)}
	case []byte:
		return cell{text: string(v), none: len(v) == 0}
	}
	text := fmt.Sprint(v)
	return cell{text: text, none: text == ""}
}
