package console

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// logHandler formats records for people.
type logHandler struct {
	print func(line string) error
	attrs []slog.Attr
}

// NewLogHandler returns a handler that prints warnings and errors, one per line, and drops the
// rest. It masks nothing. print must be safe for concurrent use.
func NewLogHandler(print func(line string) error) slog.Handler { return logHandler{print: print} }

// Enabled drops records below warnings, which commands print themselves.
func (h logHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle prints one record.
func (h logHandler) Handle(_ context.Context, r slog.Record) error {
	parts := []string{r.Message}
	add := func(a slog.Attr) bool {
		parts = append(parts, fmt.Sprintf("%s %v", a.Key, a.Value))
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	return h.print(strings.Join(parts, ", "))
}

// WithAttrs adds attributes to every record.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.attrs = append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)
	return h
}

// WithGroup changes nothing: group names mean nothing to people.
func (h logHandler) WithGroup(string) slog.Handler { return h }
