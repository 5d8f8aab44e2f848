package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

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
			if _, _, err := p.leaves([]string{name}); err != nil {
				t.lists[name] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.own = ours(t.columns)
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

// parquetFile is a Parquet file, opened.
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
	at, ok := rd.(io.ReaderAt)
	p := &parquetFile{File: f, rd: rd}
	magic := make([]byte, 4)
	if ok {
		_, err = at.ReadAt(magic, 0)
	}
	if !ok || err != nil || !parquetfile.Is(magic) {
		rd.Close()
		return nil, fmt.Errorf("%w: it does not begin as a Parquet file does", ErrUnrecognized)
	}
	if p.file, err = parquetfile.Open(at, info.Size()); err != nil {
		rd.Close()
		return nil, lineError(f, 1, "%w", err)
	}
	return p, nil
}

// guard names the file in an error about it.
func (p *parquetFile) guard(do func() error) error {
	return p.named(context.Background(), parquetfile.Guard(func() error { return ended(do()) }))
}

// named names the file in an error of package parquetfile, and returns those that are marked by
// ended as they are.
func (p *parquetFile) named(ctx context.Context, err error) error {
	own, is := errors.AsType[sinkError](err)
	switch {
	case is:
		return own.error
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("read %s: %w", p.Name, ctx.Err())
	}
	return lineError(p.File, 1, "%w", err)
}

// leaf is a wanted column.
type leaf struct {
	column parquet.LeafColumn
	unit   time.Duration // of a time; 0 if it is none
}

func (p *parquetFile) leaves(wanted []string) (map[int]int, []leaf, error) {
	at, leaves := make(map[int]int), make([]leaf, len(wanted))
	for i, name := range wanted {
		path := strings.Split(name, ".")
		column, there := p.file.Schema().Lookup(path...)
		if !there { // a name with dots in it
			column, there = p.file.Schema().Lookup(name)
		}
		if !there || column.MaxRepetitionLevel > 0 {
			return nil, nil, lineError(p.File, 1, "column %s holds lists: a part of a rollout is one value", name)
		}
		l := leaf{column: column}
		if logical := column.Node.Type().LogicalType(); logical != nil {
			switch kind := logical.Value.(type) {
			case *format.DecimalType:
				return nil, nil, lineError(p.File, 1, "column %s holds decimals, whose scale this reader does not "+
					"apply: write it as doubles", name)
			case *format.TimestampType:
				if kind.Unit.Value == nil {
					return nil, nil, lineError(p.File, 1, "column %s holds times without a unit", name)
				}
				l.unit = kind.Unit.Value.Duration()
			}
		}
		leaves[i], at[column.ColumnIndex] = l, i
	}
	return at, leaves, nil
}

func (p *parquetFile) rows(ctx context.Context, wanted []string, yield func(int, []cell) error) error {
	var at map[int]int // the place of a column among those wanted
	var leaves []leaf
	err := p.guard(func() (err error) {
		at, leaves, err = p.leaves(wanted)
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
			if i, wanted := at[v.Column()]; wanted {
				cells[i] = parquetCell(v, leaves[i])
			}
		}
		return ended(yield(line, cells))
	}))
}

// parquetCell writes a value as CSV would have it.
func parquetCell(v parquet.Value, l leaf) cell {
	if v.IsNull() {
		return cell{none: true}
	}
	switch v.Kind() {
	case parquet.Boolean:
		return cell{text: strconv.FormatBool(v.Boolean())}
	case parquet.Int32:
		return cell{text: strconv.FormatInt(int64(v.Int32()), 10)}
	case parquet.Int64:
		if l.unit > 0 {
			return cell{text: parquetTime(v.Int64(), l.unit).Format(time.RFC3339Nano)}
		}
		return cell{text: strconv.FormatInt(v.Int64(), 10)}
	case parquet.Float:
		return cell{text: strconv.FormatFloat(float64(v.Float()), 'g', -1, 32)}
	case parquet.Double:
		return cell{text: strconv.FormatFloat(v.Double(), 'g', -1, 64)}
	}
	text := string(v.ByteArray())
	return cell{text: text, none: text == ""}
}

func parquetTime(n int64, unit time.Duration) time.Time {
	perSecond := int64(time.Second / unit)
	return time.Unix(n/perSecond, n%perSecond*int64(unit)).UTC()
}
