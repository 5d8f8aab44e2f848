package console

import (
	"bytes"
	"cmp"
	"io"
	"log/slog"
	"strings"
	"sync"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// Events writes events as JSON, one per line. Each line of text written to it becomes an event.
type Events struct {
	*slog.Logger

	mu     sync.Mutex // guards the fields below
	rest   []byte     // an unfinished line
	redact *rollout.Redactor
}

// NewEvents returns an Events that writes JSON lines to w.
func NewEvents(w io.Writer) *Events {
	e := &Events{redact: rollout.NewRedactor()}
	e.Logger = slog.New(slog.NewJSONHandler(w,
		&slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch {
			case a.Key == slog.LevelKey:
				return slog.Attr{}
			case a.Key == slog.MessageKey:
				a.Key = "event"
			case a.Value.Kind() == slog.KindString:
				a.Value = slog.StringValue(e.masked(a.Value.String()))
			}
			return a
		}}))
	return e
}

// Masks hides secrets in everything written from now on.
func (e *Events) Masks(r *rollout.Redactor) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.redact = r
}

func (e *Events) masked(text string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.redact.String(text)
}

// Write makes an event of each finished line.
func (e *Events) Write(b []byte) (int, error) {
	e.mu.Lock()
	e.rest = append(e.rest, b...)
	end := bytes.LastIndexByte(e.rest, '\n')
	var text string
	if end >= 0 {
		text = string(e.rest[:end])
		e.rest = append(e.rest[:0], e.rest[end+1:]...)
	}
	e.mu.Unlock()
	e.say(text)
	return len(b), nil
}

// Flush makes an event of a last line without a line break.
func (e *Events) Flush() {
	e.mu.Lock()
	text := string(e.rest)
	e.rest = nil
	e.mu.Unlock()
	e.say(text)
}

// say makes an event of each line.
func (e *Events) say(text string) {
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			e.Info("message", "text", line)
		}
	}
}

// Begun writes an event for the start of work, such as rollouts, with its limits.
func (e *Events) Begun(what string, total int, cfg sampler.Config) {
	inFlight := cmp.Or(cfg.Rollouts, cfg.Concurrency, sampler.DefaultRollouts)
	e.Info("start", "what", what, "total", total, "concurrency", cfg.Concurrency, "in_flight_max", inFlight,
		"retries", cfg.Retry.Max, "retry_for_s", cfg.Retry.Total.Seconds(), "breaker", cfg.Breaker)
}

// state writes an event with the progress and the state of each endpoint.
func (e *Events) state(what string, total int, ev sampler.Event) {
	e.Info("progress", append(counts(what, total, ev.Stats), "in_flight", ev.InFlight)...)
	for _, b := range ev.Boundaries {
		e.Info("boundary", "boundary", b.Name, "in_flight", b.InFlight, "waiting", b.Waiting, "limit", b.Limit,
			"paused_s", b.Paused.Seconds(), "paused_by", string(b.Why), "held_by", string(b.HeldBy), "silent_s",
			b.Silent.Seconds(),
			"rate", b.Rate, "p95_s", b.P95.Seconds(), "requests", b.Requests, "errors", b.Errors, "cause", b.Cause,
			"limited", b.Limited, "retries", b.Retries)
	}
}

// ended writes an event with the reason for the end; it is empty if everything was done.
func (e *Events) ended(what string, total int, s sampler.Stats) {
	e.state(what, total, sampler.Event{Stats: s, InFlight: 0})
	e.Info("stop", append(counts(what, total, s), "stopped_by", string(s.StoppedBy), "elapsed_s",
		s.Elapsed.Seconds())...)
}

func counts(what string, total int, s sampler.Stats) []any {
	return []any{
		"what", what, "recorded", s.Recorded, "total", total, "outcomes", s.Outcomes, "tokens", s.Tokens,
		"tool_calls", s.ToolCalls,
	}
}
