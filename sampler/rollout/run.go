package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gonogo/sampler/internal/compressed"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/disk"
)

// The files of a run directory that this package reads and writes.
const (
	ManifestFile = "run.json"
	ItemsFile    = "items.jsonl"
	RolloutsFile = "rollouts.jsonl"
	ProbesFile   = "probes.jsonl" // what the audit submitted to the grader: never part of a mean
	LabelsFile   = "labels.jsonl" // people's opinions of outputs
)

// ErrNotARun means that a directory is not a run directory.
var ErrNotARun = errors.New("not a run directory")

// ErrHalfImported means that a directory has only a part of a log.
var ErrHalfImported = errors.New("its import has not ended, so rollouts are missing: import again into the same " +
	"directory")

// halfImported reports whether an import was interrupted, or is in progress. Imports of all
// versions write the time of their end.
func (m *Manifest) halfImported() bool {
	return m != nil && m.Source == Import && m.GradedFrom == "" && !m.Started.IsZero() && m.Ended.IsZero()
}

// Run is a run directory, or a single file of rollouts, opened for reading.
type Run struct {
	Dir      string    // the directory; of a single file, its directory
	Manifest *Manifest // nil if there is no run.json
	// nil if there is no items.jsonl; a later line replaces an earlier one of the same split and id
	Items []Item

	file string // the rollouts
}

// Open reads run.json and items.jsonl, both of which may be missing: a directory with only
// rollouts.jsonl is a run, and so is the path of a single file of rollouts. The files next to it
// are read only if it is named rollouts.jsonl. The rollouts are not read yet. A directory whose
// import has not ended gives ErrHalfImported.
func Open(dir string) (*Run, error) {
	r, err := OpenManifest(dir)
	if err == nil {
		r.Items, err = r.ReadItems()
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// ReadItems returns the items. If OpenManifest skipped them, they are read, and not kept.
func (r *Run) ReadItems() ([]Item, error) {
	path, ok := r.neighbour(ItemsFile)
	if r.Items != nil || !ok {
		return r.Items, nil
	}
	return readItems(path)
}

// OpenManifest is Open without the items, which are most of what Open reads.
func OpenManifest(dir string) (*Run, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("open run: %w: name a run directory, or a .jsonl file of rollouts", err)
	}
	r := &Run{Dir: dir, file: filepath.Join(dir, RolloutsFile)}
	if !info.IsDir() {
		r.Dir, r.file = filepath.Dir(dir), dir
		if filepath.Base(dir) != RolloutsFile {
			return r, nil
		}
	}
	if r.Manifest, err = readManifest(filepath.Join(r.Dir, ManifestFile)); err != nil {
		return r, err
	}
	if r.Manifest.halfImported() {
		return nil, fmt.Errorf("open run %s: %w", dir, ErrHalfImported)
	}
	if r.Manifest != nil {
		return r, nil
	}
	if _, err := os.Stat(r.file); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open run %s: %w: it holds neither %s nor %s", dir, ErrNotARun, ManifestFile,
			RolloutsFile)
	}
	return r, nil
}

// File returns the path of the file with the rollouts.
func (r *Run) File() string { return r.file }

// neighbour returns the path of a file next to the rollouts. A single file that is not named
// rollouts.jsonl has none.
func (r *Run) neighbour(name string) (path string, ok bool) {
	return filepath.Join(r.Dir, name), filepath.Base(r.file) == RolloutsFile
}

// Records reads the rollouts as Read does. A run without a file of rollouts gives ErrNoRecords.
func (r *Run) Records(ctx context.Context, opt ReadOptions, yield func(*Record) error) (Input, error) {
	f, err := disk.Open(r.file)
	if errors.Is(err, fs.ErrNotExist) {
		return Input{Bad: []BadLine{}}, fmt.Errorf("read %s: %w", r.file, ErrNoRecords)
	}
	if err != nil {
		return Input{Bad: []BadLine{}}, fmt.Errorf("read rollouts: %w", err)
	}
	defer f.Close()
	head := make([]byte, compressed.Peek)
	if n, _ := f.ReadAt(head, 0); compressed.Is(head[:n]) { // pages and indices need the lines themselves
		return Input{Bad: []BadLine{}}, fmt.Errorf("read %s: the file is compressed with %s: gonogo import %s -o RUN "+
			"unpacks it", r.file, compressed.Name(head[:n]), r.file)
	}
	source := Import
	if r.Manifest != nil && r.Manifest.Source != "" {
		source = r.Manifest.Source
	}
	sum := disk.NewSum()
	in, err := read(ctx, r.file, io.TeeReader(f, sum), opt, source, yield)
	in.Sum = sum.String()
	return in, err
}

// RolloutState is the recorded state of one rollout.
type RolloutState struct {
	Attempt int // the highest attempt
	Outcome Outcome
	Output  bool // there is an output to grade
}

// Ungraded reports whether the output is recorded and only its grade is missing.
func (d RolloutState) Ungraded() bool { return d.Outcome == GraderFailed && d.Output }

// State returns what is recorded, so that a resumed run makes the rest. A run without rollouts has
// an empty state.
func (r *Run) State(ctx context.Context) (map[Key]RolloutState, Input, error) {
	state := make(map[Key]RolloutState)
	in, err := r.Records(ctx, ReadOptions{Lean: true, SkipPrompts: true}, func(rec *Record) error {
		state[rec.Key()] = RolloutState{Attempt: rec.Attempt, Outcome: rec.Outcome, Output: rec.gradable()}
		return nil
	})
	if errors.Is(err, ErrNoRecords) {
		err = nil
	}
	return state, in, err
}

// readManifest returns nil if there is no such file.
func readManifest(path string) (*Manifest, error) {
	b, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := jsontext.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", path, ErrNotARun, err)
	}
	if head.Schema != ManifestSchema {
		return nil, fmt.Errorf("read %s: %w: its schema is %q, this version of gonogo reads %q", path, ErrNotARun,
			head.Schema, ManifestSchema)
	}
	m := new(Manifest)
	if err := jsontext.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return m, nil
}

// readItems returns nil if there is no such file. It leaves out a torn last line.
func readItems(path string) ([]Item, error) {
	return readIfThere("items", path, decodeItems)
}

// readIfThere returns nil, and no error, if there is no such file.
func readIfThere[T any](what, path string, read func(name string, rd io.Reader) ([]T, error)) ([]T, error) {
	f, err := disk.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	defer f.Close()
	return read(path, f)
}

func decodeItems(name string, rd io.Reader) ([]Item, error) {
	items := []Item{}
	index := make(map[itemKey]int)
	var bad error
	c, b := newCutter(rd), &batch{text: make([]byte, 0, batchBytes)}
	for bad == nil && b.err == nil {
		c.next(context.Background(), b)
		b.lines(func(text []byte, line int, unended bool) bool {
			it, err := decodeItem(text)
			if err != nil {
				if _, broken := errors.AsType[brokenError](err); !broken || !unended {
					bad = &LineError{File: name, Line: line, Err: err}
				}
				return bad == nil
			}
			k := itemKey{split: it.Split, item: it.ID}
			if i, ok := index[k]; ok {
				items[i] = it
				return true
			}
			index[k] = len(items)
			items = append(items, it)
			return true
		})
	}
	if bad == nil && b.err != nil && !b.atEnd() {
		bad = fmt.Errorf("read %s: %w", name, b.err)
	}
	return items, bad
}

func decodeItem(text []byte) (Item, error) {
	var it Item
	err := jsontext.Unmarshal(text, &it)
	if _, syntax := errors.AsType[*json.SyntaxError](err); syntax {
		if text = jsontext.Nullify(text); !json.Valid(text) {
			return it, syntaxError(text)
		}
		err = jsontext.Unmarshal(text, &it)
	}
	if err != nil {
		return it, err
	}
	if it.ID == "" {
		return it, errors.New(`"id" is missing: every line must name its item`)
	}
	it.Split, err = known("split", it.Split, Train, Splits())
	return it, err
}
