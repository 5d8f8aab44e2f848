package compressed

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// kind is one compression.
type kind struct {
	name    string
	magic   string
	command string                                // unpacks a file and keeps it
	open    func(rd io.Reader) (io.Reader, error) // nil for a compression that is not read
}

// kinds lists the compressions. The magic numbers are those of RFC 1952 (gzip), RFC 8878 (zstd and
// its skippable frames), and of the formats of bzip2, xz, LZ4 frames, lzip, framed Snappy, compress
// and 7z.
var kinds = []kind{
	{"gzip", "\x1f\x8b", "gzip -dk", openGzip},
	{"zstd", "\x28\xb5\x2f\xfd", "zstd -d", openZstd},
	{"zstd", "\x50\x2a\x4d\x18", "zstd -d", openZstd}, // pzstd begins so
	{"bzip2", "BZh", "bzip2 -dk", func(rd io.Reader) (io.Reader, error) { return bzip2.NewReader(rd), nil }},
	{"xz", "\xfd7zXZ\x00", "xz -dk", nil},
	{"LZ4", "\x04\x22\x4d\x18", "lz4 -d", nil},
	{"lzip", "LZIP", "lzip -dk", nil},
	{"Snappy", "\xff\x06\x00\x00sNaPpY", "snzip -dk", nil},
	{"compress", "\x1f\x9d", "uncompress", nil},
	{"7-Zip", "7z\xbc\xaf\x27\x1c", "7z x", nil},
}

// Peek is the number of bytes at the beginning of a file that show its compression.
const Peek = 10

// of returns the compression of a file that begins with head; nil for none.
func of(head []byte) *kind {
	for i := range kinds {
		k := &kinds[i]
		// BZh is followed by a digit and the magic number of a block or of the end
		if bytes.HasPrefix(head, []byte(k.magic)) && (k.name != "bzip2" || len(head) >= 10 &&
			(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17rE8P\x90")) {
			return k
		}
	}
	return nil
}

// Is reports whether a file that begins with head is compressed.
func Is(head []byte) bool { return of(head) != nil }

// Name returns the name of the compression of a file that begins with head; "" for none.
func Name(head []byte) string {
	if k := of(head); k != nil {
		return k.name
	}
	return ""
}

// Suffixes are the endings that compressed files have after their name.
var Suffixes = []string{".gz", ".zst", ".bz2", ".xz", ".lz4", ".lz", ".sz", ".Z", ".7z"}

// PlainName returns the name that a file has when it is unpacked.
func PlainName(name string) string {
	for _, suffix := range Suffixes {
		if plain, ok := strings.CutSuffix(name, suffix); ok && plain != "" {
			return plain
		}
	}
	return name
}

const (
	maxWindow = 128 << 20 // bytes; what zstd --long=27 needs
	// A file may unpack to free bytes, and beyond that to mostTimes its own size: text hardly ever
	// does, and a file made to fill the memory does.
	free      = 128 << 20 // bytes
	mostTimes = 500
)

// openGzip reads all members of a file. As gzip does, it ignores zeros after them, with which tapes
// and block devices fill up.
func openGzip(rd io.Reader) (io.Reader, error) {
	in, ok := rd.(*bufio.Reader) // read byte by byte, so that nothing after a member is lost
	if !ok {
		in = bufio.NewReader(rd)
	}
	member, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	member.Multistream(false)
	return &gzipMembers{in, member}, nil
}

type gzipMembers struct {
	in     *bufio.Reader
	member *gzip.Reader
}

func (g *gzipMembers) Read(p []byte) (int, error) {
	for {
		n, err := g.member.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if n > 0 { // the end comes again with the next call
			return n, nil
		}
		if err := g.next(); err != nil {
			return 0, err
		}
	}
}

// next goes to the next member; io.EOF if there is none.
func (g *gzipMembers) next() error {
	padded := false
	for {
		b, err := g.in.ReadByte()
		switch {
		case err != nil:
			return err
		case b == 0:
			padded = true
			continue
		case padded:
			return errors.New("there is something else behind the zeros at its end")
		}
		if err := g.in.UnreadByte(); err != nil {
			return err
		}
		if err := g.member.Reset(g.in); err != nil {
			return err
		}
		g.member.Multistream(false)
		return nil
	}
}

func openZstd(rd io.Reader) (io.Reader, error) {
	return zstd.NewReader(rd, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
}

// NewReader returns a reader of what rd holds, unpacked. All members of a file are read. At most
// limit bytes are unpacked; 0 means any number. A file that is not compressed is passed on as it is.
func NewReader(rd io.Reader, limit int64) (io.Reader, error) {
	packed := &counter{rd: rd}
	in := bufio.NewReaderSize(packed, 64<<10)
	head, _ := in.Peek(Peek) // an error comes again
	k := of(head)
	if k == nil {
		return in, nil
	}
	if k.open == nil {
		return nil, k.refusal("the file is compressed with %s: unpack it first", k.name)
	}
	rest, err := k.open(in)
	if err != nil {
		return nil, k.broken(err)
	}
	out := bufio.NewReaderSize(&unpacking{kind: k, rd: rest, packed: packed, limit: limit}, 64<<10)
	return out, k.holdsText(out)
}

// refusal returns an error that ends with the command that unpacks the file.
func (k *kind) refusal(format string, args ...any) error {
	return fmt.Errorf(format+" (%s FILE)", append(args, k.command)...)
}

func (k *kind) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file is compressed with %s, and it was cut off", k.name)
	}
	return fmt.Errorf("the file is compressed with %s, and it is broken: %w", k.name, err)
}

// holdsText returns an error for a compressed file that holds an archive, a Parquet file, or another
// compressed file: those are not read through a compression.
func (k *kind) holdsText(rd *bufio.Reader) error {
	const tarMagic = 257 // POSIX.1-1988: the offset of "ustar"
	head, _ := rd.Peek(tarMagic + len("ustar"))
	inside := ""
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")):
		inside = "a Parquet file"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		inside = "a zip archive"
	case len(head) > tarMagic && string(head[tarMagic:]) == "ustar":
		inside = "a tar archive"
	case Is(head):
		inside = "a " + of(head).name + " file"
	default:
		return nil
	}
	return k.refusal("the file is %s, compressed with %s: unpack it first", inside, k.name)
}

// counter counts the bytes that were read.
type counter struct {
	rd io.Reader
	n  int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.rd.Read(p)
	c.n += int64(n)
	return n, err
}

// unpacking reads a compressed file, as far as its size allows.
type unpacking struct {
	*kind
	rd     io.Reader
	packed *counter
	limit  int64
	n      int64 // bytes unpacked
}

func (u *unpacking) Read(p []byte) (int, error) {
	n, err := u.rd.Read(p)
	u.n += int64(n)
	switch {
	case u.limit > 0 && u.n > u.limit:
		return 0, fmt.Errorf("the file is compressed with %s, and unpacked it has more than %d MB: split it",
			u.name, u.limit>>20)
	case u.n > free && u.n/mostTimes > u.packed.n:
		return 0, u.refusal("the file is compressed with %s, and unpacked it has more than %d times its size: unpack "+
			"it first, if that is right", u.name, mostTimes)
	case err != nil && !errors.Is(err, io.EOF):
		return n, u.broken(err)
	}
	return n, err
}
