package console

import (
	"fmt"
	"io"
	"log/slog"
	"sync"

	"gonogo/sampler/rollout"
)

// QueueLog prints what a queue logs, one line each, or passes it on as events.
type QueueLog struct {
	redact *rollout.Redactor

	mu sync.Mutex // guards w
	w  io.Writer
}

// NewQueueLog returns a QueueLog that writes to w, without the secrets that redact knows.
func NewQueueLog(w io.Writer, redact *rollout.Redactor) *QueueLog {
	return &QueueLog{w: w, redact: redact}
}

// To changes the writer.
func (t *QueueLog) To(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w = w
}

// Logger returns a logger that writes to the QueueLog.
func (t *QueueLog) Logger() *slog.Logger {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.w.(*Events); ok {
		return e.Logger
	}
	return slog.New(NewLogHandler(func(line string) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		_, err := fmt.Fprintf(t.w, "note: %s\n", Visible(t.redact.String(line)))
		return err
	}))
}
