package limit

import (
	"testing"
	"time"
)

func TestAsks(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		why  string
		said Quotas
		want time.Duration
	}{
		{"nothing said", Quotas{}, 0},
		{"used up for a time that is waited for", Quotas{Requests: Quota{Known: true, Reset: Patience}}, 0},
		{"used up for three days", Quotas{Requests: Quota{Known: true, Reset: 3 * day}}, 3 * day},
		{"the longer of both", Quotas{Quota{Known: true, Reset: day}, Quota{Known: true, Reset: 2 * day}}, 2 * day},
		{"something left", Quotas{Tokens: Quota{Known: true, Left: 10, Reset: day}}, 0},
	} {
		if got := c.said.Asks(); got != c.want {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

func TestPausedSaysWhy(t *testing.T) {
	minute := func(c Class) Result { return Result{Class: c, RetryAfter: time.Minute} }
	for _, c := range []struct {
		want Hold
		cfg  Limits
		play func(d *desk)
	}{
		{"", Limits{}, func(d *desk) { d.alone(served()) }},
		{Asked, Limits{}, func(d *desk) { d.alone(minute(Limited)) }},
		{Headers, Limits{}, func(d *desk) {
			d.alone(Result{Class: Served, Quotas: Quotas{Requests: Quota{Known: true, Reset: time.Minute}}})
		}},
		{Trouble, Limits{}, func(d *desk) {
			for range 8 {
				d.alone(Result{Class: Broken})
			}
		}},
		{Minute, Limits{Requests: 60}, func(d *desk) { d.fill() }},
	} {
		d := newDesk(t, c.cfg)
		c.play(d)
		wait, why := d.l.Paused(d.now)
		d.wants("why", why, c.want)
		d.wants("paused", wait > 0, c.want != "")
	}
}
