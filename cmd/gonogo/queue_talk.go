package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"gonogo/sampler/rollout"
)

// talk prints what a queue logs, a line each, or hands it on as events.
type talk struct {
	redact *rollout.Redactor

	mu sync.Mutex // guards w
	w  io.Writer
}

func newTalk(w io.Writer, redact *rollout.Redactor) *talk { return &talk{w: w, redact: redact} }

// to has it print elsewhere from now on.
func (t *talk) to(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w = w
}

// logger is who writes to it.
func (t *talk) logger() *slog.Logger {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.w.(*events); ok {
		return e.Logger
	}
	return slog.New(talkHandler{to: t})
}

// talkHandler words records for people.
type talkHandler struct {
	to    *talk
	attrs []slog.Attr
}

// Enabled leaves out what commands say by themselves.
func (h talkHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle prints one record.
func (h talkHandler) Handle(_ context.Context, r slog.Record) error {
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
	_, err := fmt.Fprintf(h.to.w, "note: %s\n", visible(h.to.redact.String(strings.Join(parts, ", "))))
	return err
}

// WithAttrs adds attributes to every record.
func (h talkHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.attrs = append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)
	return h
}

// WithGroup changes nothing: names of groups mean nothing to people.
func (h talkHandler) WithGroup(string) slog.Handler { return h }
