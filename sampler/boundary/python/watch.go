package python

import (
	"fmt"
	"time"

	"gonogo/sampler/boundary/internal/process"
)

// watchEvery is the interval between inspections; a call that is shorter is not inspected.
const watchEvery = 250 * time.Millisecond

// watch kills workers whose processes together exceed the limits of a worker. The system's limits
// apply to each process separately, and some do not apply to root at all.
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

// busySince lists the workers whose current call started before a time.
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

// inspect kills each worker whose processes are too many or use too much memory.
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

// overuse kills a worker, unless its call has ended in the meantime.
func (p *Pool) overuse(w *worker, since time.Time, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy[w] == since {
		w.overuse.Store(&why)
		process.KillTree(w.cmd.Process.Pid, w.pidns)
	}
}
