package parquetfile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// claiming is a file whose first column is one page of its own, with body after a
// header that is changed before it is written.
func claiming(t testing.TB, codec format.CompressionCodec, body []byte, change func(*format.PageHeader)) string {
	t.Helper()
	type row struct {
		Item   string  `parquet:"item"`
		Reward float64 `parquet:"reward"`
	}
	var written bytes.Buffer
	w := parquet.NewGenericWriter[row](&written)
	if _, err := w.Write([]row{{"q1", 0.5}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := written.String()
	file, err := parquet.OpenFile(strings.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	meta := *file.Metadata()
	chunk := &meta.RowGroups[0].Columns[0]
	header := format.PageHeader{Type: format.DataPage, CompressedPageSize: int32(len(body)), UncompressedPageSize: 6}
	header.DataPageHeader.Valid = true
	header.DataPageHeader.V.NumValues = 1
	change(&header)
	compact := new(thrift.CompactProtocol)
	page, err := thrift.Marshal(compact, &header)
	if err != nil {
		t.Fatal(err)
	}
	page = append(page, body...)
	data := whole[:len(whole)-8-int(binary.LittleEndian.Uint32([]byte(whole[len(whole)-8:])))]
	chunk.MetaData.DataPageOffset, chunk.MetaData.DictionaryPageOffset = int64(len(data)), 0
	chunk.MetaData.TotalCompressedSize, chunk.MetaData.Codec = int64(len(page)), codec
	footer, err := thrift.Marshal(compact, &meta)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString(data)
	b.Write(page)
	b.Write(footer)
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	b.WriteString("PAR1")
	return b.String()
}

// rowsOf reads a file, and counts its rows.
func rowsOf(file string) (n int, err error) {
	f, err := Open(strings.NewReader(file), int64(len(file)))
	if err != nil {
		return 0, err
	}
	err = f.Objects(context.Background(), func(row json.RawMessage) error {
		n++
		return nil
	})
	return n, err
}

func TestClaimsTakeNoMemory(t *testing.T) {
	plain := []byte("\x02\x00\x00\x00q1")
	none := func(*format.PageHeader) {}
	if n, err := rowsOf(claiming(t, format.Uncompressed, plain, none)); err != nil || n != 1 {
		t.Fatalf("the file that claims what it holds: %d records, %v", n, err)
	}
	// A column's name of 2 GB, and a footer longer by four bytes for it.
	named := claiming(t, format.Uncompressed, plain, none)
	named = strings.Replace(named, "\x04item", "\xff\xff\xff\xff\x07item", 1)
	footer := binary.LittleEndian.Uint32([]byte(named[len(named)-8:])) + 4
	named = named[:len(named)-8] + string(binary.LittleEndian.AppendUint32(nil, footer)) + "PAR1"

	bombs := map[format.CompressionCodec][]byte{}
	huge := make([]byte, 64<<20)
	for _, codec := range []format.CompressionCodec{format.Gzip, format.Brotli, format.Zstd} {
		packed, err := parquet.LookupCompressionCodec(codec).Encode(nil, huge)
		if err != nil {
			t.Fatal(err)
		}
		honest, err := parquet.LookupCompressionCodec(codec).Encode(nil, plain)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := rowsOf(claiming(t, codec, honest, none)); err != nil || n != 1 {
			t.Errorf("%s: a page that holds what it claims: %d records, %v", codec, n, err)
		}
		bombs[codec] = packed
	}
	var streamed bytes.Buffer // a frame that does not claim its size
	z, err := zstd.NewWriter(&streamed)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 { // flushed, so the size is not known
		if _, err := z.Write(huge[:16<<20]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.GC()

	for name, file := range map[string]string{
		"a gzip bomb":          claiming(t, format.Gzip, bombs[format.Gzip], none),
		"a Brotli bomb":        claiming(t, format.Brotli, bombs[format.Brotli], none),
		"a zstd bomb":          claiming(t, format.Zstd, bombs[format.Zstd], none),
		"a streamed zstd bomb": claiming(t, format.Zstd, streamed.Bytes(), none),
		"a page's levels": claiming(t, format.Gzip, plain, func(h *format.PageHeader) {
			h.Type, h.DataPageHeader.Valid, h.DataPageHeaderV2.Valid = format.DataPageV2, false, true
			h.DataPageHeaderV2.V.NumValues, h.DataPageHeaderV2.V.DefinitionLevelsByteLength = 1, 1<<30
		}),
		"a gzip bomb in a dictionary that also has the header of a page that is not compressed": claiming(t, format.Gzip, bombs[format.Gzip], func(h *format.PageHeader) {
			h.Type, h.DictionaryPageHeader.Valid, h.DictionaryPageHeader.V.NumValues = format.DictionaryPage, true, 1
			h.DataPageHeader.Valid, h.DataPageHeaderV2.Valid = false, true
			h.DataPageHeaderV2.V.IsCompressed = thrift.New(false)
		}),
		"a gzip bomb in a page that also has the header of one that is not compressed": claiming(t, format.Gzip, bombs[format.Gzip], func(h *format.PageHeader) {
			h.DataPageHeaderV2.Valid, h.DataPageHeaderV2.V.IsCompressed = true, thrift.New(false)
		}),
		"a page's bytes": claiming(t, format.Uncompressed, plain, func(h *format.PageHeader) {
			h.CompressedPageSize = math.MaxInt32
		}),
		"a page's bytes when unpacked": claiming(t, format.Zstd, plain, func(h *format.PageHeader) {
			h.UncompressedPageSize = math.MaxInt32
		}),
		"a page's values": claiming(t, format.Uncompressed, plain, func(h *format.PageHeader) {
			h.DataPageHeader.V.NumValues = math.MaxInt32
		}),
		"a dictionary's values": claiming(t, format.Uncompressed, plain, func(h *format.PageHeader) {
			h.Type, h.DataPageHeader.Valid = format.DictionaryPage, false
			h.DictionaryPageHeader.Valid = true
			h.DictionaryPageHeader.V.NumValues = math.MaxInt32
		}),
		"Snappy's own length": claiming(t, format.Snappy, []byte("\xff\xff\xff\xff\x07abc"), none),
		"a name":              named,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := rowsOf(file)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "claims") {
			t.Errorf("%s: %v", name, err)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 8 {
			t.Errorf("%s: reading %d bytes took %d MB", name, len(file), took)
		}
	}
}

// Of a field that comes twice, the library takes the last.
func TestHeadersSayThingsOnce(t *testing.T) {
	for text, want := range map[string]string{
		"\x15\x00\x15\x02\x00":                     "", // fields 1 and 2
		"\x15\x00\x05\x02\x02\x00":                 "its field 1 comes after field 1",
		"\x15\x00\x2c\x15\x02\x05\x02\x04\x00\x00": "its field 1 comes after field 1", // inside of field 3
	} {
		header := thriftReader{bufio.NewReader(strings.NewReader(text)), int64(len(text))}
		var got string
		if err := header.structure(0, 0, func(int16, int16, byte, int64) {}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The library reads some pages of LZ4 as what an earlier page held: such files are refused.
func TestLZ4IsRefused(t *testing.T) {
	block, err := parquet.Lz4Raw.Encode(nil, []byte("\x02\x00\x00\x00q1"))
	if err != nil {
		t.Fatal(err)
	}
	file := claiming(t, format.Lz4Raw, block, func(*format.PageHeader) {})
	if _, err := rowsOf(file); err == nil || !strings.Contains(err.Error(), "write the file with zstd or Snappy") {
		t.Error(err)
	}
}
