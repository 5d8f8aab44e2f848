package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gonogo/sampler/internal/compressed"
	"gonogo/sampler/rollout"
)

// Directory is the run directory that an import writes. It is created with the first rollout or
// item, so a log that no format recognizes leaves nothing behind.
type Directory struct {
	Dir      string
	Manifest rollout.Manifest // as far as it is known before the log is read
	Rollouts int              // rollouts written
	Rewards  [2]float64       // range that covers all rewards and 0 to 1
	Graded   int              // rollouts with a reward
	Notes    []string         // notes of the import
	Failed   bool             // a write failed, which is not the log's fault

	writer  *rollout.Writer
	created bool           // the import created the directory
	pending []rollout.Item // not yet written: every write waits for the disk
	bytes   int            // total length of the pending rows
}

// Vacant returns an error for a directory that holds rollouts or a run: a failed import must remove
// only its own files. The remains of an interrupted import are replaced.
func (d *Directory) Vacant() error {
	if d.half() {
		if pid, held := rollout.LockedBy(d.Dir); held {
			return fmt.Errorf("%s: another process is importing into it (%s)", d.Dir, cmp.Or(pid, "unknown"))
		}
		return nil
	}
	for _, occupied := range []struct{ file, holds string }{
		{rollout.RolloutsFile, "rollouts"},
		{rollout.ManifestFile, "a run"},
	} {
		if _, err := os.Stat(filepath.Join(d.Dir, occupied.file)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s holds %s already: name a new directory", d.Dir, occupied.holds)
		}
	}
	return nil
}

// half reports whether the directory holds the remains of an interrupted import.
func (d *Directory) half() bool {
	_, err := rollout.OpenManifest(d.Dir)
	return errors.Is(err, rollout.ErrHalfImported)
}

// RunName returns the name of a run that is imported from a file: the file's, without its folder.
func RunName(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	name := compressed.PlainName(filepath.Base(file))
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// Sink returns the sink that [Import] writes to. After the import, [Directory.Close] completes the
// run, or [Directory.TakeBack] removes it.
func (d *Directory) Sink() Sink {
	return Sink{
		Item: d.item, Record: d.record,
		Model: func(name string) { d.Manifest.Model = name },
		Note:  func(note string) { d.Notes = append(d.Notes, note) },
		Planned: func(split rollout.Split, n int) {
			d.Manifest.Planned = &rollout.Planned{
				Samples: map[rollout.Split]int{}, Items: map[rollout.Split]int{},
				Rollouts: map[rollout.Split]int{split: n},
			}
		},
	}
}

func (d *Directory) open() error {
	if d.writer != nil {
		return nil
	}
	if d.half() {
		if err := d.remove(); err != nil {
			return err
		}
		_ = os.Remove(d.Dir) // fails if it holds anything else
	}
	_, err := os.Stat(d.Dir)
	d.created = errors.Is(err, fs.ErrNotExist)
	d.writer, err = rollout.Create(d.Dir, d.Manifest, nil, rollout.WriterOptions{})
	return err
}

func (d *Directory) item(it rollout.Item) error {
	const many, large = 1000, 4 << 20
	d.pending = append(d.pending, it)
	if d.bytes += len(it.Row); d.bytes < large && len(d.pending) < many {
		return nil
	}
	return d.flush()
}

func (d *Directory) flush() error {
	if err := d.open(); err != nil {
		return err
	}
	err := d.writer.AddItems(d.pending...)
	clear(d.pending)
	d.pending, d.bytes = d.pending[:0], 0
	return d.wrote(err)
}

func (d *Directory) record(rec *rollout.Record) error {
	if err := d.open(); err != nil {
		return err
	}
	if rec.Attempt == 0 { // later attempts belong to the same rollout
		d.Rollouts++
	}
	if d.Rewards == [2]float64{} {
		d.Rewards = [2]float64{0, 1}
	}
	if r := rec.Reward; r != nil {
		d.Graded++
		d.Rewards = [2]float64{min(d.Rewards[0], *r), max(d.Rewards[1], *r)}
	}
	return d.wrote(d.writer.Append(rec))
}

func (d *Directory) wrote(err error) error {
	d.Failed = d.Failed || err != nil
	return err
}

// Close completes the run. Its manifest records from, the origin of the run, and the notes.
func (d *Directory) Close(from string) error {
	if err := d.flush(); err != nil {
		return err
	}
	notes := append([]string{from}, d.Notes...)
	if err := d.writer.Amend(func(m *rollout.Manifest) {
		m.Notes, m.Model, m.Planned = notes, d.Manifest.Model,
			d.Manifest.Planned
	}); err != nil {
		return d.wrote(err)
	}
	return d.wrote(d.writer.Close())
}

// TakeBack removes what a failed import wrote, and the directory if the import created it.
func (d *Directory) TakeBack() error {
	if d.writer == nil {
		return nil
	}
	err := errors.Join(d.writer.Close(), d.remove())
	if d.created {
		err = errors.Join(err, os.Remove(d.Dir))
	}
	return err
}

// remove removes the files of an import.
func (d *Directory) remove() error {
	var err error
	for _, name := range []string{rollout.RolloutsFile, rollout.ItemsFile, rollout.ManifestFile, "run.lock"} {
		if e := os.Remove(filepath.Join(d.Dir, name)); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}
