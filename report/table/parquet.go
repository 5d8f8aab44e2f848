package table

import (
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

const (
	parquetGroup = 20_000 // rows per row group, which is kept in memory
	parquetBatch = 256    // rows written at once
)

// Metadata is the metadata of a Parquet file.
type Metadata struct{ Version, Run, Verdict string }

// WriteParquet writes rollouts.parquet: the rows and columns of rollouts.csv with their types,
// compressed with zstd. Every column is optional; an unknown value is null.
func (s *Survey) WriteParquet(w io.Writer, made Metadata) error {
	if err := s.parquet(w, made); err != nil {
		return fmt.Errorf("write rollouts.parquet: %w", err)
	}
	return nil
}

func (s *Survey) parquet(w io.Writer, made Metadata) error {
	columns := rowColumns(s.Parts, s.rest)
	to := parquet.NewWriter(w,
		parquet.NewSchema("rollout", fieldsOf(columns)),
		parquet.Compression(&zstd.Codec{Level: zstd.DefaultLevel}),
		parquet.MaxRowsPerRowGroup(parquetGroup),
		parquet.CreatedBy("gonogo", made.Version, ""),
		parquet.KeyValueMetadata("gonogo.run_id", made.Run),
		parquet.KeyValueMetadata("gonogo.verdict", made.Verdict),
	)
	batch := make([]parquet.Row, 0, parquetBatch)
	flush := func() error {
		_, err := to.WriteRows(batch)
		batch = batch[:0]
		return err
	}
	err := s.each(func(r row) error {
		batch = batch[:len(batch)+1]
		values := &batch[len(batch)-1]
		*values = (*values)[:0]
		for i, c := range columns {
			*values = append(*values, parquetValue(c.Of(r), i))
		}
		if len(batch) < parquetBatch {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return err
	}
	return to.Close()
}

// parquetValue returns a value for column i.
func parquetValue(value any, i int) parquet.Value {
	var v parquet.Value
	switch x := value.(type) {
	case nil:
		return parquet.NullValue().Level(0, 0, i)
	case string:
		v = parquet.ByteArrayValue([]byte(x))
	case int64:
		v = parquet.Int64Value(x)
	case float64:
		v = parquet.DoubleValue(x)
	case bool:
		v = parquet.BooleanValue(x)
	case time.Time:
		v = parquet.Int64Value(x.UnixMicro())
	default:
		panic(fmt.Sprintf("table: a column holds a %T", value))
	}
	return v.Level(0, 1, i)
}

// fields is the schema of a table: a group with its fields in the order of the columns.
// parquet.Group would sort them by name.
type fields struct {
	parquet.Group
	inOrder []parquet.Field
}

// Fields lists the fields in the order of the columns.
func (f fields) Fields() []parquet.Field { return f.inOrder }

// GoType is never used, because rows are written value by value. The type that parquet.Group
// returns does not support every column name.
func (f fields) GoType() reflect.Type { return reflect.TypeFor[struct{}]() }

// field is a column of a Parquet file.
type field struct {
	parquet.Node
	name string
}

// Name returns the column's name.
func (f field) Name() string { return f.name }

// Value is never used, like GoType of fields.
func (f field) Value(reflect.Value) reflect.Value { return reflect.Value{} }

func fieldsOf[R any](columns []Column[R]) fields {
	f := fields{Group: parquet.Group{}}
	for _, c := range columns {
		var node parquet.Node
		switch c.Kind {
		case textCells:
			node = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		case countCells:
			node = parquet.Int(64)
		case numberCells:
			node = parquet.Leaf(parquet.DoubleType)
		case flagCells:
			node = parquet.Leaf(parquet.BooleanType)
		case timeCells:
			node = parquet.Timestamp(parquet.Microsecond)
		default:
			panic("table: column " + c.Name + " is of no kind")
		}
		f.inOrder = append(f.inOrder, field{parquet.Optional(node), c.Name})
	}
	return f
}
