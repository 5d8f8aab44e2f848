package importer

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"gonogo/sampler/rollout"
)

// errNoZip means that a file is not an archive at all.
var errNoZip = errors.New("no zip archive")

const (
	methodZstd = 93        // APPNOTE.TXT 6.3.7; Inspect writes it
	maxMember  = 256 << 20 // size of the longest member that is read, unpacked
)

// openInspectZip opens an .eval archive. It returns errNoZip for a file that is not an archive, and
// ErrUnrecognized for an archive of something else.
func openInspectZip(f File) (*inspectLog, error) {
	rd, err := f.Open()
	if err != nil {
		return nil, err
	}
	log, err := inspectArchive(f, rd)
	if err != nil {
		rd.Close()
		return nil, err
	}
	log.close = rd.Close
	return log, nil
}

func inspectArchive(f File, rd io.Reader) (*inspectLog, error) {
	var magic [4]byte
	n, err := io.ReadFull(rd, magic[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, f.errorOf("read", err)
	}
	if !bytes.HasPrefix(magic[:n], []byte("PK")) {
		return nil, errNoZip
	}
	seeker, ok := rd.(io.ReaderAt)
	info, err := f.stat()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("read %s: an archive can only be read from a file on disk", f.Name)
	}
	archive, err := zip.NewReader(seeker, info.Size())
	if err != nil {
		if path.Ext(f.Path) == ".eval" {
			return nil,
				fmt.Errorf("read %s: the archive is broken or was cut off (%w): inspect log recover may save it",
					f.Name, err)
		}
		return nil, fmt.Errorf("%w: it is a broken zip archive", ErrUnrecognized)
	}
	archive.RegisterDecompressor(methodZstd, unzstd)
	archive.RegisterDecompressor(zip.Deflate, inflate)
	return inspectMembers(f, archive)
}

var sampleMember = regexp.MustCompile(`_epoch_\d+\.json$`)

// inspectMembers finds the header and the samples in the archive. The last of several members with
// one name counts.
func inspectMembers(f File, archive *zip.Reader) (*inspectLog, error) {
	log := &inspectLog{file: f}
	members := make(map[string]*zip.File, len(archive.File))
	for _, m := range archive.File {
		dir, file := path.Split(m.Name)
		switch {
		case strings.HasPrefix(dir, "samples/") && sampleMember.MatchString(file): // an id may contain slashes
			if members[m.Name] == nil {
				log.names = append(log.names, m.Name)
			}
		case strings.HasPrefix(dir, "samples/") && file == "sample.json":
			return nil, fmt.Errorf("read %s: its samples are in chunks (%s), an internal format of Inspect: convert "+
				"it to .eval or .json with inspect log convert", f.Name, m.Name)
		}
		members[m.Name] = m
	}
	head := members["header.json"]
	if head == nil {
		head, log.header.unfinished = members["_journal/start.json"], true
	}
	if head == nil {
		return nil, fmt.Errorf("%w: the archive has no header.json and no _journal/start.json", ErrUnrecognized)
	}
	text, err := readMember(f, head)
	if err != nil {
		return nil, err
	}
	isLog := false
	err = rollout.Members(text, func(key string, value []byte) error {
		isLog = isLog || key == "eval"
		return log.header.take(key, value)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.Name, head.Name, err)
	}
	if !isLog {
		return nil, fmt.Errorf("%w: %s names no eval", ErrUnrecognized, head.Name)
	}
	log.members = members
	return log, nil
}

// eachMember is eachSample for an archive.
func eachMember[T any](ctx context.Context, log *inspectLog, decode func(text []byte) T,
	yield func(where string, text []byte, sample T) error,
) error {
	type member struct {
		text   []byte
		sample T
	}
	size := func(name string) int64 { return int64(min(log.members[name].UncompressedSize64, maxMember)) }
	return eachOne(ctx, log.names, func(string) string { return log.file.Name }, size, func(name string) (m member, err error) {
		if m.text, err = log.kept.read(log, log.members[name]); err == nil {
			m.sample = decode(m.text)
		}
		return m, err
	}, func(name string, m member) error {
		if err := yield(name, m.text, m.sample); err != nil {
			if sinkErr, ok := err.(sinkError); ok {
				return sinkErr.error
			}
			return fmt.Errorf("%s: %s: %w", log.file.Name, name, err)
		}
		return nil
	})
}

// keptMembers holds members that were unpacked in one pass over the logs of an import for a later one. It is
// safe for concurrent use.
type keptMembers struct {
	mu    sync.Mutex // guards the rest
	texts map[*zip.File][]byte
	size  int // in bytes, of all that were ever kept
}

// mostKept is the size of the members that are kept.
const mostKept = 32 << 20

// read unpacks a member, unless it was kept, and keeps it while there is room and the pass is not the last.
func (k *keptMembers) read(log *inspectLog, m *zip.File) (text []byte, err error) {
	k.mu.Lock()
	text, kept := k.texts[m]
	if log.lastPass {
		delete(k.texts, m)
	}
	k.mu.Unlock()
	if kept {
		return text, nil
	}
	if text, err = readMember(log.file, m); err != nil || log.lastPass {
		return text, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.size+cap(text) <= mostKept {
		k.size += cap(text)
		k.texts[m] = text
	}
	return text, nil
}

// readMember unpacks one member.
func readMember(f File, m *zip.File) ([]byte, error) {
	rd, err := m.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.Name, m.Name, err)
	}
	defer rd.Close()
	text := bytes.NewBuffer(make([]byte, 0, min(m.UncompressedSize64, maxMember/16)+bytes.MinRead))
	n, err := text.ReadFrom(io.LimitReader(rd, maxMember+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: unpack: %w", f.Name, m.Name, err)
	}
	if n > maxMember {
		return nil, fmt.Errorf("%s: %s: it is longer than %d MB", f.Name, m.Name, maxMember>>20)
	}
	return text.Bytes(), nil
}

// unzstd unpacks zstd frames; a member may consist of several.
var unzstd = zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(maxMember), zstd.WithDecoderMaxWindow(zstd.MaxWindowSize))

// inflaters holds decompressors that are not in use: making one takes as long as inflating a short member.
var inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// inflate unpacks a deflated member.
func inflate(packed io.Reader) io.ReadCloser {
	rd := inflaters.Get().(io.ReadCloser)
	_ = rd.(flate.Resetter).Reset(packed, nil) // never fails
	return &inflater{rd}
}

// inflater is a decompressor that may be used again once it is closed.
type inflater struct{ io.ReadCloser }

// Close takes the decompressor out of use. It must not be used afterwards, but may be closed again.
func (i *inflater) Close() error {
	rd := i.ReadCloser
	if rd == nil {
		return nil
	}
	i.ReadCloser = nil
	err := rd.Close()
	_ = rd.(flate.Resetter).Reset(strings.NewReader(""), nil) // lets go of the file
	inflaters.Put(rd)
	return err
}
