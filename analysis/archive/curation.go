package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonogo/analysis/curate"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout/disk"
)

// TakenError reports that a file exists that must not be overwritten or removed.
type TakenError struct {
	Path  string
	Stale bool // it is a training file, and now no row is kept
}

func (e *TakenError) Error() string {
	if e.Stale {
		return fmt.Sprintf("no row is kept, but %s already exists and would look like the result", e.Path)
	}
	return e.Path + " already exists, with other content"
}

// CurationTable returns the path of the table that goes with a training file.
func CurationTable(path string) string {
	if strings.EqualFold(filepath.Ext(path), ".jsonl") {
		path = path[:len(path)-len(".jsonl")]
	}
	return path + ".csv"
}

// WriteCuration writes the kept rows of a data file to path and the table next to it, each
// atomically, and neither if one cannot be written. It sets c.Written. If no row is kept, it
// writes only the table, because nothing can be trained on an empty file, and removes an older
// training file, which would look like the answer. It overwrites or removes files with other
// content only if forced; else the error is a *TakenError.
func WriteCuration(path string, c *curate.Curation, data *dataset.File, force bool) (removed bool, err error) {
	var rows, table bytes.Buffer
	kept := c.KeptLines()
	if err := data.Copy(&rows, func(line int) bool { return kept[line] }); err != nil {
		return false, err
	}
	if err := c.WriteTable(&table); err != nil {
		return false, err
	}
	files := []namedText{{CurationTable(path), table.Bytes()}}
	written := &curate.Files{Table: CurationTable(path)}
	if c.Kept > 0 {
		files = append(files, namedText{path, rows.Bytes()})
		written.Train = path
	} else if _, removed = holds(path, nil); removed && !force {
		return false, &TakenError{path, true}
	}
	if err := writeNew(files, force); err != nil {
		return false, err
	}
	if removed {
		if err := os.Remove(path); err != nil {
			return false, fmt.Errorf("remove the training file of an earlier choice: %w", err)
		}
	}
	c.Written = written
	return removed, nil
}

// namedText is a file to be written.
type namedText struct {
	path string
	text []byte
}

// writeNew writes files that must not exist yet, unless forced. A file that already holds the
// same text is left alone, so that a command can be run again.
func writeNew(files []namedText, force bool) error {
	var write []namedText
	for _, f := range files {
		same, exists := holds(f.path, f.text)
		switch {
		case same:
			continue
		case exists && !force:
			return &TakenError{Path: f.path}
		}
		write = append(write, f)
	}
	var staged []*disk.Staged
	for _, f := range write {
		one, err := disk.StageFile(f.path, func(w io.Writer) error { _, err := w.Write(f.text); return err })
		if err != nil {
			for _, s := range staged {
				s.Discard()
			}
			return err
		}
		staged = append(staged, one)
	}
	var err error
	for _, s := range staged {
		err = errors.Join(err, s.Commit())
	}
	return err
}

// holds reports whether a file exists, and whether it holds exactly that text.
func holds(path string, text []byte) (same, exists bool) {
	info, err := os.Stat(path)
	if err != nil {
		return false, false
	}
	if !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false, true
	}
	was, err := disk.ReadFile(path)
	return err == nil && bytes.Equal(was, text), true
}
