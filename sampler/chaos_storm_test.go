package sampler_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"gonogo/fixtures/chaos"
	"gonogo/sampler"
	"gonogo/sampler/endpoint"
)

// Storms of 429s lose nothing; the limit shrinks in them, and grows again.
func TestLongChaosStorms(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	t.Parallel()
	refusal, late := chaos.Find("429")[0], chaos.Find("late")[0]
	o := ordeal{items: 50, samples: 5, cfg: chaosConfig(patient), pause: 60 * time.Millisecond}
	storms, calm, came := chaos.Storms(&refusal, 60, 10, "model"), chaos.First(&late, 1000, "model"), 0
	o.plan = func(r chaos.Request) *chaos.Fault {
		if came++; came < 600 { // of all endpoints
			return chaos.Any(storms, calm)(r)
		}
		return calm(r)
	}
	var limits modelLimits
	o.log = &limits
	grown := 0 // how far above the least of them it was later
	o.watch = func(e sampler.Event) {
		for _, b := range e.Boundaries {
			if least := int(limits.least.Load()); b.Name == endpoint.Model && least > 0 {
				grown = max(grown, b.Limit-least)
			}
		}
	}
	out := o.run(t)
	if graded := out.reconcile(250); graded != 250 || limits.least.Load() == 0 || grown == 0 {
		t.Errorf("%d of 250 are graded; the limit was %d at least, and later up to %d more\n%s", graded, limits.least.Load(), grown, out.causes())
	}
}

// modelLimits is a log that remembers the least limit of the model's endpoint that
// it learns of.
type modelLimits struct{ least atomic.Int64 }

func (m *modelLimits) Enabled(context.Context, slog.Level) bool { return true }
func (m *modelLimits) WithAttrs([]slog.Attr) slog.Handler       { return m }
func (m *modelLimits) WithGroup(string) slog.Handler            { return m }

func (m *modelLimits) Handle(_ context.Context, r slog.Record) error {
	told := map[string]slog.Value{}
	r.Attrs(func(a slog.Attr) bool {
		told[a.Key] = a.Value
		return true
	})
	if n, was := told["limit"], m.least.Load(); r.Message == "limit" && told["boundary"].String() == endpoint.Model && (was == 0 || n.Int64() < was) {
		m.least.Store(n.Int64())
	}
	return nil
}

// A 429 that says when to come again is taken at its word by all.
func TestChaosRetryAfter(t *testing.T) {
	for name, boundary := range map[string]string{"429_seconds": "model", "429_date": "grader"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fault := chaos.Find(name)[0]
			o := ordeal{items: 3, samples: 2, cfg: chaosConfig(patient)}
			var refused, next time.Time
			o.plan = func(r chaos.Request) *chaos.Fault {
				switch {
				case r.Boundary != boundary:
				case refused.IsZero():
					refused = time.Now()
					return &fault
				case next.IsZero():
					next = time.Now()
				}
				return nil
			}
			out := o.run(t)
			if graded := out.reconcile(6); graded != 6 {
				t.Errorf("%d of 6 are graded: %s", graded, out.causes())
			}
			until := refused.Add(time.Second)
			if name == "429_date" {
				until = until.Truncate(time.Second) // a date has no less
			}
			if next.Before(until) {
				t.Errorf("refused at %v, the next came at %v, want none before %v", refused, next, until)
			}
		})
	}
}
