package sampler

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// session is what the rollouts, or the gradings, of one call share.
type session struct {
	cfg     Config
	seed    uint64
	b       Boundaries
	gates   gates
	misfit  misfit
	budget  *limit.Budget
	count   counter
	mute    map[string]*mute // by the tool's name
	settled chan struct{}    // a signal that a piece of work has settled with the budget
	stop    func(error)      // breaks off all that is in flight
	halt    halt

	// name gives a rollout its trace id.
	name func(seed uint64, split rollout.Split, item string, sample, attempt int) string
}

type gates struct {
	model, grader *gate
	tools         map[string]*gate
}

func newSession(cfg Config, seed uint64, b Boundaries) *session {
	// Fewer failures in a row than there are rollouts in flight may come from
	// one short outage that hit all of them.
	patience := 2*cfg.Concurrency + 8
	s := &session{
		cfg: cfg, seed: seed, b: b, name: TraceID,
		budget:  limit.NewBudget(cfg.MaxRollouts, cfg.MaxTokens),
		mute:    make(map[string]*mute, len(b.Tools)),
		settled: make(chan struct{}, 1),
		halt:    halt{done: make(chan struct{})},
	}
	s.gates = gates{
		model:  newGate("model", b.Model, patience),
		grader: newGate("grader", b.Grader, patience),
		tools:  make(map[string]*gate, len(b.Tools)),
	}
	s.gates.grader.opinions = graderOpinions
	for name, t := range b.Tools {
		s.gates.tools[name] = newGate("tool "+name, t, patience)
		s.mute[name] = &mute{tool: t}
	}
	return s
}

// work is something to do that ends with one record. Its error is ctx's, or the
// one that ends the run: then there is no record.
type work func(ctx context.Context) (ended, error)

// ended is a piece of work on its way to the sink.
type ended struct {
	record    *rollout.Record
	toolCalls int             // that were made
	tokens    *int64          // that were used; nil when a server did not say
	taken     chan<- struct{} // told when the sink has the record, or never will
}

// run does all the works, at most cfg.Concurrency at once, and hands each
// record to the sink as its work ends. An error of the sequence ends it as
// drain does; Sample says what else does.
func (s *session) run(ctx context.Context, drain <-chan struct{}, total int, all iter.Seq2[work, error], sink Sink, watch func(Event)) (Stats, error) {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.stop = stop
	s.count.start, s.count.stats.Jobs = time.Now(), total

	done := make(chan ended)
	var writer errgroup.Group
	writer.Go(func() error { return s.write(done, sink, watch) })

	todo := make(chan work)
	var workers errgroup.Group
	for range s.cfg.Concurrency {
		workers.Go(func() error { return s.work(inner, todo, done) })
	}
	stopped, broken := s.deal(inner, drain, all, todo)
	close(todo)
	_ = workers.Wait() // a worker's error is the cause of inner's end
	close(done)
	failed := writer.Wait()

	stats := s.count.snapshot()
	stats.StoppedBy = stopped
	err := firstError(failed, context.Cause(inner), s.halt.err, broken)
	switch {
	case err == nil && stopped == StoppedByUntold:
		err = ErrUntold
	case err != nil:
		stats.StoppedBy = StoppedByError
		if ctx.Err() != nil {
			stats.StoppedBy = StoppedByCancel
		}
	}
	return stats, err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// deal hands out the works until there are none, or a reason to stop.
func (s *session) deal(ctx context.Context, drain <-chan struct{}, all iter.Seq2[work, error], todo chan<- work) (StoppedBy, error) {
	for w, err := range all {
		if err != nil {
			return StoppedByError, err
		}
		if why := s.reserve(ctx, drain); why != "" {
			return why, nil
		}
		select {
		case <-drain:
			return StoppedByDrain, nil
		case <-s.halt.done:
			return StoppedByError, nil
		case <-ctx.Done():
			return StoppedByCancel, nil
		case todo <- w:
		}
	}
	return "", nil
}

// reserve takes one piece of work from the budget, or says why none may begin.
func (s *session) reserve(ctx context.Context, drain <-chan struct{}) StoppedBy {
	for {
		select {
		case <-drain:
			return StoppedByDrain
		case <-s.halt.done:
			return StoppedByError
		default:
		}
		switch s.budget.Reserve() {
		case limit.Granted:
			return ""
		case limit.Spent:
			return StoppedByBudget
		case limit.Untold:
			return StoppedByUntold
		}
		select {
		case <-drain:
			return StoppedByDrain
		case <-s.halt.done:
			return StoppedByError
		case <-ctx.Done():
			return StoppedByCancel
		case <-s.settled:
		}
	}
}

// work does what is dealt to one worker.
func (s *session) work(ctx context.Context, todo <-chan work, done chan<- ended) error {
	taken := make(chan struct{}, 1)
	for w := range todo {
		s.count.begun()
		e, err := w(ctx)
		if err != nil {
			return err
		}
		s.budget.Settle(e.tokens)
		select {
		case s.settled <- struct{}{}:
		default: // a signal already waits
		}
		// The next one begins when this one is written: a kill loses no more
		// rollouts than there are workers.
		e.taken = taken
		done <- e // the writer reads until the channel is closed
		<-taken
	}
	return nil
}

// write hands the records to the sink. After the sink has failed it only
// empties the channel, so that no worker waits for it.
func (s *session) write(done <-chan ended, sink Sink, watch func(Event)) error {
	var failed error
	for e := range done {
		if failed == nil {
			if failed = s.record(e, sink, watch); failed != nil {
				s.stop(failed)
			}
		}
		e.taken <- struct{}{}
	}
	return failed
}

func (s *session) record(e ended, sink Sink, watch func(Event)) error {
	if err := sink.Append(e.record); err != nil {
		return fmt.Errorf("record rollout %s/%s/%d: %w", e.record.Split, e.record.Item, e.record.Sample, err)
	}
	s.count.recorded(e)
	if watch != nil {
		watch(s.count.event())
	}
	return nil
}

// halt ends a run as drain does, but with an error: what is in flight is paid
// for and ends.
type halt struct {
	once sync.Once
	done chan struct{}
	err  error // valid when done is closed
}

func (h *halt) now(err error) {
	h.once.Do(func() {
		h.err = err
		close(h.done)
	})
}
