package viewer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// IndexFile is the name of the index file, next to the rollouts. It can be deleted at any time.
const IndexFile = "view.index"

// keptMagic is at both ends of the file. A file of another version is rebuilt.
const keptMagic = "gonogo view index 2\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// kept is the metadata in the file, after its blocks. It only contains the lines of full blocks:
// those after them are read again, which takes no time.
type kept struct {
	Size, Time int64    // of the rollouts file when the index was saved
	Next       int64    // offset of the first line not in it
	Line       int32    // number of lines before that
	Ends       [32]byte // SHA-256 of the first and last bytes before Next
	Bad        []BadLine
	Source     rollout.Source // the source that lines were read with
	Names      catalog
	Entries    []entry
	Blocks     []stored
}

// path returns where the index is saved; "" if the run is a single file, which may be in any
// directory.
func (x *Index) path() string {
	if filepath.Base(x.run.File()) != rollout.RolloutsFile {
		return ""
	}
	return filepath.Join(x.run.Dir, IndexFile)
}

// store writes the open block, which is full, to the working file, or keeps it in memory if that
// fails. The caller holds mu.
func (x *Index) store() {
	rows, width := x.open.rows()
	b := stored{Width: width, CRC: crc32.Checksum(rows, castagnoli)}
	var err error
	if b.At, err = x.put(rows); err != nil {
		x.state.Note = "the index is kept in memory, not on disk: " + err.Error()
		b.At, b.file = 0, bytes.NewReader(rows)
	} else {
		b.file = x.work
	}
	x.blocks = append(x.blocks, b)
	x.open, x.state.Kept = nil, false
}

// put appends rows to the working file and returns their offset.
func (x *Index) put(rows []byte) (offset int64, err error) {
	if x.work == nil {
		f, err := workingFile(x.run.Dir)
		if err != nil {
			return 0, err
		}
		x.work = f
	}
	if offset, err = x.work.Seek(0, io.SeekEnd); err == nil {
		_, err = x.work.Write(rows)
	}
	return offset, err
}

// workingFile creates a file that is removed when the process ends: next to the run, or else in the
// system's temporary directory.
func workingFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, IndexFile+".tmp*")
	if err != nil {
		if f, err = os.CreateTemp("", "gonogo-"+IndexFile+"*"); err != nil {
			return nil, err
		}
	}
	removeOpenFile(f)
	return f, nil
}

// ends returns the SHA-256 of the first and the last 4 KiB before next.
func ends(rd io.ReaderAt, next int64) (sum [32]byte, err error) {
	const limit = 4 << 10
	h := sha256.New()
	for _, from := range []int64{0, max(0, next-limit)} {
		if _, err := io.Copy(h, io.NewSectionReader(rd, from, min(limit, next-from))); err != nil {
			return sum, err
		}
	}
	return [32]byte(h.Sum(nil)), nil
}

// keep saves the index next to the run if it has changed. A failure is only reported.
func (x *Index) keep() {
	x.mu.RLock()
	path := x.path()
	fresh := len(x.blocks) > 0 && !x.state.Kept
	x.mu.RUnlock()
	if path == "" || !fresh {
		return
	}
	if err := x.write(path); err != nil {
		x.note(fmt.Errorf("the index could not be saved for the next session: %w", err))
		return
	}
	x.mu.Lock()
	x.state.Kept = true
	x.mu.Unlock()
}

// write replaces the whole file. The blocks of an index do not change, so they are copied without
// holding the lock.
func (x *Index) write(path string) error {
	k, err := x.kept()
	if err != nil {
		return err
	}
	staged, err := disk.StageFile(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, keptMagic); err != nil {
			return err
		}
		offset := int64(len(keptMagic))
		for i := range k.Blocks {
			b := &k.Blocks[i]
			n, err := io.Copy(w, io.NewSectionReader(b.file, b.At, b.size()))
			if err != nil || n != b.size() {
				return errors.Join(err, io.ErrUnexpectedEOF)
			}
			b.At = offset
			offset += n
		}
		var meta bytes.Buffer
		if err := gob.NewEncoder(&meta).Encode(k); err != nil {
			return err
		}
		crc := crc32.Checksum(meta.Bytes(), castagnoli)
		foot := binary.LittleEndian.AppendUint64(nil, uint64(meta.Len()))
		foot = append(binary.LittleEndian.AppendUint32(foot, crc), keptMagic...)
		_, err := w.Write(append(meta.Bytes(), foot...))
		return err
	})
	if err != nil {
		return err
	}
	return staged.Commit()
}

func (b *stored) size() int64 { return rowBytes << b.Width }

// kept returns the metadata of the index to save.
func (x *Index) kept() (*kept, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	info, err := x.source.Stat()
	if err != nil {
		return nil, err
	}
	n := len(x.blocks) * blockLines
	k := &kept{
		Size: info.Size(), Time: info.ModTime().UnixNano(), Next: x.next, Line: x.state.line, Source: x.from(),
		Names:   catalog{Items: x.names.Items, Tools: x.names.Tools, Errors: x.names.Errors, Labels: x.names.Labels},
		Entries: x.entries[:n:n], Blocks: append([]stored(nil), x.blocks...),
	}
	if n < len(x.entries) {
		k.Next, k.Line = x.entries[n].Offset, x.entries[n].Line-1
	}
	for _, b := range x.state.Bad {
		if b.Line <= int(k.Line) {
			k.Bad = append(k.Bad, b)
		}
	}
	k.Ends, err = ends(x.source, k.Next)
	return k, err
}

// load uses the index saved next to the run, if it matches.
func (x *Index) load() error {
	if x.path() == "" {
		return nil
	}
	f, err := disk.Open(x.path())
	if err != nil {
		return err
	}
	k, err := readKept(f)
	if err == nil {
		err = x.adopt(k, f)
	}
	if err != nil {
		f.Close()
	}
	return err
}

// readKept reads the metadata after the blocks and checks that the blocks are inside the file.
func readKept(f *os.File) (*kept, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	foot := make([]byte, 12+len(keptMagic))
	behind := info.Size() - int64(len(foot))
	if behind < int64(len(keptMagic)) {
		return nil, io.ErrUnexpectedEOF
	}
	if _, err := f.ReadAt(foot, behind); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint64(foot)
	if string(foot[12:]) != keptMagic || size > uint64(behind) {
		return nil, errors.New("it has another version, or is incomplete")
	}
	meta := make([]byte, size)
	if _, err := f.ReadAt(meta, behind-int64(size)); err != nil {
		return nil, err
	}
	if crc32.Checksum(meta, castagnoli) != binary.LittleEndian.Uint32(foot[8:]) {
		return nil, errors.New("its checksum does not match")
	}
	k := new(kept)
	if err := gob.NewDecoder(bytes.NewReader(meta)).Decode(k); err != nil {
		return nil, err
	}
	for _, b := range k.Blocks {
		if b.Width < fewestBits || b.Width > mostBits || b.At < 0 || b.At+b.size() > behind {
			return nil, errors.New("one of its blocks is outside the file")
		}
	}
	return k, k.check()
}

// check checks that every reference of the entries is valid.
func (k *kept) check() error {
	ok := len(k.Entries) == len(k.Blocks)*blockLines && len(k.Names.Errors) > 0 && len(k.Names.Labels) > 0
	for i := range k.Entries {
		e := &k.Entries[i]
		ok = ok && e.Size >= 0 && e.Offset >= 0 && e.Offset+int64(e.Size) <= k.Next &&
			inside(e.Item, len(k.Names.Items)) && inside(e.Error, len(k.Names.Errors)) &&
			inside(e.Category, len(k.Names.Labels)) && inside(e.Family, len(k.Names.Labels)) &&
			int(e.Outcome) < len(rollout.Outcomes())
		for b := []byte(e.Tools); len(b) > 1; b = b[2:] {
			ok = ok && int(binary.LittleEndian.Uint16(b)) < len(k.Names.Tools)
		}
	}
	if !ok {
		return errors.New("its parts are inconsistent")
	}
	return nil
}

func inside(i int32, n int) bool { return i >= 0 && int(i) < n }

// adopt restores the index from a saved one, if the rollouts are the same or were only appended to.
func (x *Index) adopt(k *kept, f *os.File) error {
	source, err := disk.Open(x.run.File())
	if err != nil {
		return err
	}
	info, err := source.Stat()
	if err == nil {
		var now [32]byte
		now, err = ends(source, k.Next)
		same := info.Size() > k.Size || info.Size() == k.Size && info.ModTime().UnixNano() == k.Time
		if err == nil && (!same || info.Size() < k.Next || now != k.Ends || k.Source != x.from()) {
			err = errors.New("it belongs to other rollouts")
		}
	}
	if err != nil {
		source.Close()
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.source, x.next = source, k.Next
	x.names = &k.Names
	x.names.index()
	x.entries = make([]entry, 0, len(k.Entries)+blockLines)
	for _, e := range k.Entries {
		x.book(e)
	}
	for _, b := range k.Blocks {
		b.file = f
		x.blocks = append(x.blocks, b)
	}
	x.state.line, x.state.Bad, x.state.Kept = k.Line, append(x.state.Bad, k.Bad...), true
	x.version++
	return nil
}

// intact reads all blocks and reports whether their checksums match, or ctx has ended.
func (x *Index) intact(ctx context.Context) bool {
	x.mu.RLock()
	blocks := x.blocks
	x.mu.RUnlock()
	for i := range blocks {
		if ctx.Err() != nil {
			return true
		}
		rows := make([]byte, blocks[i].size())
		if _, err := blocks[i].file.ReadAt(rows, blocks[i].At); err != nil ||
			crc32.Checksum(rows, castagnoli) != blocks[i].CRC {
			return false
		}
	}
	return true
}
