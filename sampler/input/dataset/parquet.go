package dataset

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gonogo/sampler/internal/parquetfile"
)

// maxParquet is the size in bytes of the largest Parquet file that is read as data: all its rows
// are held in memory.
const maxParquet = 1 << 30

// parquetLines returns the rows of a Parquet file as JSON lines, in order; see
// (*parquetfile.File).Objects.
func parquetLines(file []byte) ([]byte, error) {
	if len(file) > maxParquet {
		return nil, fmt.Errorf("the Parquet file is larger than %d MB: split it, or write JSONL", maxParquet>>20)
	}
	f, err := parquetfile.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = f.Objects(context.Background(), func(row json.RawMessage) error {
		if len(row) > maxLine || out.Len()+len(row) > maxParquet {
			return errors.New("the Parquet file: its rows are too long")
		}
		out.Write(append(row, '\n'))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
