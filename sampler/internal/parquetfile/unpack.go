package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// errLZ4 rejects what parquet-go v0.32.0 reads incorrectly: if a block of a page is larger than a
// third of the page, (*Column).decompress returns memory of an earlier page.
var errLZ4 = errors.New("it is compressed by LZ4, which cannot be read reliably: write the file with zstd or Snappy")

// unpacker reads the compressed parts of pages as a stream without keeping them: the library
// allocates room for all that they hold, whatever a page claims.
type unpacker struct {
	gzip   *gzip.Reader
	brotli *brotli.Reader
	zstd   *zstd.Decoder
}

// fits returns an error for a compressed part that is broken or holds more than claimed bytes.
func (u *unpacker) fits(codec format.CompressionCodec, from *io.SectionReader, claimed int64) error {
	more := func(n any) error {
		return fmt.Errorf("its compressed part holds %v bytes, and the page claims %d", n, claimed)
	}
	var r io.Reader
	var err error
	switch codec {
	case format.Snappy:
		head := make([]byte, min(binary.MaxVarintLen64, from.Size()))
		if _, err := io.ReadFull(from, head); err != nil {
			return err
		}
		if n, _ := binary.Uvarint(head); n > uint64(claimed) {
			return more(n)
		}
		return nil
	case format.Gzip:
		if u.gzip == nil {
			u.gzip = new(gzip.Reader)
		}
		r, err = u.gzip, u.gzip.Reset(from)
	case format.Brotli:
		if u.brotli == nil {
			u.brotli = brotli.NewReader(nil)
		}
		r, err = u.brotli, u.brotli.Reset(from)
	case format.Zstd:
		if u.zstd == nil {
			u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(longestPage))
			if err != nil {
				return err
			}
		}
		head := make([]byte, min(zstd.HeaderMaxSize, from.Size()))
		if _, err := io.ReadFull(from, head); err != nil {
			return err
		}
		var h zstd.Header
		if err := h.Decode(head); err == nil && !h.Skippable && h.HasFCS && h.FrameContentSize > uint64(claimed) {
			return more(h.FrameContentSize)
		}
		if _, err := from.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r, err = u.zstd, u.zstd.Reset(from)
	case format.Lz4Raw:
		return errLZ4
	default:
		return nil
	}
	if err == nil {
		var n int64
		if n, err = io.CopyN(io.Discard, r, claimed+1); n > claimed {
			return more(fmt.Sprintf("more than %d", claimed))
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("its compressed part is broken: %w", err)
	}
	return nil
}

// close releases the decoders.
func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
}
