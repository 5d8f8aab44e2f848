package exporter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonogo/sampler/rollout/disk"
)

// Format is the log format of another tool.
type Format struct {
	Name  string
	Doc   string // one sentence: which tool's log, and which files
	Files []File
	// Loses lists what this run has but the format cannot hold.
	Loses func(*Run) []string
}

// File is one file of a log.
type File struct {
	Name  string // within the log's directory; "" if the log is a single file
	Write func(context.Context, io.Writer, *Run) error
}

// Formats lists the formats in the order in which they are shown.
func Formats() []Format {
	return []Format{
		inspect,
		verifiers,
	}
}

// Paths lists the files that Write creates at path.
func (f Format) Paths(path string) []string {
	var paths []string
	for _, file := range f.Files {
		paths = append(paths, filepath.Join(path, file.Name))
	}
	return paths
}

// Write writes the log to path, a file or a directory depending on the format. It writes all files
// before it moves the first into place.
func (f Format) Write(ctx context.Context, path string, r *Run) error {
	if err := f.write(ctx, path, r); err != nil {
		return fmt.Errorf("export %s as %s: %w", r.File(), f.Name, err)
	}
	return nil
}

func (f Format) write(ctx context.Context, path string, r *Run) error {
	if err := os.MkdirAll(filepath.Dir(f.Paths(path)[0]), 0o755); err != nil {
		return err
	}
	var staged []*disk.Staged
	defer func() {
		for _, s := range staged {
			s.Discard()
		}
	}()
	for _, file := range f.Files {
		s, err := disk.StageFile(filepath.Join(path, file.Name),
			func(w io.Writer) error { return file.Write(ctx, w, r) })
		if err != nil {
			return err
		}
		staged = append(staged, s)
	}
	for len(staged) > 0 {
		if err := staged[0].Commit(); err != nil {
			return err
		}
		staged = staged[1:]
	}
	return nil
}

// pairs is a JSON object whose keys keep their order: many readers take the first.
type pairs []pair

type pair struct {
	key   string
	value any
}

// MarshalJSON encodes the object.
func (p pairs) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, kv := range p {
		key, err := json.Marshal(kv.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(kv.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), nil
}

// errChanged means that a run lost rollouts between two reads. Rollouts that were added in between
// are left out.
var errChanged = errors.New("the run changed while it was being read: export it again")
