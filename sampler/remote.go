package sampler

import (
	"context"
	"errors"
	"iter"
	"sync"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// RemoteMaker makes rollouts in other processes.
type RemoteMaker interface {
	// Open begins a call of Sample. The requests of make wait in queue. drained is closed when no
	// more rollouts may start: those not started by then fail with ErrNotBegun. shut ends the call,
	// after every call of make has returned.
	Open(queue endpoint.Queue, drained <-chan struct{}) (make Maker, shut func())
}

// ErrNotBegun is the error of a rollout that had not started when the run drained.
var ErrNotBegun = errors.New("the rollout was not begun")

// Maker makes a rollout. leave is never nil; call it once the record has been written
// or never will be, also after an error. The error is the cause of ctx, ErrNotBegun, or one that
// ends the run.
type Maker func(ctx context.Context, todo Rollout) (rec *rollout.Record, leave func(written bool), err error)

// makeRemotely begins a call of the remote maker. Its failures end the run as local ones do.
func (s *session) makeRemotely(drain <-chan struct{}) (Maker, func()) {
	drained, over := make(chan struct{}), make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-drain:
			close(drained)
		case <-s.halt.done:
			close(drained)
		case <-over:
		}
	})
	maker, shut := s.b.Remote.Open(s.set, drained)
	made := func(ctx context.Context, todo Rollout) (*rollout.Record, func(bool), error) {
		it := todo.Item
		defer s.set.Away(s.name(s.seed, it.Split, it.ID, todo.Sample, todo.Attempt))()
		rec, leave, err := maker(ctx, todo)
		switch {
		case errors.Is(err, ErrNotBegun):
			s.unbegun.Store(true)
		case err != nil && ctx.Err() == nil:
			s.halt.stop(err)
		}
		return rec, leave, err
	}
	return made, func() {
		close(over)
		watch.Wait()
		shut()
	}
}

// Work makes rollouts for the run of another process, which cfg.Queue and seed come from, until
// there are no more, and hands each record to the sink. The context of rollouts is cancelled when
// no more may start; the sequence must then end. Work ends as Sample does, but
// has no budget: the planner has it. A rollout that was taken and has no record when Work returns was
// not made. watch is as for Sample.
func Work(ctx context.Context, drain <-chan struct{}, cfg Config, seed uint64,
	rollouts func(context.Context) iter.Seq2[Rollout, error], b Boundaries, sink Sink, watch func(Event),
) (Stats, error) {
	if err := errors.Join(cfg.Validate(), b.validate()); err != nil {
		return Stats{}, err
	}
	s := newSession(cfg, seed, b)
	s.account = cfg.Budget.Open(rolloutAccount, false)
	all := func(yield func(work, error) bool) {
		idle, rest := context.WithCancel(s.inner)
		var watch sync.WaitGroup
		watch.Go(func() {
			select {
			case <-drain:
			case <-s.halt.done:
			case <-idle.Done():
			}
			rest()
		})
		defer watch.Wait()
		defer rest()
		for todo, err := range rollouts(idle) {
			if !yield(func(ctx context.Context) (ended, error) { return s.sample(ctx, todo, s.here) }, err) {
				return
			}
		}
	}
	return s.run(ctx, drain, 0, all, sink, watch)
}
