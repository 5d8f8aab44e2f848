package agent

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// LogFile is the name of a Log's file in the run directory.
const LogFile = "agent.log"

// largestLog is the maximum size of the log, in bytes: a noisy agent must not fill the disk.
const largestLog = 64 << 20

// mostBefore is how much is kept before the log is opened, in bytes: an MCP server starts before the
// run directory exists.
const mostBefore = 64 << 10

// Log writes the standard error of programs, of an agent or of MCP servers, to a file in a run
// directory, without secrets and at most 64 MiB. A nil Log opens and closes nothing. It is safe for
// concurrent use.
type Log struct {
	mu      sync.Mutex // guards the fields below
	file    *os.File
	written int64
	redact  *rollout.Redactor
	early   []byte // written before the log was opened
}

// Open opens the log in a run directory.
func (l *Log) Open(dir string, redact *rollout.Redactor) error {
	if l == nil {
		return nil
	}
	path := filepath.Join(dir, LogFile)
	if err := disk.CheckRegularFile(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file, l.written, l.redact = f, info.Size(), redact
	l.write(l.early)
	l.early = nil
	return nil
}

// Write logs a piece of a process's output. It never fails: a log is not worth a rollout.
func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		l.early = append(l.early, b[:min(len(b), mostBefore-len(l.early))]...)
	} else {
		l.write(b)
	}
	return len(b), nil
}

// write writes b, unless the log is full. The caller must hold mu.
func (l *Log) write(b []byte) {
	if len(b) == 0 || l.written >= largestLog {
		return
	}
	text := []byte(l.redact.String(string(b)))
	if l.written += int64(len(text)); l.written >= largestLog {
		text = append(bytes.Clone(text), "\n(the log ends here: it is full)\n"...)
	}
	_, _ = l.file.Write(text)
}

// Close closes the log, if it is open.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
