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

// labels is what people said of a run's rollouts, as labels.jsonl has it: other
// programs may write it too.
type labels struct {
	run *rollout.Run

	mu      sync.Mutex // guards what follows
	of      map[rollout.Key][]rollout.Label
	version int
	size    int64
	time    time.Time
	err     error // why the file cannot be read
}

// all returns the labels by rollout, those that name no split under none, and
// a number that changes when they do. The map is not to be changed.
func (l *labels) all() (map[rollout.Key][]rollout.Label, int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := os.Stat(filepath.Join(l.run.Dir, rollout.LabelsFile))
	if errors.Is(err, fs.ErrNotExist) {
		if l.of != nil {
			l.version++
		}
		l.of, l.size, l.err = nil, 0, nil
		return nil, l.version, nil
	}
	if err != nil {
		return nil, l.version, fmt.Errorf("read labels: %w", err)
	}
	if (l.of != nil || l.err != nil) && info.Size() == l.size && info.ModTime().Equal(l.time) {
		return l.of, l.version, l.err
	}
	l.size, l.time = info.Size(), info.ModTime()
	l.version++
	list, err := l.run.Labels()
	if l.err = err; err != nil {
		l.of = nil
		return nil, l.version, err
	}
	l.of = make(map[rollout.Key][]rollout.Label)
	for _, label := range list {
		if label.Sample != nil { // else it is of a text that no rollout needs to have given
			k := rollout.Key{Split: label.Split, Item: label.Item, Sample: *label.Sample, Step: label.Step}
			l.of[k] = append(l.of[k], label)
		}
	}
	return l.of, l.version, nil
}

// unlabelled says why labels cannot be kept; nil if they can.
func (s *side) unlabelled() error {
	switch {
	case s.names.redact:
		return errors.New("a redacted view keeps no labels")
	case filepath.Base(s.run.File()) != rollout.RolloutsFile:
		return errors.New("labels are kept in a run directory, and this is a single file")
	}
	return nil
}
