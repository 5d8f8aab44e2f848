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
	"time"
)

// Appender adds lines to a file, each with one write. After a failed write it cuts off the partial
// line, so the file stays readable.
type Appender struct {
	Path string
	file *os.File
	info os.FileInfo // identifies the file, even if Path now names another one
	size int64       // of the complete lines
	torn bool        // there may be a partial line after size

	Foreign int64 // bytes that something else wrote after our lines and that were cut off
}

// OpenAppender opens or creates the file. It cuts off a torn last line; one that is complete but for
// its newline, as complete reports, gets one.
func OpenAppender(path string, complete func(line []byte) bool) (*Appender, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, Wrap("append to", path, err)
	}
	a := &Appender{Path: path, file: file}
	if a.info, err = file.Stat(); err == nil {
		err = a.repair(complete)
	}
	if err != nil {
		file.Close()
		return nil, Wrap("repair the end of", path, err)
	}
	return a, nil
}

// repair cuts off a torn last line; complete tells it from one that lacks only its newline.
func (a *Appender) repair(complete func(line []byte) bool) error {
	end, err := a.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	lines, err := lastNewline(a.file, end)
	if err != nil {
		return err
	}
	tail := make([]byte, end-lines)
	if _, err := a.file.ReadAt(tail, lines); err != nil {
		return err
	}
	a.size = lines
	if lines == 0 {
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

// lastNewline returns the offset after the last newline before end.
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

// tidy cuts off what follows our lines: a partial line, or what something else has written there,
// such as an agent that runs in the directory. A file that has become shorter has lost lines, which
// is an error.
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
	// WriteAt and not O_APPEND: something else may just have written at the end.
	if _, err := a.file.WriteAt(line, a.size); err != nil {
		a.torn = a.file.Truncate(a.size) != nil
		return Wrap("append to", a.Path, err)
	}
	a.size += int64(len(line))
	return nil
}

// Sync flushes what was written to disk.
func (a *Appender) Sync() error { return Wrap("force to disk", a.Path, a.file.Sync()) }

// Check returns an error unless Path still names the file: a deleted file accepts lines as before,
// and they are lost.
func (a *Appender) Check() error {
	now, err := os.Stat(a.Path)
	if err == nil && !os.SameFile(a.info, now) || errors.Is(err, fs.ErrNotExist) {
		return Wrap("append to", a.Path, ErrGone)
	}
	return nil
}

// Close removes a partial line, flushes to disk and closes the file. It reports the first failure.
func (a *Appender) Close() error {
	tidied := a.tidy()
	synced := a.Sync()
	return errors.Join(cmp.Or(synced, a.Check(), tidied), a.file.Close())
}

// TempMark is part of the name of a temporary file.
const TempMark = ".tmp"

// WriteFile replaces a file as a whole: every reader, also after a kill or a full disk, sees the
// old file or the new one. Errors name the file.
func WriteFile(path string, b []byte) error {
	return ReplaceFile(path, func(write func([]byte) error) error { return write(b) })
}

// ReplaceFile is WriteFile for a text that fill writes piece by piece. If fill fails, the old file
// remains.
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

// Staged is a file that is written and synced to disk, but not at its final path yet.
type Staged struct{ path, tmp string }

// StageFile writes a temporary file piece by piece in the directory of path: Commit moves it to
// path, Discard removes it. If fill fails, nothing remains.
func StageFile(path string, fill func(io.Writer) error) (*Staged, error) {
	_ = removeTemps(path, staleAfter) // an error here shows up again in CreateTemp
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+TempMark+"*")
	if err != nil {
		return nil, Wrap("write", path, err)
	}
	to := bufio.NewWriterSize(tmp, 64<<10)
	err = fill(to)
	err = cmp.Or(err, to.Flush(), tmp.Chmod(0o644), tmp.Sync(), tmp.Close())
	if err != nil {
		_ = tmp.Close() // already closed unless an earlier step failed
		os.Remove(tmp.Name())
		return nil, Wrap("write", path, err)
	}
	return &Staged{path, tmp.Name()}, nil
}

// Commit moves the file to its final path, atomically.
func (s *Staged) Commit() error {
	if err := os.Rename(s.tmp, s.path); err != nil {
		os.Remove(s.tmp)
		return Wrap("write", s.path, err)
	}
	return SyncDir(filepath.Dir(s.path))
}

// Discard removes the file if it was not committed.
func (s *Staged) Discard() { os.Remove(s.tmp) }

// RemoveTemps removes what a process that was killed during WriteFile left behind. Its caller holds a
// lock: no other process writes the file.
func RemoveTemps(path string) error { return removeTemps(path, 0) }

// staleAfter is how long a temporary file has not been written to when its writer was surely killed.
const staleAfter = time.Hour

// removeTemps removes the temporary files of path that were not written to for that long.
func removeTemps(path string, age time.Duration) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("look for remains of %s: %w", path, err)
	}
	for _, e := range entries {
		random, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+TempMark)
		if !ok || random == "" || strings.Trim(random, "0123456789") != "" || !e.Type().IsRegular() {
			continue // os.CreateTemp appends digits
		}
		if info, err := e.Info(); age > 0 && (err != nil || time.Since(info.ModTime()) < age) {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(path), e.Name())); err != nil {
			return Wrap("remove remains of", path, err)
		}
	}
	return nil
}
