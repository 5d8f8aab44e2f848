package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// KindWorkerLost is the kind of a rollout whose job was given up after workers were
// lost over it.
const KindWorkerLost = "worker_lost"

// landed is a result that is not recorded yet.
type landed struct {
	msg      jetstream.Msg   // nil of a record that the planner made itself
	rec      *rollout.Record // then
	delivery string
	before   bool // it was there when the planner began
}

// size is what it takes in memory, about.
func (l *landed) size() int {
	if l.msg == nil {
		return 0
	}
	return len(l.msg.Data()) + forHeads
}

// mostUnasked bounds what is kept of results that came though no one waits for
// them. What is more stays at the server, and comes again. Those that were there
// before are all kept: they are asked for soon, and paid.
const mostUnasked = 64 << 20

// leave is called when a record is written, or never will be.
func (p *Planner) leave(k key, l *landed, written bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !written {
		return
	}
	p.take(k)
	p.done[k.mark()] = markOf(l.delivery)
	if l.msg == nil {
		return
	}
	_ = l.msg.Ack() // one that is lost comes again, and is known
	if h := l.msg.Headers(); h.Get(storedHeader) != "" && p.ctx.Err() == nil {
		p.tasks.Go(func() { p.c.discard(p.ctx, p.names, h) })
	}
}

// read is the record of a result. One that cannot be read is a rollout lost. The
// error is the cause of ctx's end.
func (p *Planner) read(ctx context.Context, o *order, l *landed) (*rollout.Record, error) {
	if l.rec != nil {
		return l.rec, nil
	}
	rec := new(rollout.Record)
	body, err := p.c.unseal(ctx, p.names, l.msg.Headers(), l.msg.Data())
	if err == nil {
		err = rec.UnmarshalJSON(body)
	}
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil {
		err = p.of(o.job, rec)
	}
	if err != nil {
		return p.lostRecord(o.job, fmt.Sprintf("the result of worker %s cannot be read: %v",
			l.msg.Headers().Get(workerHeader), err)), nil
	}
	return rec, nil
}

// of refuses a record that is not one of the job.
func (p *Planner) of(job sampler.Rollout, rec *rollout.Record) error {
	it := job.Item
	switch {
	case rec.Key() != rollout.Key{Split: it.Split, Item: it.ID, Sample: job.Sample} || rec.Attempt != job.Attempt:
		return fmt.Errorf("it is of rollout %s/%s/%d", rec.Split, rec.Item, rec.Sample)
	case rec.TraceID != sampler.TraceID(p.plan.Seed, it.Split, it.ID, job.Sample, job.Attempt):
		return fmt.Errorf("it has the trace id %q of another rollout", rec.TraceID)
	case rec.Source != rollout.Live:
		return fmt.Errorf("it is of source %q, not made live", rec.Source)
	}
	return nil
}

// lostRecord is the record of a rollout that no worker could make.
func (p *Planner) lostRecord(job sampler.Rollout, why string) *rollout.Record {
	it := job.Item
	return &rollout.Record{
		Item: it.ID, Split: it.Split, Category: it.Category, Family: it.Family, Sample: job.Sample,
		Attempt: job.Attempt,
		Source:  rollout.Live, Outcome: rollout.ToolFailed, Kind: KindWorkerLost, Error: endpoint.Brief(why),
		TraceID: sampler.TraceID(p.plan.Seed, it.Split, it.ID, job.Sample, job.Attempt), Started: time.Now(),
	}
}

// gather takes a result from the server.
func (p *Planner) gather(m jetstream.Msg) {
	k, delivery := keyIn(m.Subject()), m.Headers().Get(deliveryHeader)
	before := false
	if meta, err := m.Metadata(); err == nil {
		before = meta.Sequence.Stream <= p.before
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !k.real() {
		_ = m.Term() // no job has such a key: it is no one's
		return
	}
	if was, recorded := p.done[k.mark()]; recorded {
		if was != markOf(delivery) {
			p.twice[k] = true
		}
		_ = m.Ack() // one that is lost comes again
		return
	}
	if p.landed[k] != nil {
		return // it comes again because it is not recorded yet
	}
	l := &landed{msg: m, delivery: delivery, before: before}
	if !before && p.wanted[k] == nil && p.kept+l.size() > mostUnasked {
		return
	}
	p.keep(k, l)
}

// keep keeps a result until it is recorded, and delivers it to its waiter. mu
// is held.
func (p *Planner) keep(k key, l *landed) {
	p.landed[k] = l
	p.kept += l.size()
	p.land(k, l)
}

// take forgets it. mu is held.
func (p *Planner) take(k key) {
	if l := p.landed[k]; l != nil {
		p.kept -= l.size()
		delete(p.landed, k)
	}
}

// madeTwice notes that a result found another one in its place: one that is
// recorded, or will be. mu is held.
func (p *Planner) madeTwice(k key, delivery string) {
	was, recorded := p.done[k.mark()]
	if recorded && was != markOf(delivery) || !recorded && (p.landed[k] != nil || p.wanted[k] != nil) {
		p.twice[k] = true
	}
}

// land delivers a result to its waiter. mu is held.
func (p *Planner) land(k key, l *landed) {
	if o := p.wanted[k]; o != nil && len(o.came) == 0 {
		o.came <- l
		if o.holder != nil {
			delete(o.holder.jobs, k)
		}
	}
}

// ungathered hears why results do not come.
func (p *Planner) ungathered(_ jetstream.ConsumeContext, err error) {
	if errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerNotFound) ||
		errors.Is(err, nats.ErrNoResponders) {
		p.fenced()
	}
}
