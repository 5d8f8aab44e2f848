package parquetfile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// written is a file that pyarrow 26.0.1 wrote, with lists and structs in it.
const written = "../../input/dataset/testdata/verl.parquet"

func TestObjectsHaveWhatRowsHave(t *testing.T) {
	whole, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	if err := f.Objects(context.Background(), func(row json.RawMessage) error { rows = append(rows, string(row)); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || !strings.Contains(rows[0], `"reward_model":{"ground_truth":"3"`) {
		t.Errorf("rows are %s", rows)
	}
}

// An error of the caller, and of its context, comes back as it is.
func TestReadingEnds(t *testing.T) {
	whole, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	if err := f.Rows(context.Background(), func(parquet.Row) error { return full }); err != full {
		t.Errorf("error is %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Rows(ctx, func(parquet.Row) error { return nil }); err != context.Canceled {
		t.Errorf("error is %v", err)
	}
}

// Whatever a file claims, reading it ends, in rows of JSON or an error.
func FuzzObjects(f *testing.F) {
	whole, err := os.ReadFile(written)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(claiming(f, format.Gzip, []byte("\x02\x00\x00\x00q1"), func(*format.PageHeader) {})))
	f.Fuzz(func(t *testing.T, file []byte) {
		opened, err := Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		_ = opened.Objects(t.Context(), func(row json.RawMessage) error {
			if !json.Valid(row) {
				t.Fatalf("no JSON: %q", row)
			}
			return nil
		})
	})
}
