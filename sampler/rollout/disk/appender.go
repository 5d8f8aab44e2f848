package disk

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Appender adds lines to a file, each with one write. After a failed write it
// cuts off what was written of the line, so the file stays readable.
type Appender struct {
	Path string
	file *os.File
	info os.FileInfo // which file it is, whatever path names by now
	size int64       // of the whole lines
	torn bool        // there may be part of a line behind size

	Foreign int64 // bytes that something else wrote behind our lines, cut off again
}

// OpenAppender opens or makes the file. A torn last line is cut off; a whole
// one that lacks its newline gets it.
func OpenAppender(path string, whole func(line []byte) bool) (*Appender, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, Wrap("append to", path, err)
	}
	a := &Appender{Path: path, file: file}
	if a.info, err = file.Stat(); err == nil {
		err = a.repair(whole)
	}
	if err != nil {
		file.Close()
		return nil, Wrap("repair the end of", path, err)
	}
	return a, nil
}

func (a *Appender) repair(complete func(line []byte) bool) error {
	end, err := a.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	whole, err := lastNewline(a.file, end)
	if err != nil {
		return err
	}
	tail := make([]byte, end-whole)
	if _, err := a.file.ReadAt(tail, whole); err != nil {
		return err
	}
	a.size = whole
	if whole == 0 {
		tail = bytes.TrimPrefix(tail, []byte("\ufeff"))
	}
	if len(tail) > 0 && complete(tail) {
		a.size = end
		return a.Append(nil)
	}
	if a.size == end {
		return nil
	}
	return a.file.Truncate(a.size)
}

// lastNewline returns the offset behind the last newline before end.
func lastNewline(file io.ReaderAt, end int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for end > 0 {
		part := buf[:min(int64(len(buf)), end)]
		from := end - int64(len(part))
		if _, err := file.ReadAt(part, from); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		end = from
	}
	return 0, nil
}

// tidy cuts off what follows our lines: part of one of them, or what
// something else has written there, such as an agent that runs in the directory.
// A file that was cut short has lost lines.
func (a *Appender) tidy() error {
	info, err := a.file.Stat()
	switch {
	case err != nil:
		return Wrap("look at", a.Path, err)
	case info.Size() < a.size:
		return Wrap("append to", a.Path, ErrTruncated)
	case info.Size() == a.size:
		a.torn = false
		return nil
	case !a.torn:
		a.Foreign += info.Size() - a.size
	}
	if err := a.file.Truncate(a.size); err != nil {
		return Wrap("cut off what does not belong to", a.Path, err)
	}
	a.torn = false
	return nil
}

// Append writes the line and a newline.
func (a *Appender) Append(line []byte) error {
	if err := a.tidy(); err != nil {
		return err
	}
	line = append(line, '\n')
	// At its place, not at the end: something else may have written there just now.
	if _, err := a.file.WriteAt(line, a.size); err != nil {
		a.torn = a.file.Truncate(a.size) != nil
		return Wrap("append to", a.Path, err)
	}
	a.size += int64(len(line))
	return nil
}

// Sync forces to disk what was written.
func (a *Appender) Sync() error { return Wrap("force to disk", a.Path, a.file.Sync()) }

// Check reports whether path still names the file: a deleted one takes lines as
// willingly as before, and they are lost.
func (a *Appender) Check() error {
	now, err := os.Stat(a.Path)
	if err == nil && !os.SameFile(a.info, now) || errors.Is(err, fs.ErrNotExist) {
		return Wrap("append to", a.Path, ErrGone)
	}
	return nil
}

func (a *Appender) Close() error {
	tidied := a.tidy()
	synced := a.Sync()
	return errors.Join(cmp.Or(synced, a.Check(), tidied), a.file.Close())
}

// TempMark is part of the name of a file that is being written.
const TempMark = ".tmp"

// WriteFile replaces a file as a whole: every reader, also after a kill or
// a full disk, sees the old one or the new one. Errors name the
// file.
func WriteFile(path string, b []byte) error {
	return ReplaceFile(path, func(write func([]byte) error) error { return write(b) })
}

// ReplaceFile is WriteFile for a text that fill writes piece by piece. An error
// of fill leaves the old file.
func ReplaceFile(path string, fill func(write func([]byte) error) error) error {
	staged, err := StageFile(path, func(w io.Writer) error {
		return fill(func(b []byte) error {
			_, err := w.Write(b)
			return err
		})
	})
	if err != nil {
		return err
	}
	return staged.Commit()
}

// Staged is a file that is written and forced to disk, but not at its place
// yet.
type Staged struct{ path, tmp string }

// StageFile writes a file piece by piece next to its place: Commit puts it there,
// Discard takes it away. An error of fill leaves nothing.
func StageFile(path string, fill func(io.Writer) error) (*Staged, error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+TempMark+"*")
	if err != nil {
		return nil, Wrap("write", path, err)
	}
	to := bufio.NewWriterSize(tmp, 64<<10)
	err = fill(to)
	err = cmp.Or(err, to.Flush(), tmp.Chmod(0o644), tmp.Sync(), tmp.Close())
	if err != nil {
		_ = tmp.Close() // closed already but where an earlier step failed
		os.Remove(tmp.Name())
		return nil, Wrap("write", path, err)
	}
	return &Staged{path, tmp.Name()}, nil
}

// Commit replaces the file at its place in one step.
func (s *Staged) Commit() error {
	if err := os.Rename(s.tmp, s.path); err != nil {
		os.Remove(s.tmp)
		return Wrap("write", s.path, err)
	}
	return SyncDir(filepath.Dir(s.path))
}

// Discard takes away what was not put at its place.
func (s *Staged) Discard() { os.Remove(s.tmp) }

// RemoveTemps removes what a process that was killed within WriteFile left.
func RemoveTemps(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("look for remains of %s: %w", path, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), filepath.Base(path)+TempMark) {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
			return Wrap("remove remains of", path, err)
		}
	}
	return nil
}
