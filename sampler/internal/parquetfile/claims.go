package parquetfile

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/format"
)

// The library allocates what a file claims before it reads any of it, so a few bytes can ask for
// gigabytes. What a file claims is therefore first compared with what it holds.
const (
	longestPage = 256 << 20 // bytes, uncompressed; writers aim at 1 MB
	mostValues  = 16 << 20  // per page
)

// footerFits returns an error for a footer that claims to be longer than its file or to hold more
// than its own bytes.
func footerFits(data io.ReaderAt, size int64) error {
	const ends = 4 + 8 // the magic at the start, the length and the magic at the end
	if size < ends {
		return io.ErrUnexpectedEOF
	}
	var length [4]byte
	if _, err := data.ReadAt(length[:], size-8); err != nil {
		return err
	}
	claimed := int64(binary.LittleEndian.Uint32(length[:]))
	if claimed > size-ends {
		return fmt.Errorf("its footer claims %d bytes of a file of %d", claimed, size)
	}
	footer := thriftReader{bufio.NewReader(io.NewSectionReader(data, size-8-claimed, claimed)), claimed}
	if err := footer.structure(0, 0, func(int16, int16, byte, int64) {}); err != nil {
		return fmt.Errorf("its footer: %w", err)
	}
	return nil
}

// pagesFit returns an error for a page of the n-th row group that claims more than the file holds
// or than any writer makes, or whose compressed part holds more than the page claims. It reads
// every page.
func pagesFit(ctx context.Context, data io.ReaderAt, size int64, file *format.FileMetaData, n int,
	unpack *unpacker,
) error {
	var leaves []format.SchemaElement // in the order of columns
	for _, e := range file.Schema {
		if e.Type.Valid {
			leaves = append(leaves, e)
		}
	}
	for i, chunk := range file.RowGroups[n].Columns {
		meta := &chunk.MetaData
		from := meta.DataPageOffset
		if meta.DictionaryPageOffset != 0 {
			from = meta.DictionaryPageOffset
		}
		if from < 0 || from > size || meta.TotalCompressedSize < 0 || meta.TotalCompressedSize > size-from {
			return fmt.Errorf("column %d: it claims %d bytes from offset %d in a file of %d", i,
				meta.TotalCompressedSize, from, size)
		}
		end := from + meta.TotalCompressedSize
		width := int64(1)
		if i < len(leaves) {
			width = max(1, int64(leaves[i].TypeLength.V))
		}
		header := thriftReader{r: bufio.NewReader(nil)}
		for page := 0; from < end; page++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			header.r.Reset(io.NewSectionReader(data, from, end-from))
			header.remaining = end - from
			var claims pageClaims
			err := header.structure(0, 0, claims.field)
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				break // the library reports it with the column's name
			}
			from = end - header.remaining
			if err == nil {
				err = claims.fit(data, from, end, width, unpack, meta.Codec)
			}
			if err != nil {
				return fmt.Errorf("page %d of column %d: %w", page, i, err)
			}
			from += claims.compressed
		}
	}
	return nil
}

// pageClaims is what a page's header says about its size.
type pageClaims struct {
	uncompressed, compressed, values int64
	levels                           int64 // bytes before the compressed part, included in both sizes
	plain                            bool  // the part after the levels is not compressed
	version                          int16 // the field that describes the page: 5, 7 (a dictionary) or 8 (version 2)
	ambiguous                        bool  // several such fields, of which the library uses either
}

// field records a field of format.PageHeader or of one of the headers in it.
func (c *pageClaims) field(parent, id int16, kind byte, value int64) {
	if parent == 5 || parent == 7 || parent == 8 {
		c.ambiguous = c.ambiguous || c.version != 0 && c.version != parent
		c.version = parent
	}
	switch {
	case parent == 0 && id == 2:
		c.uncompressed = value
	case parent == 0 && id == 3:
		c.compressed = value
	case (parent == 5 || parent == 7 || parent == 8) && id == 1:
		c.values = max(c.values, value)
	case parent == 8 && (id == 5 || id == 6): // a negative one makes levels too long
		c.levels += int64(uint32(value))
	case parent == 8 && id == 7:
		c.plain = kind == thriftFalse // the library skips a number here
	}
}

// fit compares the claims of the page at from with the bytes up to end.
func (c *pageClaims) fit(data io.ReaderAt, from, end, width int64, unpack *unpacker,
	codec format.CompressionCodec,
) error {
	switch {
	case c.ambiguous:
		return errors.New("it claims to be of several kinds")
	case c.compressed < 0 || c.compressed > end-from:
		return fmt.Errorf("it claims %d bytes, but only %d remain", c.compressed, end-from)
	case c.uncompressed < 0 || c.uncompressed > longestPage:
		return fmt.Errorf("it claims %d bytes, but at most %d are read", c.uncompressed, int64(longestPage))
	case c.values < 0 || c.values > mostValues || c.values*width > longestPage:
		return fmt.Errorf("it claims %d values of %d bytes or more", c.values, width)
	case c.levels > min(c.compressed, c.uncompressed):
		return fmt.Errorf("it claims %d bytes of levels in a page of %d", c.levels, c.compressed)
	case c.plain:
		return nil
	}
	return unpack.fits(codec, io.NewSectionReader(data, from+c.levels, c.compressed-c.levels), c.uncompressed-c.levels)
}

// thriftReader walks over a structure of Thrift's compact protocol without keeping anything:
// github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
type thriftReader struct {
	r         *bufio.Reader
	remaining int64 // bytes that may follow
}

var errThriftDeep = errors.New("its structure is nested too deep")

// ReadByte makes the reader an io.ByteReader.
func (t *thriftReader) ReadByte() (byte, error) {
	if t.remaining <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	t.remaining--
	return t.r.ReadByte()
}

func (t *thriftReader) skip(n uint64) error {
	if n > uint64(t.remaining) {
		return fmt.Errorf("it claims %d bytes, but only %d remain", n, t.remaining)
	}
	t.remaining -= int64(n)
	_, err := t.r.Discard(int(n))
	return err
}

// thriftFalse is the kind of a field that is false: such a field has no bytes.
const thriftFalse = 2

// structure walks over the fields of the structure in field parent, 0 for the outermost one, and
// passes its integers and booleans to field. Each field may occur only once, as every writer does
// it: of two, the library takes the last or a part of each.
func (t *thriftReader) structure(depth int, parent int16, field func(parent, id int16, kind byte, value int64)) error {
	if depth > 32 {
		return errThriftDeep
	}
	for id := int16(0); ; {
		head, err := t.ReadByte()
		if err != nil || head == 0 {
			return err
		}
		before := id
		if id += int16(head >> 4); head>>4 == 0 {
			v, err := binary.ReadVarint(t)
			if err != nil {
				return err
			}
			id = int16(v)
		}
		if depth < 2 && id <= before {
			return fmt.Errorf("its field %d comes after field %d", id, before)
		}
		kind := head & 15
		switch kind {
		case 1, 2: // the kind is the value
			if depth < 2 {
				field(parent, id, kind, 0)
			}
		case 4, 5, 6:
			v, err := binary.ReadVarint(t)
			if err != nil {
				return err
			}
			if depth < 2 {
				field(parent, id, kind, v)
			}
		default:
			if err := t.value(kind, depth+1, id, field); err != nil {
				return err
			}
		}
	}
}

// value walks over a value of a kind.
func (t *thriftReader) value(
	kind byte, depth int, id int16, field func(parent, id int16, kind byte, value int64),
) error {
	switch kind {
	case 1, 2, 3:
		return t.skip(1)
	case 4, 5, 6:
		_, err := binary.ReadVarint(t)
		return err
	case 7:
		return t.skip(8)
	case 8:
		n, err := binary.ReadUvarint(t)
		if err != nil {
			return err
		}
		return t.skip(n)
	case 9, 10:
		head, err := t.ReadByte()
		if err != nil {
			return err
		}
		n := uint64(head >> 4)
		if n == 15 {
			if n, err = binary.ReadUvarint(t); err != nil {
				return err
			}
		}
		return t.values(n, depth, head&15)
	case 11:
		n, err := binary.ReadUvarint(t)
		if err != nil || n == 0 {
			return err
		}
		kinds, err := t.ReadByte()
		if err != nil {
			return err
		}
		return t.values(n, depth, kinds>>4, kinds&15)
	case 12:
		return t.structure(depth, id, field)
	}
	return fmt.Errorf("it holds a value of the unknown kind %d", kind)
}

// values walks over n values, each of the kinds in turn.
func (t *thriftReader) values(n uint64, depth int, kinds ...byte) error {
	if depth > 32 {
		return errThriftDeep
	}
	if n > uint64(t.remaining) { // each takes at least one byte
		return fmt.Errorf("it claims %d values, but only %d bytes remain", n, t.remaining)
	}
	for range n {
		for _, kind := range kinds {
			if err := t.value(kind, depth+1, 0, func(int16, int16, byte, int64) {}); err != nil {
				return err
			}
		}
	}
	return nil
}
