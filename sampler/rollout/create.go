package rollout

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/rollout/disk"
	"gonogo/sampler/wording"
)

// WriterOptions says how a run directory is written.
type WriterOptions struct {
	Redact    *Redactor     // masks secrets in everything that is written to disk; nil masks nothing
	SyncEvery time.Duration // interval of syncs of new rollouts; 0 = a second, negative = after each rollout
}

// lockFile keeps a second writer out. The file remains and means nothing: what counts is the lock
// on it, which ends with the process.
const lockFile = "run.lock"

func lockRun(dir string) (release func() error, err error) {
	if release, err = disk.LockFile(filepath.Join(dir, lockFile)); err != nil {
		return nil, fmt.Errorf("run directory %s: %w", dir, err)
	}
	return release, nil
}

// LockedBy reports whether a process is writing the run in dir, and its pid; "" if
// unknown.
func LockedBy(dir string) (pid string, held bool) { return disk.Holder(filepath.Join(dir, lockFile)) }

// Create opens a run directory for writing. A directory that is missing or empty becomes a new run,
// and so does a run that has other settings but no rollout, probe or label yet. An existing run is
// resumed: it keeps its ID, Seed and Started, takes the rest of m, and gets the items that it does
// not have yet. Anything else is refused with ErrNotARun, settings that differ from those of the
// run with a *BindingError. A run that another process is writing is refused, too.
func Create(dir string, m Manifest, items []Item, opt WriterOptions) (*Writer, error) {
	if _, err := inspect(dir); err != nil {
		return nil, err
	}
	if err := disk.MakeDir(dir); err != nil {
		return nil, err
	}
	release, err := lockRun(dir)
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, opt: opt, release: release}
	if err := w.open(m, items); err != nil {
		w.abandon()
		return nil, err
	}
	return w, nil
}

// inspect returns the manifest of the run in a directory, nil if the directory may become a run,
// and ErrNotARun otherwise.
func inspect(dir string) (*Manifest, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
			return nil, fmt.Errorf("%s: %w but a file: name a directory", dir, ErrNotARun)
		}
		return nil, fmt.Errorf("look into run directory: %w", err)
	}
	m, err := readManifest(filepath.Join(dir, ManifestFile))
	if err != nil || m != nil {
		return m, err
	}
	for _, e := range entries {
		if name := e.Name(); name != lockFile && !strings.HasPrefix(name, ManifestFile+disk.TempMark) {
			return nil, fmt.Errorf("%s: %w: it is not empty (%s) and has no %s: name an empty or a new directory",
				dir, ErrNotARun, name, ManifestFile)
		}
	}
	return nil, nil
}

// merge returns the manifest of a resumed run: was, with everything that may change taken from now.
func merge(was *Manifest, now Manifest) Manifest {
	now.Schema = ManifestSchema
	now.Ended = time.Time{}
	if was == nil {
		now.ID = cmp.Or(now.ID, strings.ToLower(rand.Text()[:12]))
		if now.Started.IsZero() {
			now.Started = time.Now().UTC().Truncate(time.Millisecond)
		}
		return now
	}
	now.ID, now.Seed, now.Started = was.ID, was.Seed, was.Started
	now.GradedFrom = cmp.Or(now.GradedFrom, was.GradedFrom)
	now.Looks = cmp.Or(now.Looks, was.Looks)
	// the server did not report it again
	if now.Sampling == nil || now.Sampling.Server == nil && now.Sampling.Context == 0 {
		now.Sampling = cmp.Or(was.Sampling, now.Sampling)
	}
	if now.Planned != nil && was.Planned != nil && now.Planned.Targeted == nil {
		planned := *now.Planned
		planned.Targeted = was.Planned.Targeted
		now.Planned = &planned
	}
	return now
}

// BindingError means that a run was made with other settings than those it would be resumed with.
type BindingError struct {
	Dir      string
	Keys     []string          // the keys that differ, in alphabetical order
	Was, Now map[string]string // their values; a key that was not set is absent
}

// Error names every key with both values.
func (e *BindingError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "run directory %s was made with different settings:", e.Dir)
	for i, k := range e.Keys {
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, " %s was %s and is now %s", k, short(e.Was, k), short(e.Now, k))
	}
	b.WriteString(": restore them, or name another directory")
	return b.String()
}

// checkFormer refuses to mix the rollouts of two runs.
func checkFormer(dir, was, now string) error {
	if now == "" || was == now {
		return nil
	}
	if was == "" {
		return fmt.Errorf("run directory %s has rollouts of its own: name a new directory for those of run %s", dir,
			now)
	}
	return fmt.Errorf("run directory %s has the rollouts of run %s: name a new directory for those of run %s", dir,
		was, now)
}

func short(values map[string]string, key string) string {
	v, ok := values[key]
	if !ok {
		return "not set"
	}
	return fmt.Sprintf("%q", wording.Clip(v, 48))
}

// checkBinding compares the settings that a run is bound to. The written ones went through redact,
// so the new ones do, too.
func checkBinding(dir string, was, now map[string]string, redact *Redactor) error {
	e := &BindingError{Dir: dir, Was: make(map[string]string), Now: make(map[string]string)}
	keys := maps.Clone(was)
	if keys == nil {
		keys = make(map[string]string)
	}
	maps.Copy(keys, now)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		a, had := was[k]
		b, has := now[k]
		if b = redact.String(b); a == b && had == has {
			continue
		}
		e.Keys = append(e.Keys, k)
		if had {
			e.Was[k] = a
		}
		if has {
			e.Now[k] = b
		}
	}
	if len(e.Keys) == 0 {
		return nil
	}
	return e
}
