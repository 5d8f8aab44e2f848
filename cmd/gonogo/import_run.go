package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/rollout"
)

// importedRun is the run directory that an import writes. It is made with the
// first rollout or item: a file that no format recognizes leaves nothing.
type importedRun struct {
	dir      string
	manifest rollout.Manifest // as far as it is known before the end
	writer   *rollout.Writer
	ours     bool           // the directory was not there before
	pending  []rollout.Item // not yet written: each writing waits for the disk
	bytes    int            // that their rows hold
	records  int
	failed   bool // to be written, which is not the log's fault
}

func (r *importedRun) open() error {
	if r.writer != nil {
		return nil
	}
	_, err := os.Stat(r.dir)
	r.ours = errors.Is(err, fs.ErrNotExist)
	begun := r.manifest // what a kill leaves
	begun.Notes = []string{"the import was broken off before its end, and some rollouts are missing: delete this directory and import again"}
	r.writer, err = rollout.Create(r.dir, begun, nil, rollout.WriterOptions{})
	return exit.AsUsage(err)
}

func (r *importedRun) item(it rollout.Item) error {
	const many, large = 1000, 4 << 20
	r.pending = append(r.pending, it)
	if r.bytes += len(it.Row); r.bytes < large && len(r.pending) < many {
		return nil
	}
	return r.flush()
}

func (r *importedRun) flush() error {
	if err := r.open(); err != nil {
		return err
	}
	err := r.writer.AddItems(r.pending...)
	clear(r.pending)
	r.pending, r.bytes = r.pending[:0], 0
	return r.wrote(err)
}

func (r *importedRun) record(rec *rollout.Record) error {
	if err := r.open(); err != nil {
		return err
	}
	r.records++
	return r.wrote(r.writer.Append(rec))
}

func (r *importedRun) wrote(err error) error {
	r.failed = r.failed || err != nil
	return err
}

// close ends a run that is whole.
func (r *importedRun) close(notes []string) error {
	if err := r.flush(); err != nil {
		return err
	}
	if err := r.writer.Amend(func(m *rollout.Manifest) { m.Notes, m.Model = notes, r.manifest.Model }); err != nil {
		return r.wrote(err)
	}
	return r.wrote(r.writer.Close())
}

// takeBack removes what a broken import wrote, and the directory when the
// import made it.
func (r *importedRun) takeBack() error {
	if r.writer == nil {
		return nil
	}
	err := r.writer.Close()
	for _, name := range []string{rollout.RolloutsFile, rollout.ItemsFile, rollout.ManifestFile, "run.lock"} {
		if e := os.Remove(filepath.Join(r.dir, name)); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	if r.ours {
		err = errors.Join(err, os.Remove(r.dir))
	}
	return err
}
