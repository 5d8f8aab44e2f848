package queue

import (
	"context"
	"errors"

	"gonogo/sampler/endpoint"
)

// lease is a worker's request to an endpoint. It waits in the planner's queue or has been
// granted. The planner's mu guards it.
type lease struct {
	endpoint string
	stop     context.CancelFunc     // ends the wait
	done     func(endpoint.Outcome) // ends the request; nil while it waits
}

const (
	mostLeases    = 1 << 15 // of one worker: more are ignored until its next beat
	mostEndpoints = 1 << 10 // of all
)

// isEndpoint reports whether the name of an endpoint is accepted. The number of names is
// bounded because each gets a queue that is never removed. mu is held.
func (p *Planner) isEndpoint(name string) bool {
	if !p.endpoints[name] && len(name) <= 256 && len(p.endpoints) < mostEndpoints {
		p.endpoints[name] = true
	}
	return p.endpoints[name]
}

// enter puts a worker's request into the endpoint's queue. A request that is reported again
// because the grant was lost is granted again. mu is held.
func (p *Planner) enter(w *worker, id uint64, name string) {
	if l := w.leases[id]; l != nil {
		if l.done != nil {
			p.tell(w.Worker, plannerReply{Op: opGrant, ID: id})
		}
		return
	}
	d := p.dispatcher
	if d == nil || len(w.leases) >= mostLeases || !p.isEndpoint(name) {
		return // the worker's beats repeat it
	}
	ctx, stop := context.WithCancel(d.ctx)
	l := &lease{endpoint: name, stop: stop}
	w.leases[id] = l
	d.tasks.Go(func() {
		defer stop()
		done, err := d.queue.Enter(ctx, name)
		p.entered(w, id, l, done, err)
	})
}

// entered tells the worker the outcome of its request's wait.
func (p *Planner) entered(w *worker, id uint64, l *lease, done func(endpoint.Outcome), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	end, dead := errors.AsType[*endpoint.Error](err)
	switch {
	case w.leases[id] != l: // it was released in the same moment
		if err == nil {
			done(endpoint.Outcome{})
		}
	case err == nil:
		l.done = done
		p.tell(w.Worker, plannerReply{Op: opGrant, ID: id})
	default:
		delete(w.leases, id)
		if dead {
			p.tell(w.Worker, plannerReply{Op: opDead, ID: id, End: sendEnd(end)})
		}
	}
}

// leave ends a request that was granted, or its wait.
func (w *worker) leave(id uint64, came endpoint.Outcome) {
	l := w.leases[id]
	if l == nil {
		return
	}
	delete(w.leases, id)
	if l.done != nil {
		l.done(came)
		return
	}
	l.stop()
}

func (p *Planner) rest(w *worker, id uint64, name string) {
	if w.rests[id] == nil && p.dispatcher != nil && len(w.rests) < mostLeases && p.isEndpoint(name) {
		w.rests[id] = p.dispatcher.queue.Rest(name)
	}
}

func (w *worker) rise(id uint64) {
	if rise := w.rests[id]; rise != nil {
		delete(w.rests, id)
		rise()
	}
}

// release ends all requests and rests of a worker. The outcome of its requests is unknown.
func (w *worker) release() {
	for id := range w.leases {
		w.leave(id, endpoint.Outcome{})
	}
	for id := range w.rests {
		w.rise(id)
	}
}

// reconcile updates the planner's view of a worker to what the worker reports, because
// either may have missed a message. Unknown requests that are already in flight enter their
// queues before those that wait. mu is held.
func (p *Planner) reconcile(w *worker, b *beat) {
	w.beat = beat{Made: b.Made, Missing: b.Missing, Lacks: endpoint.Brief(b.Lacks)}
	has := map[uint64]bool{}
	for name, all := range b.Held {
		for _, id := range all {
			has[id] = true
			if w.leases[id] == nil {
				p.enter(w, id, name)
			}
		}
	}
	for name, all := range b.Waiting {
		for _, id := range all {
			has[id] = true
			p.enter(w, id, name)
		}
	}
	for id := range w.leases {
		if !has[id] {
			w.leave(id, endpoint.Outcome{})
		}
	}
	clear(has)
	for name, all := range b.Resting {
		for _, id := range all {
			has[id] = true
			p.rest(w, id, name)
		}
	}
	for id := range w.rests {
		if !has[id] {
			w.rise(id)
		}
	}
	p.reconcileJobs(w, b.Jobs)
}

// reconcileJobs does the same for the jobs.
func (p *Planner) reconcileJobs(w *worker, jobs []key) {
	has := make(map[key]bool, len(jobs))
	for _, k := range jobs {
		if has[k] = true; !k.valid() {
			continue
		}
		if _, recorded := p.done[k.mark()]; recorded || w.jobs[k] || p.landed[k] != nil {
			continue
		}
		if o := p.wanted[k]; o == nil || o.holder == nil {
			w.jobs[k] = true // started under an earlier planner
			if o != nil {
				o.holder = w
			}
		}
	}
	for k := range w.jobs {
		if !has[k] {
			p.dropped(w, k)
		}
	}
}
