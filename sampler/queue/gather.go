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

// KindWorkerLost is the kind of a rollout that was given up because its workers were lost, or
// because its result cannot be read.
const KindWorkerLost = "worker_lost"

// landed is a result that is not recorded yet.
type landed struct {
	msg      jetstream.Msg   // nil for a record that the planner made itself
	rec      *rollout.Record // that record
	delivery string
	before   bool // it was stored before the planner started
}

// size returns roughly how many bytes it takes in memory.
func (l *landed) size() int {
	if l.msg == nil {
		return 0
	}
	return len(l.msg.Data()) + forHeads
}

// mostUnasked bounds the bytes of results that are kept although no order waits for them.
// Results beyond it stay on the server and are delivered again. Results that were stored
// before the planner started are all kept: they are paid for and will soon be wanted.
const mostUnasked = 64 << 20

// leave releases a result once its record is written. A result that was not written is kept.
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
	_ = l.msg.Ack() // if it is lost, the result comes again and is recognized
	if h := l.msg.Headers(); h.Get(storedHeader) != "" && p.ctx.Err() == nil {
		p.tasks.Go(func() { p.c.discard(p.ctx, p.names, h) })
	}
}

// read returns the record of a result. If the result cannot be read, it returns the record
// of a lost rollout. The error is the cause of ctx's end.
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

// of returns an error if the record does not belong to the job.
func (p *Planner) of(job sampler.Rollout, rec *rollout.Record) error {
	it := job.Item
	switch {
	case rec.Key() != rollout.Key{Split: it.Split, Item: it.ID, Sample: job.Sample} || rec.Attempt != job.Attempt:
		return fmt.Errorf("it belongs to rollout %s/%s/%d", rec.Split, rec.Item, rec.Sample)
	case rec.TraceID != sampler.TraceID(p.plan.Seed, it.Split, it.ID, job.Sample, job.Attempt):
		return fmt.Errorf("it has the trace id %q of another rollout", rec.TraceID)
	case rec.Source != rollout.Live:
		return fmt.Errorf("its source is %q, not live", rec.Source)
	}
	return nil
}

// lostRecord returns the record of a rollout that no worker could make.
func (p *Planner) lostRecord(job sampler.Rollout, why string) *rollout.Record {
	it := job.Item
	return &rollout.Record{
		Item: it.ID, Split: it.Split, Category: it.Category, Family: it.Family, Sample: job.Sample,
		Attempt: job.Attempt,
		Source:  rollout.Live, Outcome: rollout.ToolFailed, Kind: KindWorkerLost, Error: endpoint.Brief(why),
		TraceID: sampler.TraceID(p.plan.Seed, it.Split, it.ID, job.Sample, job.Attempt), Started: time.Now(),
	}
}

// gather handles a result that the server delivers.
func (p *Planner) gather(m jetstream.Msg) {
	k, delivery := keyIn(m.Subject()), m.Headers().Get(deliveryHeader)
	before := false
	if meta, err := m.Metadata(); err == nil {
		before = meta.Sequence.Stream <= p.before
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !k.valid() {
		_ = m.Term() // no job has such a key
		return
	}
	if was, recorded := p.done[k.mark()]; recorded {
		if was != markOf(delivery) {
			p.twice[k] = true
		}
		_ = m.Ack() // if it is lost, the result comes again
		return
	}
	if p.landed[k] != nil {
		return // redelivered because it is not recorded yet
	}
	l := &landed{msg: m, delivery: delivery, before: before}
	if !before && p.wanted[k] == nil && p.kept+l.size() > mostUnasked {
		return
	}
	p.keep(k, l)
}

// keep stores a result until it is recorded, and delivers it to its order. mu is held.
func (p *Planner) keep(k key, l *landed) {
	p.landed[k] = l
	p.kept += l.size()
	p.land(k, l)
}

// take removes a stored result. mu is held.
func (p *Planner) take(k key) {
	if l := p.landed[k]; l != nil {
		p.kept -= l.size()
		delete(p.landed, k)
	}
}

// madeTwice counts a rollout as paid twice if the result that a worker could not store
// differs from the one that is recorded, or that will be. mu is held.
func (p *Planner) madeTwice(k key, delivery string) {
	was, recorded := p.done[k.mark()]
	if recorded && was != markOf(delivery) || !recorded && (p.landed[k] != nil || p.wanted[k] != nil) {
		p.twice[k] = true
	}
}

// land delivers a result to its order, if there is one. mu is held.
func (p *Planner) land(k key, l *landed) {
	if o := p.wanted[k]; o != nil && len(o.came) == 0 {
		o.came <- l
		if o.holder != nil {
			delete(o.holder.jobs, k)
		}
	}
}

// gatherFailed checks the claim when the consumer of the results fails.
func (p *Planner) gatherFailed(_ jetstream.ConsumeContext, err error) {
	if errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerNotFound) ||
		errors.Is(err, nats.ErrNoResponders) {
		p.fenced()
	}
}
