package viewer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gonogo/sampler/rollout"
)

// labels are the labels of a run's rollouts in labels.jsonl, which other programs may write too.
type labels struct {
	run *rollout.Run

	mu      sync.Mutex // guards the fields below
	byKey   map[rollout.Key][]rollout.Label
	version int
	size    int64
	time    time.Time
	err     error // of the last read
}

// all returns the labels by rollout, those without a split under the empty one, and a number that
// changes with them. The caller must not change the map.
func (l *labels) all() (map[rollout.Key][]rollout.Label, int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := os.Stat(filepath.Join(l.run.Dir, rollout.LabelsFile))
	if errors.Is(err, fs.ErrNotExist) {
		if l.byKey != nil {
			l.version++
		}
		l.byKey, l.size, l.err = nil, 0, nil
		return nil, l.version, nil
	}
	if err != nil {
		return nil, l.version, fmt.Errorf("read labels: %w", err)
	}
	if (l.byKey != nil || l.err != nil) && info.Size() == l.size && info.ModTime().Equal(l.time) {
		return l.byKey, l.version, l.err
	}
	l.size, l.time = info.Size(), info.ModTime()
	l.version++
	list, err := l.run.Labels()
	if l.err = err; err != nil {
		l.byKey = nil
		return nil, l.version, err
	}
	l.byKey = make(map[rollout.Key][]rollout.Label)
	for _, label := range list {
		if label.Sample != nil { // else it labels a text, which need not be that of a rollout
			k := rollout.Key{Split: label.Split, Item: label.Item, Sample: *label.Sample, Step: label.Step}
			l.byKey[k] = append(l.byKey[k], label)
		}
	}
	return l.byKey, l.version, nil
}

// unlabelled returns why labels cannot be saved; nil if they can.
func (s *side) unlabelled() error {
	switch {
	case s.names.redact:
		return errors.New("a redacted view does not save labels")
	case filepath.Base(s.run.File()) != rollout.RolloutsFile:
		return errors.New("labels are saved in a run directory, but this is a single file")
	}
	return nil
}
