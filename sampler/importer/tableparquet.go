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

	"gonogo/sampler/rollout"
)

// openParquet reads the schema.
func openParquet(f File, _ map[string]string) (*table, error) {
	p, err := parquetOf(f)
	if err != nil {
		return nil, err
	}
	defer p.close()
	t := new(table)
	err = p.guard(func() error {
		for _, path := range p.file.Schema().Columns() {
			t.columns = append(t.columns, strings.Join(path, "."))
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
	at   io.ReaderAt
	size int64
	file *parquet.File
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
	p := &parquetFile{File: f, rd: rd, at: at, size: info.Size()}
	magic := make([]byte, 4)
	if ok {
		_, err = at.ReadAt(magic, 0)
	}
	if !ok || err != nil || string(magic) != "PAR1" {
		rd.Close()
		return nil, fmt.Errorf("%w: it does not begin as a Parquet file does", ErrUnrecognized)
	}
	err = p.guard(func() (err error) {
		if err := footerFits(at, p.size); err != nil {
			return err
		}
		p.file, err = parquet.OpenFile(at, p.size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
		return err
	})
	if err != nil {
		rd.Close()
		return nil, err
	}
	return p, nil
}

// guard makes an error of a panic: the library panics over some files that are
// broken.
func (p *parquetFile) guard(do func() error) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = lineError(p.File, 1, "the Parquet file is broken: %v", broken)
		}
	}()
	err = do()
	if errors.Is(err, errLZ4) {
		return lineError(p.File, 1, "the Parquet file: %w", err)
	}
	if _, said := errors.AsType[*rollout.LineError](err); err != nil && !said {
		return lineError(p.File, 1, "the Parquet file is broken or was cut off: %w", err)
	}
	return err
}

// leaf is a wanted column.
type leaf struct {
	column parquet.LeafColumn
	unit   time.Duration // of a time; 0 where it is none
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
				return nil, nil, lineError(p.File, 1, "column %s holds decimals, whose scale this reader does not apply: write it as doubles", name)
			case *format.TimestampType:
				if kind.Unit.Value == nil {
					return nil, nil, lineError(p.File, 1, "column %s holds times of no unit", name)
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
	unpack := new(unpacker)
	defer unpack.close()
	cells, batch, line := make([]cell, len(wanted)), make([]parquet.Row, 256), 0
	for i, group := range p.file.RowGroups() {
		var from parquet.Rows
		err := p.guard(func() error {
			if err := pagesFit(ctx, p.at, p.size, p.file.Metadata(), i, unpack); err != nil {
				return err
			}
			from = group.Rows()
			return nil
		})
		if err != nil {
			return err
		}
		for {
			if err := ctx.Err(); err != nil {
				return errors.Join(fmt.Errorf("read %s: %w", p.Name, err), from.Close())
			}
			n, end := 0, false
			err := p.guard(func() (err error) {
				n, err = from.ReadRows(batch)
				if end = errors.Is(err, io.EOF); end {
					err = nil
				}
				return err
			})
			if err != nil {
				return errors.Join(err, from.Close())
			}
			for _, row := range batch[:n] {
				line++
				for i := range cells {
					cells[i] = cell{none: true}
				}
				for _, v := range row {
					if i, wanted := at[v.Column()]; wanted {
						cells[i] = parquetCell(v, leaves[i])
					}
				}
				if err := yield(line, cells); err != nil {
					return errors.Join(err, from.Close())
				}
			}
			if end || n == 0 {
				break
			}
		}
		if err := from.Close(); err != nil {
			return fmt.Errorf("read %s: %w", p.Name, err)
		}
	}
	return nil
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
	return cell{text, text == ""}
}

func parquetTime(n int64, unit time.Duration) time.Time {
	perSecond := int64(time.Second / unit)
	return time.Unix(n/perSecond, n%perSecond*int64(unit)).UTC()
}
