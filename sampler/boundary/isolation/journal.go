package isolation

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/disk"
)

// JournalFile exists in a run directory while a session is not stopped.
const JournalFile = "sessions.jsonl"

// Journal is a file of the sessions that were begun and not stopped. Each line is
// written, whole, before the action, so a killed process leaves no session
// that is not in it. It is not synced: a crash of the machine ends most sessions,
// too.
type Journal struct {
	path string
	f    *os.File
	torn bool            // the last line may be half written
	left map[string]line // not stopped
}

// line is one line of the journal.
type line struct {
	ID      string                     `json:"id"`
	TraceID string                     `json:"trace_id,omitempty"`
	Values  map[string]json.RawMessage `json:"values,omitempty"` // that its stop reads
	Stopped bool                       `json:"stopped,omitempty"`
}

// Record has the keeper write its sessions to path from now on, and returns those
// that an earlier call left there. No one else may use the path.
func (k *Keeper) Record(path string) ([]*sampler.RolloutSession, error) {
	if err := disk.CheckRegularFile(path); err != nil {
		return nil, err
	}
	j := &Journal{path: path, left: make(map[string]line)}
	order, err := j.read()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if j.f, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, fmt.Errorf("record the started sessions: %w", err)
	}
	// The end of a torn line must not swallow the next one.
	if _, err := j.f.WriteString("\n"); err != nil {
		return nil, errors.Join(fmt.Errorf("record the started sessions: %w", err), j.f.Close())
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.journal = j
	k.open = make(map[string]*state)
	var left []*sampler.RolloutSession
	for _, id := range order {
		if l, open := j.left[id]; open {
			left = append(left, &sampler.RolloutSession{ID: id, TraceID: l.TraceID, Values: l.Values})
		}
	}
	return left, nil
}

// read loads the file, and returns the order. A line that
// cannot be read is one that a kill tore, before the deed.
func (j *Journal) read() (order []string, err error) {
	text, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var l line
		switch {
		case jsontext.Unmarshal(lines.Bytes(), &l) != nil || l.ID == "":
		case l.Stopped:
			delete(j.left, l.ID)
		default:
			if _, known := j.left[l.ID]; !known {
				order = append(order, l.ID)
			}
			j.left[l.ID] = l
		}
	}
	return order, err
}

func (j *Journal) started(e *sampler.RolloutSession, values map[string]json.RawMessage) error {
	l := line{ID: e.ID, TraceID: e.TraceID, Values: values}
	j.left[e.ID] = l
	return j.write(l)
}

// stopped notes it of a session that was begun.
func (j *Journal) stopped(e *sampler.RolloutSession) error {
	if _, open := j.left[e.ID]; !open {
		return nil
	}
	delete(j.left, e.ID)
	return j.write(line{ID: e.ID, Stopped: true})
}

// holds reports whether a session was begun and not stopped.
func (j *Journal) holds(e *sampler.RolloutSession) bool {
	_, open := j.left[e.ID]
	return open
}

func (j *Journal) write(l line) error {
	text, err := json.Marshal(l)
	if j.torn { // its end must not swallow this one
		text = append([]byte{'\n'}, text...)
	}
	if err == nil {
		_, err = j.f.Write(append(text, '\n'))
		j.torn = err != nil
	}
	if err != nil {
		return fmt.Errorf("record the started sessions: %w", err)
	}
	return nil
}

// Close ends the journal, if there is one; the next Record begins another. The file
// is removed if nothing is left to stop.
func (k *Keeper) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	j := k.journal
	if j == nil {
		return nil
	}
	k.journal = nil
	err := j.f.Close()
	if err == nil && len(j.left) == 0 {
		err = os.Remove(j.path)
	}
	return err
}

// Recover stops what an earlier call left running, several at a time, and returns
// how many it stopped. What cannot be stopped stays in the journal.
func (k *Keeper) Recover(ctx context.Context, left []*sampler.RolloutSession) (stopped int, err error) {
	const atOnce = 16
	for batch := range slices.Chunk(left, atOnce) {
		errs := make(chan error, len(batch))
		for _, e := range batch {
			go func() { errs <- k.Stop(ctx, e) }()
		}
		for range batch {
			switch one := <-errs; {
			case one == nil:
				stopped++
			case err == nil:
				err = one
			}
		}
	}
	return stopped, err
}
