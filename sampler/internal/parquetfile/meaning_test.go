package parquetfile

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

func opened(t *testing.T, name string) *File {
	t.Helper()
	whole, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func objects(t *testing.T, name string) (rows []map[string]any) {
	t.Helper()
	err := opened(t, name).Objects(context.Background(), func(text json.RawMessage) error {
		var row map[string]any
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		rows = append(rows, row)
		return dec.Decode(&rows[len(rows)-1])
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// n is a number as it is written.
func n(text string) json.Number { return json.Number(text) }

// pyarrow 26.0.1 wrote these values to the files in testdata.
func TestValuesKeepTheirMeaning(t *testing.T) {
	want := []map[string]any{
		{
			"u64": n("9223372036854775808"), "u32": n("2147483648"), "u8": n("200"), "i8": n("-1"), "f16": n("0.5"),
			"date": "2026-01-02", "date64": "2026-01-02",
			"ts_us": "2026-01-02T03:04:05.678901Z", "ts_ms_utc": "2026-01-02T03:04:05.678Z", "ts_ns": "2026-01-02T03:04:05.000000001Z",
			"t_ms": "03:04:05.678", "t_us": "03:04:05.678901", "dur_us": n("1.5"), "dur_ns": n("1.5"),
			"dec": n("12.345"), "dec32": n("12.3"), "bin": "\ufffd\x00",
			"st": map[string]any{
				"u": n("18446744073709551615"), "l": []any{n("9223372036854775808")}, "d": "2026-01-02", "f": n("0.25"),
				"e": []any{map[string]any{"x": n("2")}},
			},
			"m": map[string]any{"k": n("18446744073709551615")},
		},
		{
			"u64": n("18446744073709551615"), "u32": n("4294967295"), "u8": n("255"), "i8": n("2"), "f16": nil,
			"date": nil, "date64": nil, "ts_us": nil, "ts_ms_utc": nil, "ts_ns": nil, "t_ms": nil, "t_us": nil,
			"dur_us": nil, "dur_ns": nil, "dec": n("-0.001"), "dec32": nil, "bin": "ab", "st": nil, "m": nil,
		},
	}
	rows := objects(t, "types.parquet")
	if rows[1]["m"] == nil || len(rows[1]["m"].(map[string]any)) == 0 { // the library makes no difference
		rows[1]["m"] = nil
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if rows := objects(t, "intdec.parquet"); rows[0]["dec"] != n("12.345") || rows[1]["dec"] != n("-0.001") || rows[0]["dec32"] != n("12.3") {
		t.Errorf("decimals stored as integers: %v", rows)
	}
	if rows := objects(t, "int96.parquet"); rows[0]["ts_us"] != "2026-01-02T03:04:05.678901Z" {
		t.Errorf("times of 96 bits: %v", rows)
	}
}

// Single values are those of the rows.
func TestValuesOfColumns(t *testing.T) {
	for _, name := range []string{"types.parquet", "intdec.parquet", "int96.parquet"} {
		rows := objects(t, name)
		f, line := opened(t, name), 0
		err := f.Rows(context.Background(), func(row parquet.Row) error {
			for _, v := range row {
				path := f.Schema().Columns()[v.Column()]
				if len(path) > 1 {
					continue
				}
				text, err := json.Marshal(f.Value(v.Column(), v))
				if err != nil {
					return err
				}
				want, err := json.Marshal(rows[line][path[0]])
				if err != nil {
					return err
				}
				if path[0] != "bin" && !bytes.Equal(text, want) {
					t.Errorf("%s: row %d, %s: %s, want %s", name, line, path[0], text, want)
				}
			}
			line++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The decimals of float16 are those that numpy 2.4.6 prints.
func TestHalfFloats(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0x0000: 0, 0x3c00: 1, 0xbc00: -1, 0x2e66: 0.1, 0x3b33: 0.9, 0x3555: 0.3333, 0x7bff: 65500, 0x0001: 6e-8, 0x0400: 6.104e-05, 0x03ff: 6.1e-05, 0x3bff: 0.9995,
	} {
		if got := halfFloat(bits); got != want {
			t.Errorf("%#04x: %v, want %v", bits, got, want)
		}
	}
	if !math.IsNaN(halfFloat(0x7e00)) || !math.IsInf(halfFloat(0xfc00), -1) {
		t.Error("NaN and infinity")
	}
}

// A decimal of a billion digits would take the library's memory.
func TestDecimalsAreBounded(t *testing.T) {
	type row struct {
		X int64 `parquet:"x,decimal(2:9)"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[row](&b)
	if _, err := w.Write([]row{{123}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	meta := *file.Metadata()
	meta.Schema[1].LogicalType.Value = &format.DecimalType{Scale: 1 << 30, Precision: 1 << 30}
	if _, err := columnsOf(&meta); err == nil || !strings.Contains(err.Error(), "column x: it claims decimals of 1073741824 digits") {
		t.Errorf("error is %v", err)
	}
	if _, err := thrift.Marshal(new(thrift.CompactProtocol), &meta); err != nil {
		t.Fatal(err)
	}
}

func FuzzArrowSchema(f *testing.F) {
	whole, err := os.ReadFile("testdata/types.parquet")
	if err != nil {
		f.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		f.Fatal(err)
	}
	schema, _ := file.Lookup(arrowKey)
	text, err := base64.StdEncoding.DecodeString(schema)
	if err != nil || len(arrowFields(schema)) != 19 {
		f.Fatal(len(arrowFields(schema)), err)
	}
	f.Add(text)
	f.Add([]byte("\xff\xff\xff\xff\x10\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, text []byte) { arrowFields(base64.StdEncoding.EncodeToString(text)) })
}
