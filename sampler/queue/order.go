package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// dispatcher holds the state of one call of Sample.
type dispatcher struct {
	queue endpoint.Queue
	ctx   context.Context // ends when the call ends
	stop  context.CancelFunc
	tasks sync.WaitGroup // requests waiting in endpoint queues, and the watch for a drain

	drained bool  // no further rollout starts; guarded by the planner's mu
	failed  error // why all orders were aborted; guarded by the planner's mu
}

// order is a job that a maker waits for.
type order struct {
	dispatcher *dispatcher
	key        key
	job        sampler.Rollout
	came       chan *landed  // capacity 1
	ended      chan struct{} // closed, with err set, when the rollout will not be made
	err        error
	holder     *worker     // the worker that has started it; nil if none has
	idle       time.Time   // since when no worker holds it
	stored     nats.Header // the header of its job message; nil if an earlier planner stored it
	inherited  bool        // an earlier planner stored it, and a worker of its process may have died with it
}

// Open starts a call of Sample. It returns the Maker and a function that ends the call.
func (p *Planner) Open(queue endpoint.Queue, drained <-chan struct{}) (sampler.Maker, func()) {
	ctx, stop := context.WithCancel(p.ctx)
	d := &dispatcher{queue: queue, ctx: ctx, stop: stop}
	p.mu.Lock()
	p.dispatcher = d
	p.mu.Unlock()
	d.tasks.Go(func() {
		select {
		case <-drained:
			p.withdraw(d)
		case <-ctx.Done():
		}
	})
	return func(ctx context.Context, job sampler.Rollout) (*rollout.Record, func(bool), error) {
			return p.make(ctx, d, job)
		}, func() {
			p.mu.Lock()
			p.dispatcher = nil
			for _, w := range p.workers {
				w.release()
			}
			p.mu.Unlock()
			stop()
			d.tasks.Wait()
		}
}

// make gets the record of one rollout: from a result that is already stored, or by publishing
// its job. The stored result is kept until the returned function is called with true.
func (p *Planner) make(ctx context.Context, d *dispatcher, job sampler.Rollout) (*rollout.Record, func(bool), error) {
	o := &order{
		dispatcher: d, key: keyOf(p.plan.Run, job.Item.Split, job.Item.ID, job.Sample, job.Attempt), job: job,
		came: make(chan *landed, 1), ended: make(chan struct{}), idle: time.Now(),
	}
	nothing := func(bool) {}
	if err := p.want(o); err != nil {
		return nil, nothing, err
	}
	defer p.unwant(o)
	if len(o.came) == 0 {
		if err := p.publish(ctx, o); err != nil {
			return nil, nothing, err
		}
	}
	select {
	case l := <-o.came:
		leave := func(written bool) { p.leave(o.key, l, written) }
		rec, err := p.read(ctx, o, l)
		return rec, leave, err
	case <-o.ended:
		return nil, nothing, o.err
	case <-ctx.Done():
		return nil, nothing, context.Cause(ctx)
	case <-p.ctx.Done():
		return nil, nothing, context.Cause(p.ctx)
	}
}

// want registers an order. If its result has already arrived, the order gets it at once.
func (p *Planner) want(o *order) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch d := o.dispatcher; {
	case d.failed != nil:
		return d.failed
	case p.landed[o.key] != nil:
		o.came <- p.landed[o.key]
	case d.drained:
		return sampler.ErrNotBegun
	}
	for _, w := range p.workers { // a worker may have started it under an earlier planner
		if w.jobs[o.key] {
			o.holder = w
		}
	}
	p.wanted[o.key] = o
	return nil
}

// unwant removes an order. A result that was not written goes to the next order of its key.
func (p *Planner) unwant(o *order) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.wanted, o.key)
	if o.err != nil && o.stored.Get(storedHeader) != "" && p.ctx.Err() == nil {
		p.tasks.Go(func() { p.c.discard(p.ctx, p.names, o.stored) })
	}
}

// end marks an order as one that will not be made. mu is held.
func (o *order) end(err error) {
	if o.err == nil {
		o.err = err
		close(o.ended)
	}
}

// publish stores an order's job, unless it is stored already.
func (p *Planner) publish(ctx context.Context, o *order) error {
	for swept := p.swept(o.key); swept != nil; swept = p.swept(o.key) {
		select {
		case <-swept:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	it := o.job.Item
	doing := fmt.Sprintf("store the job of rollout %s/%s/%d", it.Split, it.ID, o.job.Sample)
	body, err := encodeJob(o.job)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	m, err := p.c.seal(ctx, p.names, p.names.job(o.key), "job."+string(o.key)+"."+nuid.Next(), body, nats.Header{})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	exists, err := p.c.create(ctx, doing, p.names.jobs(), m)
	if exists || err != nil { // if the job is ours and only the receipt was lost, its reader hands it back
		p.c.discard(p.ctx, p.names, m.Header)
		p.mu.Lock()
		defer p.mu.Unlock()
		o.inherited = exists
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	o.stored = m.Header
	return nil
}

// swept returns a channel that is closed once the job's message is deleted, or nil if the
// message is not being deleted.
func (p *Planner) swept(k key) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sweeping[k]
}

// sweep deletes a job's message, then calls then, if it is not nil. mu is held.
func (p *Planner) sweep(k key, then func()) {
	if p.ctx.Err() != nil || p.sweeping[k] != nil {
		return
	}
	gone := make(chan struct{})
	p.sweeping[k] = gone
	p.tasks.Go(func() {
		err := p.c.persist(p.ctx, "withdraw a job", func(ctx context.Context) error {
			return p.jobs.Purge(ctx, jetstream.WithPurgeSubject(p.names.job(k)))
		})
		if err != nil && p.ctx.Err() == nil {
			p.c.log.Warn("queue", slog.String("error", endpoint.Brief(err.Error())))
		}
		p.mu.Lock()
		delete(p.sweeping, k)
		close(gone)
		p.mu.Unlock()
		if then != nil {
			then()
		}
	})
}

// again republishes the job of an order that is still wanted.
func (p *Planner) again(k key) {
	p.mu.Lock()
	o := p.wanted[k]
	p.mu.Unlock()
	if o == nil {
		return
	}
	if err := p.publish(p.ctx, o); err != nil && p.ctx.Err() == nil {
		p.mu.Lock()
		o.end(err)
		p.mu.Unlock()
	}
}

// withdraw ends the orders that no worker has started.
func (p *Planner) withdraw(d *dispatcher) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d.drained = true
	for k, o := range p.wanted {
		if o.dispatcher == d && o.holder == nil && len(o.came) == 0 {
			o.end(sampler.ErrNotBegun)
			p.sweep(k, nil)
		}
	}
}

// fail aborts all orders of the call. mu is held.
func (d *dispatcher) fail(p *Planner, err error) {
	if d.failed != nil {
		return
	}
	d.failed = err
	for k, o := range p.wanted {
		if o.dispatcher == d {
			o.end(err)
			p.sweep(k, nil)
		}
	}
}

// inheritAfter is after how many beats a planner knows what the workers of an earlier one hold.
const inheritAfter = 3

// inherit stores the jobs of an earlier planner again that no worker has named in its beats: the
// worker in that planner's own process died with it, and the server would wait for AckWait before it
// delivers them to another.
func (p *Planner) inherit() {
	wait := inheritAfter * p.plan.Lease / beatsPerLease
	if p.plan.Reconnects {
		wait += longestWait
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, o := range p.wanted {
		if o.inherited && time.Since(o.idle) > wait {
			o.inherited = false
			if o.holder == nil && o.err == nil && len(o.came) == 0 {
				o.idle = time.Now()
				p.sweep(k, func() { p.again(k) })
			}
		}
	}
}

// tend revives the jobs that no worker has held for twice AckWait.
func (p *Planner) tend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var idle []key
	for k, o := range p.wanted {
		if o.holder == nil && o.err == nil && len(o.came) == 0 && time.Since(o.idle) > 2*p.plan.AckWait {
			o.idle = time.Now()
			idle = append(idle, k)
		}
	}
	if len(idle) > 0 && p.ctx.Err() == nil {
		p.tasks.Go(func() { p.revive(idle) })
	}
}

// revive republishes jobs that would never be delivered. One kind was lost between being
// given back and being stored again. The other was deleted but reappeared, because the
// server was killed before the deletion reached its disk: the consumer of the jobs is
// already past it.
func (p *Planner) revive(idle []key) {
	list, err := p.jobs.Consumer(p.ctx, jobsConsumer)
	if err != nil {
		return // tend tries again later
	}
	past := list.CachedInfo().AckFloor.Stream
	for _, k := range idle {
		if _, err := p.results.GetLastMsgForSubject(p.ctx, p.names.result(k)); !errors.Is(err,
			jetstream.ErrMsgNotFound) {
			continue
		}
		switch m, err := p.jobs.GetLastMsgForSubject(p.ctx, p.names.job(k)); {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			p.again(k)
		case err == nil && m.Sequence <= past:
			p.mu.Lock()
			p.sweep(k, func() { p.again(k) })
			p.mu.Unlock()
		}
	}
}
