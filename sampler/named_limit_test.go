package sampler_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"gonogo/sampler/rollout"
)

// metered is a model server with a bucket of a second's worth of requests, which it
// names in its headers as OpenAI does: what is left, when there is more, and
// Retry-After in whole seconds.
type metered struct {
	perMinute, level float64
	at               time.Time
	served, refused  int
}

func (n *metered) answer(took time.Duration) reply {
	now, rate := time.Now(), n.perMinute/60
	if n.at.IsZero() {
		n.level, n.at = rate, now
	}
	n.level, n.at = min(rate, n.level+rate*now.Sub(n.at).Seconds()), now
	var a reply
	missing := time.Duration(0)
	if n.level >= 1-1e-9 {
		n.level--
		n.served++
		a, a.wait = says("42"), took
	} else {
		missing = time.Duration((1 - n.level) / rate * float64(time.Second))
		n.refused++
		a = fails(429)
	}
	a.header = map[string]string{
		"X-Ratelimit-Limit-Requests":     strconv.Itoa(int(n.perMinute)),
		"X-Ratelimit-Remaining-Requests": strconv.Itoa(int(n.level + 1e-9)),
		"X-Ratelimit-Reset-Requests":     missing.Round(time.Millisecond).String(),
	}
	if a.status == 429 {
		a.header["Retry-After"] = strconv.Itoa(int(math.Ceil(missing.Seconds())))
	}
	return a
}

// A limit that the server names holds under a fixed concurrency too. Of some 50 runs
// each, quick answers had no request refused and took 1.001 of the best time; with
// answers of a second, 6 to 21 were refused and it took at most 1.055.
func TestLongALimitThatTheServerNamesHoldsUnderAFixedConcurrency(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	for _, c := range []struct {
		why     string
		fixed   int
		took    time.Duration
		refused int     // requests, at most
		most    float64 // of the time, in shares of the best
	}{
		{"64 at once, quick answers", 64, 50 * time.Millisecond, 5, 1.01},
		{"256 at once, quick answers", 256, 50 * time.Millisecond, 5, 1.01},
		{"64 at once, answers of a second", 64, time.Second, 30, 1.07},
	} {
		t.Run(c.why, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				const rollouts, turns = 1600, 3
				server := &metered{perMinute: 3000}
				w.cfg.Concurrency = c.fixed
				w.model = func(r modelRequest) reply {
					w.mu.Lock()
					defer w.mu.Unlock()
					a := server.answer(c.took)
					if a.status == 0 && r.Turn < turns-1 {
						a.body = wants("search").body
					}
					return a
				}
				begin := time.Now()
				stats, err := w.sample(t.Context(), nil, rollouts/8, 8, &list{})
				w.check(err)
				// The first 50 pass at once, the others at 50 a second.
				took, ideal := time.Since(begin).Seconds(), (rollouts*turns-50)/50.0+c.took.Seconds()
				t.Logf("%d refused of %d, %.1f s, at best %.1f s: %.3f", server.refused, server.served, took, ideal, took/ideal)
				if stats.Outcomes[rollout.Graded] != rollouts || server.refused > c.refused || took > c.most*ideal {
					t.Errorf("outcomes %v, %d requests refused, want at most %d; %.1f s, want at most %.2f × %.1f s", stats.Outcomes, server.refused, c.refused, took, c.most, ideal)
				}
			})
		})
	}
}
