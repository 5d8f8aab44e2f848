package main

import (
	"context"
	"errors"
	"fmt"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/queue"
)

// readyQueue reaches the queue before anything is asked or paid, and finds what may
// not travel.
func (p *project) readyQueue(ctx context.Context, c *call) error {
	q := p.cfg.Queue
	p.cluster.untried = c.DespiteProblems
	if err := p.itemsFit(); err != nil {
		return exit.AsUsage(err)
	}
	if !q.Remote() {
		return p.readyEmbedded(ctx)
	}
	if c.Rehearse {
		return exit.Usagef("--rehearse makes a rollout in this process, and with queue.url %s workers make them: leave the queue out (--queue memory)", config.MaskQueueURL(q.URL))
	}
	if _, err := p.describe(ctx); err != nil {
		return exit.AsUsage(err)
	}
	p.cluster.talk = ui.NewQueueLog(c.Err, p.redact)
	conn, err := p.await(ctx)
	if err != nil {
		return exit.AsUsage(errors.New(p.redact.String(err.Error())))
	}
	p.close = append(p.close, conn.Close)
	p.cluster.conn = conn
	fmt.Fprintf(c.Err, "Workers make the rollouts, by the queue at %s: they try the endpoints and the grader, and nothing is rehearsed here.\n", config.MaskQueueURL(q.URL))
	return nil
}

// await reaches the queue's server, which may begin a moment after this process.
func (p *project) await(ctx context.Context) (*queue.Conn, error) {
	at, log := p.cfg.Address(), p.cluster.talk.Logger()
	if p.cfg.Queue.Wait == 0 {
		return queue.Dial(ctx, at, log)
	}
	ctx, stop := context.WithTimeout(ctx, p.cfg.Queue.Wait)
	defer stop()
	return queue.Await(ctx, at, log)
}

// itemsFit finds rows that no queue has room for.
func (p *project) itemsFit() error {
	if !p.cfg.Queue.Used() {
		return nil
	}
	for i := range p.items {
		it := &p.items[i]
		if err := queue.Travels(it); err != nil {
			return fmt.Errorf("%s:%d: the row cannot be handed to workers: %w: shorten it, or leave the queue out (--queue memory)", it.File, it.Line, err)
		}
	}
	return nil
}

// readyEmbedded finds what may not travel where others may join.
func (p *project) readyEmbedded(ctx context.Context) error {
	if p.cfg.Queue.Port() == 0 {
		return nil
	}
	_, err := p.describe(ctx)
	return exit.AsUsage(err)
}

// readyAlone is what has to be ready here of a run that workers make: the audit of
// the grader.
func (p *project) readyAlone(ctx context.Context, c *call, dir string) error {
	if !p.audits(c) {
		return nil
	}
	if err := p.readyToAudit(ctx, c); err != nil {
		return fmt.Errorf("%w (the audit of the grader is made here, not by workers: --no-audit leaves it out)", err)
	}
	return p.triedBefore(ctx, c, dir)
}
