package python

import (
	"fmt"
	"time"

	"gonogo/sampler/boundary/internal/process"
)

// watchEvery is how often workers that are busy for long are looked at.
const watchEvery = 250 * time.Millisecond

// watch ends workers whose processes together use more than one may: limits
// hold for each process alone, and some do not hold for root at all.
func (p *Pool) watch() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case now := <-tick.C:
			if busy := p.busySince(now.Add(-watchEvery)); len(busy) > 0 {
				p.inspect(busy)
			}
		}
	}
}

// busySince lists the workers that make one call since before a time.
func (p *Pool) busySince(before time.Time) map[*worker]time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[*worker]time.Time)
	for w, since := range p.busy {
		if since.Before(before) {
			out[w] = since
		}
	}
	return out
}

// inspect looks at the processes of each worker and ends it where they are too
// many or too large.
func (p *Pool) inspect(busy map[*worker]time.Time) {
	table := process.Processes()
	for w, since := range busy {
		pid := w.cmd.Process.Pid
		below := append(table.Below(pid), pid)
		why := ""
		if len(below) > processes {
			why = fmt.Sprintf("it had %d processes at once, and may have at most %d", len(below), processes)
		} else if size := table.Memory(below, p.cfg.Memory); size > p.cfg.Memory {
			why = fmt.Sprintf("its processes used %d MB of memory together, and may use at most %d", size>>20,
				p.cfg.Memory>>20)
		}
		if why != "" {
			p.overuse(w, since, why)
		}
	}
}

// overuse kills a worker, unless its call has ended meanwhile.
func (p *Pool) overuse(w *worker, since time.Time, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy[w] == since {
		w.overuse.Store(&why)
		process.KillTree(w.cmd.Process.Pid, w.own)
	}
}
