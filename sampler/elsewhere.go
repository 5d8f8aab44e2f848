package sampler

import (
	"context"
	"errors"
	"iter"
	"sync"

	"gonogo/sampler/rollout"
)

// Elsewhere makes rollouts in other processes.
type Elsewhere interface {
	// Open begins a call of Sample. What the makers ask of endpoints is to pass
	// lines. drained is closed when nothing is to begin any more: what nobody has
	// begun by then ends with ErrNotBegun. shut ends the call when all that make was
	// asked for has returned.
	Open(lines Lines, drained <-chan struct{}) (make Maker, shut func())
}

// ErrNotBegun is of a rollout that nobody had begun when the run drained.
var ErrNotBegun = errors.New("the rollout was not begun")

// Maker has the rollout of one job made. leave is never nil and to be called once
// the record is written, or never will be, and also beside an error. The error is the cause of ctx's end,
// ErrNotBegun, or else one that ends the run.
type Maker func(ctx context.Context, job Job) (rec *rollout.Record, leave func(written bool), err error)

// elsewhere opens the call at who makes its rollouts, whose failures end the run
// as those of rollouts here do.
func (s *session) elsewhere(drain <-chan struct{}) (Maker, func()) {
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
	maker, shut := s.b.Elsewhere.Open(s.lines, drained)
	made := func(ctx context.Context, job Job) (*rollout.Record, func(bool), error) {
		it := job.Item
		defer s.lines.begun(s.name(s.seed, it.Split, it.ID, job.Sample, job.Attempt))()
		rec, leave, err := maker(ctx, job)
		switch {
		case errors.Is(err, ErrNotBegun):
			s.unbegun.Store(true)
		case err != nil && ctx.Err() == nil:
			s.halt.now(err)
		}
		return rec, leave, err
	}
	return made, func() {
		close(over)
		watch.Wait()
		shut()
	}
}

// Work makes the rollouts of jobs that come from somebody else's run, which
// cfg.Lines and seed are of, until there are none, and hands each record to the
// sink. The context that jobs is given ends when none is to begin any more: then
// it yields no more. Work ends as Sample does, but knows no budget: that is the
// planner's. A job that was taken and left no record when it returns was not made.
// watch is as for Sample.
func Work(ctx context.Context, drain <-chan struct{}, cfg Config, seed uint64, jobs func(context.Context) iter.Seq2[Job, error], b Boundaries, sink Sink, watch func(Event)) (Stats, error) {
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
		for job, err := range jobs(idle) {
			if !yield(func(ctx context.Context) (ended, error) { return s.sample(ctx, job, s.here) }, err) {
				return
			}
		}
	}
	return s.run(ctx, drain, 0, all, sink, watch)
}
