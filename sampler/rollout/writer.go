package rollout

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gonogo/sampler/rollout/disk"
)

// Writer appends to a run directory. It is for one goroutine.
//
// What is written survives the end of the process, kill -9 included, as soon as the call that wrote
// it returns: a record is one write(2), and nothing is buffered in memory. It survives the end of
// the machine once it is synced to disk:
//
//   - records every second (WriterOptions.SyncEvery) by a goroutine of their
//     own, so no one waits for a disk, and in Close;
//   - run.json, the items and the names of new files before the call returns.
//
// So a power cut may lose the records of the last second, and may tear the last remaining line. A
// file that is replaced, such as run.json, is written to a temporary file in the same directory,
// synced to disk and renamed: a reader, also after a kill or a full disk, sees the old one or the
// new one.
//
// A write that fails is an error that says what to do, and so is a file that was deleted or moved
// meanwhile; this is checked at every sync.
type Writer struct {
	dir      string
	opt      WriterOptions
	release  func() error // releases the lock
	manifest Manifest
	items    map[itemKey]bool // the items in items.jsonl
	held     map[Key]int      // attempts that Hold wrote and whose grade is pending

	rollouts *journal
	itemFile *disk.Appender
	closed   bool
}

// open does Create's work under the lock.
func (w *Writer) open(m Manifest, items []Item) error {
	was, err := inspect(w.dir) // again: another process may have been faster
	if err != nil {
		return err
	}
	if was != nil {
		err := checkBinding(w.dir, was.Binding, m.Binding, w.opt.Redact)
		if err != nil && w.unused() {
			// Nothing has been paid for yet: a first try with a mistake in its settings.
			was, err = nil, os.Remove(filepath.Join(w.dir, ItemsFile))
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
	if was != nil {
		if err := checkFormer(w.dir, was.GradedFrom, m.GradedFrom); err != nil {
			return err
		}
		if was.Grading && !m.Grading {
			return fmt.Errorf("run directory %s has only a part of the rollouts of run %s, because their grading "+
				"has not ended: run the same gonogo grade again first", w.dir, was.GradedFrom)
		}
	}
	w.manifest = merge(was, m)
	if err := disk.RemoveTemps(filepath.Join(w.dir, ManifestFile)); err != nil {
		return err
	}
	if err := w.writeManifest(); err != nil {
		return err
	}
	if err := w.openItems(items); err != nil {
		return err
	}
	if w.rollouts, err = openJournal(filepath.Join(w.dir, RolloutsFile), w.opt); err != nil {
		return err
	}
	return disk.SyncDir(w.dir)
}

// unused reports whether the directory has no rollout, probe or label.
func (w *Writer) unused() bool {
	for _, name := range []string{RolloutsFile, ProbesFile, LabelsFile} {
		if info, err := os.Stat(filepath.Join(w.dir, name)); err == nil && info.Size() > 0 || err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

func (w *Writer) openItems(items []Item) error {
	path := filepath.Join(w.dir, ItemsFile)
	err := disk.CheckRegularFile(path)
	if err != nil {
		return err
	}
	if w.itemFile, err = disk.OpenAppender(path, wholeRecord); err != nil {
		return err
	}
	present, err := readItems(path)
	if err != nil {
		return err
	}
	w.items = make(map[itemKey]bool, len(present)+len(items))
	for i := range present {
		w.items[itemKey{split: present[i].Split, item: present[i].ID}] = true
	}
	return w.AddItems(items...)
}

// Manifest returns the manifest as merged with the one that was on disk. Its maps and slices must
// not be changed.
func (w *Writer) Manifest() Manifest { return w.manifest }

// Amend lets change fill in what became known while writing, such as notes and the rows of the
// data. Schema, ID, Seed, Started and Binding remain unchanged. The file is written immediately.
func (w *Writer) Amend(change func(*Manifest)) error {
	if w.closed {
		return fmt.Errorf("amend manifest of %s: %w", w.dir, os.ErrClosed)
	}
	m := w.manifest
	change(&m)
	m.Schema, m.ID, m.Seed, m.Started, m.Binding = w.manifest.Schema, w.manifest.ID, w.manifest.Seed,
		w.manifest.Started, w.manifest.Binding
	w.manifest = m
	return w.writeManifest()
}

// AddItems appends the items that the run does not have yet. Two items are the same if split and id
// are.
func (w *Writer) AddItems(items ...Item) error {
	if w.closed {
		return fmt.Errorf("add items to %s: %w", w.dir, os.ErrClosed)
	}
	added := false
	for i := range items {
		it := items[i]
		if it.ID == "" {
			return fmt.Errorf("add item %d of %d to %s: it has no id", i+1, len(items), w.dir)
		}
		var err error
		if it.Split, err = known("split", it.Split, Train, Splits()); err != nil {
			return fmt.Errorf("add item %q to %s: %w", it.ID, w.dir, err)
		}
		k := itemKey{split: it.Split, item: it.ID}
		if w.items[k] {
			continue
		}
		line, err := it.appendTo(nil)
		if err != nil {
			return fmt.Errorf("add item %q to %s: %w", it.ID, w.dir, err)
		}
		if err := w.itemFile.Append(w.opt.Redact.JSON(line)); err != nil {
			return err
		}
		w.items[k], added = true, true
	}
	if added { // a record must not outlive its item
		return w.itemFile.Sync()
	}
	return nil
}

// Append writes one record with one write. If it returns nil, the operating system has the record,
// which survives as described at Writer. If it returns an error, the file is as it was before, as
// far as the disk allows; but if syncing has failed, it is unknown which lines would survive the
// end of the machine. Appending the same record twice does no harm. If Hold wrote the answer and
// its grade never came, no second line is written.
func (w *Writer) Append(rec *Record) error {
	if w.closed {
		return fmt.Errorf("append to %s: %w", w.dir, os.ErrClosed)
	}
	if err := rec.check(Live); err != nil {
		return fmt.Errorf("append item %q, sample %d to %s: %w", rec.Item, rec.Sample, w.rollouts.file.Path, err)
	}
	if attempt, held := w.held[rec.Key()]; held && attempt == rec.Attempt {
		delete(w.held, rec.Key())
		if rec.Kind == KindUngraded {
			return nil
		}
	}
	return w.rollouts.append(rec)
}

// Hold writes a record whose grade is pending, as Append does, so that the answer is kept even if
// the grade never comes. The line that Append later writes of the same rollout replaces it.
func (w *Writer) Hold(rec *Record) error {
	if rec.Kind != KindUngraded {
		return fmt.Errorf("hold item %q, sample %d: its kind is %q, not %s", rec.Item, rec.Sample, rec.Kind,
			KindUngraded)
	}
	if err := w.Append(rec); err != nil {
		return err
	}
	if w.held == nil {
		w.held = make(map[Key]int)
	}
	w.held[rec.Key()] = rec.Attempt
	return nil
}

// check applies the rules of a reader of the file to a record: Probe is for probes.jsonl, any other
// source for rollouts.jsonl.
func (r *Record) check(file Source) error {
	c := *r
	d := decoded{rec: &c, noReward: "no reward"}
	why, err := d.settle(file, Train)
	if err != nil {
		return err
	}
	if why != "" {
		return fmt.Errorf("outcome and reward contradict each other: %s", why)
	}
	return nil
}

// Close syncs everything to disk, writes the time of the end to the manifest and unlocks the
// directory. A second Close does nothing.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	err := cmp.Or(w.rollouts.close(), w.itemFile.Close()) // both are on one disk: the first error suffices
	if !errors.Is(err, disk.ErrGone) {
		w.manifest.Ended = time.Now().UTC().Truncate(time.Millisecond)
		err = cmp.Or(err, w.writeManifest())
	}
	return errors.Join(err, w.release())
}

// Foreign returns how many bytes something else wrote after the records and the items while they
// were being written. They were cut off.
func (w *Writer) Foreign() int64 { return w.rollouts.file.Foreign + w.itemFile.Foreign }

// abandon cleans up after a Create that failed halfway.
func (w *Writer) abandon() {
	if w.rollouts != nil {
		w.rollouts.close()
	}
	if w.itemFile != nil {
		w.itemFile.Close()
	}
	w.release()
}

func (w *Writer) writeManifest() error {
	b, err := json.MarshalIndent(w.manifest, "", "  ")
	if err != nil {
		return fmt.Errorf("write manifest of %s: %w", w.dir, err)
	}
	return disk.WriteFile(filepath.Join(w.dir, ManifestFile), append(w.opt.Redact.JSON(b), '\n'))
}
