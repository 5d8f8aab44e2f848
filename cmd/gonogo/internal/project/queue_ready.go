package project

import (
	"context"
	"errors"
	"fmt"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/queue"
)

// ReadyQueue reaches the queue before anything is asked or paid, and finds what may
// not travel.
func ReadyQueue(ctx context.Context, p *Project, c *Call) error {
	q := p.Config.Queue
	p.Queue.cluster.untried = c.Sampling.DespiteProblems
	if err := itemsFit(p); err != nil {
		return exit.AsUsage(err)
	}
	if !q.Remote() {
		return readyEmbedded(ctx, p)
	}
	if c.Sampling.Rehearse {
		return exit.Usagef("--rehearse makes a rollout in this process, and with queue.url %s workers make them: leave the queue out (--queue memory)", config.MaskQueueURL(q.URL))
	}
	if _, err := describe(ctx, p); err != nil {
		return exit.AsUsage(err)
	}
	p.Queue.cluster.talk = ui.NewQueueLog(c.Err, p.Redact)
	conn, err := awaitQueue(ctx, p)
	if err != nil {
		return exit.AsUsage(errors.New(p.Redact.String(err.Error())))
	}
	p.closers = append(p.closers, conn.Close)
	p.Queue.cluster.conn = conn
	fmt.Fprintf(c.Err, "Workers make the rollouts, by the queue at %s: they try the endpoints and the grader, and nothing is rehearsed here.\n", config.MaskQueueURL(q.URL))
	return nil
}

// awaitQueue reaches the queue's server, which may begin a moment after this process.
func awaitQueue(ctx context.Context, p *Project) (*queue.Conn, error) {
	at, log := p.Config.Address(), p.Queue.cluster.talk.Logger()
	if p.Config.Queue.Wait.Duration == 0 {
		return queue.Dial(ctx, at, log)
	}
	ctx, stop := context.WithTimeout(ctx, p.Config.Queue.Wait.Duration)
	defer stop()
	return queue.Await(ctx, at, log)
}

// itemsFit finds rows that no queue has room for.
func itemsFit(p *Project) error {
	if !p.Config.Queue.Used() {
		return nil
	}
	for i := range p.Inputs.Items {
		it := &p.Inputs.Items[i]
		if err := queue.CheckJobSize(it); err != nil {
			return fmt.Errorf("%s:%d: the row cannot be handed to workers: %w: shorten it, or leave the queue out (--queue memory)", it.File, it.Line, err)
		}
	}
	return nil
}

// readyEmbedded finds what may not travel where others may join.
func readyEmbedded(ctx context.Context, p *Project) error {
	if p.Config.Queue.Port() == 0 {
		return nil
	}
	_, err := describe(ctx, p)
	return exit.AsUsage(err)
}
