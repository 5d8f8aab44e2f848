package ui

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"gonogo/sampler/rollout"
)

// QueueLog prints what a queue logs, a line each, or hands it on as events.
type QueueLog struct {
	redact *rollout.Redactor

	mu sync.Mutex // guards w
	w  io.Writer
}

// NewQueueLog returns a QueueLog that writes to w, without the secrets that redact knows.
func NewQueueLog(w io.Writer, redact *rollout.Redactor) *QueueLog {
	return &QueueLog{w: w, redact: redact}
}

// To has it print elsewhere from now on.
func (t *QueueLog) To(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w = w
}

// Logger is who writes to it.
func (t *QueueLog) Logger() *slog.Logger {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.w.(*Events); ok {
		return e.Logger
	}
	return slog.New(queueHandler{to: t})
}

// queueHandler words records for people.
type queueHandler struct {
	to    *QueueLog
	attrs []slog.Attr
}

// Enabled leaves out what commands say by themselves.
func (h queueHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle prints one record.
func (h queueHandler) Handle(_ context.Context, r slog.Record) error {
	parts := []string{r.Message}
	add := func(a slog.Attr) bool {
		parts = append(parts, fmt.Sprintf("%s %v", a.Key, a.Value))
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	h.to.mu.Lock()
	defer h.to.mu.Unlock()
	_, err := fmt.Fprintf(h.to.w, "note: %s\n", Visible(h.to.redact.String(strings.Join(parts, ", "))))
	return err
}

// WithAttrs adds attributes to every record.
func (h queueHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.attrs = append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)
	return h
}

// WithGroup changes nothing: names of groups mean nothing to people.
func (h queueHandler) WithGroup(string) slog.Handler { return h }
