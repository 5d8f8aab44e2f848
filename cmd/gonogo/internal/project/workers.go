package project

import (
	"fmt"
	"time"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/queue"
)

// workers shows the workers of a run while they make it.
type workers struct {
	planner *queue.Planner
	conn    *queue.Conn // to where it leads
	begin   time.Time
	told    map[string]string // of each worker, by id: what was said last
	missed  bool              // that there is none
	ended   bool              // nothing more is made
}

func newCrew(planner *queue.Planner, conn *queue.Conn) *workers {
	return &workers{planner: planner, conn: conn, begin: time.Now(), told: make(map[string]string)}
}

// Watch hands on the counts and returns what is new about the workers.
func (c *workers) Watch(e sampler.Event) []string {
	if c.ended {
		return nil
	}
	c.planner.Tell(e)
	var news []string
	there := false
	for _, w := range c.planner.Workers() {
		says := w.Lacks
		switch {
		case says != "":
			says = "takes no jobs: " + says
		case w.Lost:
			says = fmt.Sprintf("has been silent for %s and is lost; its rollouts go to others", w.Silent.Round(time.Second))
		case w.Left:
			says = "has left"
		default:
			there, says = true, fmt.Sprintf("is there, with room for %s at once", ui.Count(w.Slots, "rollout"))
		}
		if kind := w.Lacks + fmt.Sprint(w.Lost, w.Left); c.told[w.ID] != kind {
			c.told[w.ID] = kind
			news = append(news, fmt.Sprintf("worker %s (pid %d) %s", w.Host, w.PID, says))
		}
	}
	if !there && !c.missed && time.Since(c.begin) > waitForWorkers {
		c.missed = true
		news = append(news, "no worker is there yet: start some with gonogo worker, or look why they take no jobs with gonogo status")
	}
	c.missed = c.missed && !there
	return news
}

// Over says that nothing more is made: who leaves is no news.
func (c *workers) Over() { c.ended = true }

// Line tells how many work, and what was paid twice.
func (c *workers) Line() []string {
	n := 0
	for _, w := range c.planner.Workers() {
		if !w.Left && !w.Lost && w.Lacks == "" {
			n++
		}
	}
	out := []string{ui.Count(n, "worker")}
	if twice := c.planner.PaidTwice(); twice > 0 {
		out = append(out, fmt.Sprintf("paid twice %d", twice))
	}
	if away := c.conn.Away(); !away.IsZero() {
		out = append(out, "the queue is away for "+ui.FormatSpan(time.Since(away)))
	}
	return out
}
