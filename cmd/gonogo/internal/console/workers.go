package console

import (
	"fmt"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/queue"
)

// waitForWorkers is how long a run may be without workers before it says so.
const waitForWorkers = 10 * time.Second

// Workers reports news about the workers of a run while they make it. It must only be used by one
// goroutine.
type Workers struct {
	planner  *queue.Planner
	conn     *queue.Conn // the connection to the queue
	begin    time.Time
	reported map[string]string // the last report on each worker, by id
	missed   bool              // whether the lack of workers was reported
	ended    bool              // no more rollouts are made
}

// NewWorkers returns the workers of a planner, with the connection to its queue. It starts
// measuring time.
func NewWorkers(planner *queue.Planner, conn *queue.Conn) *Workers {
	return &Workers{planner: planner, conn: conn, begin: time.Now()}
}

// Watch receives the counts and returns news about the workers.
func (c *Workers) Watch(e sampler.Event) []string {
	if c.ended {
		return nil
	}
	c.planner.Tell(e)
	var news []string
	available := false
	workers := c.planner.Workers()
	reported := make(map[string]string, len(workers)) // workers no longer listed are forgotten
	for _, w := range workers {
		text := w.Lacks
		switch {
		case text != "":
			text = "takes no jobs: " + text
		case w.Lost:
			text = fmt.Sprintf("has been silent for %s and is lost; its rollouts go to others",
				w.Silent.Round(time.Second))
		case w.Left:
			text = "has left"
		default:
			available, text = true, fmt.Sprintf("is ready, with room for %s at once", Count(w.Slots, "rollout"))
		}
		reported[w.ID] = w.Lacks + fmt.Sprint(w.Lost, w.Left)
		if c.reported[w.ID] != reported[w.ID] {
			news = append(news, fmt.Sprintf("worker %s (pid %d) %s", w.Host, w.PID, text))
		}
	}
	c.reported = reported
	if !available && !c.missed && time.Since(c.begin) > waitForWorkers {
		c.missed = true
		news = append(news, "no worker is ready yet: start some with gonogo worker, or see why they take no jobs "+
			"with gonogo status")
	}
	c.missed = c.missed && !available
	return news
}

// Again says that more rollouts are made.
func (c *Workers) Again() { c.ended = false }

// Over says that no more rollouts are made, so that leaving workers are not reported.
func (c *Workers) Over() { c.ended = true }

// Line says how many workers are active, and what was paid twice.
func (c *Workers) Line() []string {
	n := 0
	for _, w := range c.planner.Workers() {
		if !w.Left && !w.Lost && w.Lacks == "" {
			n++
		}
	}
	out := []string{Count(n, "worker")}
	if twice := c.planner.PaidTwice(); twice > 0 {
		out = append(out, fmt.Sprintf("paid twice %d", twice))
	}
	if since := c.conn.Away(); !since.IsZero() {
		out = append(out, "the queue has been unreachable for "+Span(time.Since(since)))
	}
	return out
}
