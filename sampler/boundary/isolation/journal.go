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

// Journal is a file that lists the sessions that were started and not stopped. A start is recorded
// before it happens, as a whole line, so a killed process leaves no session that is not listed. The
// file is not synced: a crash of the machine ends most sessions, too.
type Journal struct {
	path string
	f    *os.File
	torn bool            // the last line may be incomplete
	left map[string]line // sessions that are not stopped, by id
}

// line is one line of the journal.
type line struct {
	ID      string                     `json:"id"`
	TraceID string                     `json:"trace_id,omitempty"`
	Values  map[string]json.RawMessage `json:"values,omitempty"` // the values that the stop reads
	Stopped bool                       `json:"stopped,omitempty"`
}

// Record makes the keeper write its sessions to path from now on, and returns the sessions that an
// earlier invocation left there, in order. Only one keeper may use the path.
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
	// Without it, the next line would be appended to an incomplete one.
	if _, err := j.f.WriteString("\n"); err != nil {
		return nil, errors.Join(fmt.Errorf("record the started sessions: %w", err), j.f.Close())
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.journal = j
	k.open = make(map[string]*state)
	var unstopped []*sampler.RolloutSession
	for _, id := range order {
		if l, open := j.left[id]; open {
			unstopped = append(unstopped, &sampler.RolloutSession{ID: id, TraceID: l.TraceID, Values: l.Values})
		}
	}
	return unstopped, nil
}

// read loads the file and returns the ids in order. It skips invalid lines: the process was killed
// while it wrote them, before the action.
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

// stopped records that a session was stopped. It ignores a session that is not in the journal.
func (j *Journal) stopped(e *sampler.RolloutSession) error {
	if _, open := j.left[e.ID]; !open {
		return nil
	}
	delete(j.left, e.ID)
	return j.write(line{ID: e.ID, Stopped: true})
}

// holds reports whether a session was started and not stopped.
func (j *Journal) holds(e *sampler.RolloutSession) bool {
	_, open := j.left[e.ID]
	return open
}

func (j *Journal) write(l line) error {
	text, err := json.Marshal(l)
	if j.torn { // otherwise this line would be appended to the incomplete one
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

// Close closes the journal, if any; the next Record opens another. It removes the file if all
// sessions are stopped.
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

// Recover stops sessions that an earlier invocation left running, up to 16 at a time, and returns how
// many it stopped and the first error. Sessions that cannot be stopped stay in the journal.
func (k *Keeper) Recover(ctx context.Context, sessions []*sampler.RolloutSession) (stopped int, err error) {
	const atOnce = 16
	for batch := range slices.Chunk(sessions, atOnce) {
		errs := make(chan error, len(batch))
		for _, e := range batch {
			go func() { errs <- k.Stop(ctx, e) }()
		}
		for range batch {
			switch stopErr := <-errs; {
			case stopErr == nil:
				stopped++
			case err == nil:
				err = stopErr
			}
		}
	}
	return stopped, err
}
