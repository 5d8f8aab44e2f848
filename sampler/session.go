package sampler

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// session is what the rollouts, or the gradings, of one call share.
type session struct {
	cfg     Config
	seed    uint64
	b       Boundaries
	set     *endpoint.Set
	misfit  rangeCheck
	account *limit.Account
	count   counter
	mute    map[string]*missingTool // by the tool's name
	settled chan struct{}           // signals that a piece of work has settled with the budget
	late    atomic.Bool             // some work was not started because of the deadline
	busy    atomic.Int64            // rollouts or gradings in progress
	unbegun atomic.Bool             // a remote rollout had not started when the run drained
	stops   stops
	inner   context.Context // the context of the work in flight
	stop    func(error)     // cancels it
	halt    halt
	held    chan<- ended // to the writer, for answers whose grading takes long; nil if the sink keeps none

	// name returns the trace id of a rollout.
	name func(seed uint64, split rollout.Split, item string, sample, attempt int) string
}

func newSession(cfg Config, seed uint64, b Boundaries) *session {
	s := &session{
		cfg: cfg, seed: seed, b: b, name: TraceID,
		mute:    make(map[string]*missingTool, len(b.Tools)),
		settled: make(chan struct{}, 1),
		halt:    halt{done: make(chan struct{})},
		count:   counter{grouped: b.GroupSize > 0},
	}
	s.set = endpoint.New(endpoint.Config{
		Limits: cfg.limits, Breaker: cfg.Breaker, Retry: cfg.Retry, Log: cfg.Log, Queue: cfg.Queue,
		Elsewhere: b.Remote != nil,
		// Fewer failures in a row than there are rollouts in flight may come from
		// one short outage that hit all of them.
		Patience: 2*cfg.rollouts() + 8,
		GiveUp: func(end *endpoint.Error, abort bool) {
			if abort {
				s.stop(end)
				return
			}
			s.halt.stop(end)
		},
	})
	for name, t := range b.Tools {
		s.mute[name] = &missingTool{tool: t}
	}
	return s
}

// work makes one record. Its error is ctx's, or the one that ends the run; then there is no record,
// but leave must be called all the same.
type work func(ctx context.Context) (ended, error)

// ended is a finished piece of work on its way to the sink.
type ended struct {
	place     int // number in the order of start, from 0
	record    *rollout.Record
	toolCalls int                // number of tool calls made
	tokens    *int64             // tokens used; nil if a server did not report them
	usd       *float64           // cost; nil if unknown
	priced    bool               // Config.Cost is set
	took      time.Duration      // how long it ran
	leave     func(written bool) // cleanup once the sink has the record, or never will; nil is nothing
	taken     chan<- bool        // gets whether the record was written
	held      bool               // the grade is still pending: the work has not ended
}

// cleanUp runs the cleanup.
func (e ended) cleanUp(written bool) {
	if e.leave != nil {
		e.leave(written)
	}
}

// anyhow returns a cleanup that runs whether the record is written or not.
func anyhow(do func()) func(bool) { return func(bool) { do() } }

// price adds what the record cost.
func (s *session) price(e ended) ended {
	e.priced = s.cfg.Cost != nil
	if e.priced && e.record != nil {
		if usd, ok := s.cfg.Cost(e.record); ok {
			e.usd = &usd
		}
	}
	return e
}

// run does all the work, as much at once as cfg allows, and hands each record to the sink as its
// work ends. An error of the sequence ends the run as drain does; Sample says what else ends it.
func (s *session) run(ctx context.Context, drain <-chan struct{}, total int, all iter.Seq2[work, error], sink Sink,
	watch func(Event),
) (Stats, error) {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.inner, s.stop = inner, stop
	s.count.start, s.count.stats.Rollouts = time.Now(), total
	defer s.account.Close()
	defer s.set.Close()

	done := make(chan ended)
	if _, keeps := sink.(Holder); keeps {
		s.held = done
	}
	var writer errgroup.Group
	writer.Go(func() error { return s.write(done, sink, watch) })

	todo := make(chan work)
	var workers errgroup.Group
	for range s.cfg.rollouts() {
		workers.Go(func() error { return s.work(inner, todo, done) })
	}
	over := make(chan struct{})
	var leaving sync.WaitGroup
	leaving.Go(func() { s.leaveStalled(drain, over) })
	stopped, broken := s.deal(inner, drain, all, todo)
	s.set.Last(stopped == "")
	close(todo)
	_ = workers.Wait() // a worker's error is the cause of inner's end
	close(over)
	leaving.Wait()
	close(done)
	failed := writer.Wait()

	stats := s.stats()
	stats.StoppedBy = stopped
	err := firstError(failed, context.Cause(inner), s.halt.err, broken)
	if errors.Is(err, errStalled) {
		if err = firstError(s.halt.err, broken); err == nil {
			stats.StoppedBy = StoppedByDrain
		}
	}
	switch {
	case err == nil && stopped == "" && s.late.Load():
		stats.StoppedBy = StoppedByBudget
	case err == nil && stopped == "" && s.unbegun.Load():
		stats.StoppedBy = StoppedByDrain
	case err == nil && stopped == StoppedByUnknownUsage:
		err = ErrUnknownUsage
	case err != nil:
		stats.StoppedBy = StoppedByError
		if ctx.Err() != nil {
			stats.StoppedBy = StoppedByCancel
		}
	}
	return stats, err
}

// errStalled ends the rollouts in flight of a run that drains.
var errStalled = errors.New("nothing is answered any more while the run drains")

// patience is how long a run that drains waits for an endpoint that only fails.
const patience = 30 * time.Second

// leaveStalled ends a run that drains once its rollouts only wait for endpoints that answer nothing
// but failures, such as 429s: they would be retried for up to 15 minutes. What they have so far is
// not recorded, but for answers that only lack a grade; the next call makes them again.
func (s *session) leaveStalled(drain <-chan struct{}, over <-chan struct{}) {
	select {
	case <-drain:
	case <-over:
		return
	}
	for begun, tick := time.Now(), time.NewTicker(time.Second); ; {
		select {
		case <-tick.C:
		case <-over:
			tick.Stop()
			return
		}
		waiting, stalled := s.set.Stalled(patience)
		if stalled && waiting >= int(s.busy.Load()) && time.Since(begun) >= patience {
			s.stop(errStalled)
		}
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// deal distributes the work until there is none left, or a reason to stop.
func (s *session) deal(ctx context.Context, drain <-chan struct{}, all iter.Seq2[work, error],
	todo chan<- work,
) (StoppedBy, error) {
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

// reserve takes one piece of work from the budget, or says why none may start.
func (s *session) reserve(ctx context.Context, drain <-chan struct{}) StoppedBy {
	for {
		select {
		case <-drain:
			return StoppedByDrain
		case <-s.halt.done:
			return StoppedByError
		default:
		}
		// Started now, it would only wait in a queue, holding memory and growing old.
		crowded := s.cfg.Concurrency == 0 && s.set.Crowded()
		if !crowded {
			switch s.account.Reserve(time.Now()) {
			case limit.Granted:
				s.set.Begin()
				return ""
			case limit.Spent:
				return StoppedByBudget
			case limit.UnknownUsage:
				return StoppedByUnknownUsage
			}
		}
		select {
		case <-drain:
			return StoppedByDrain
		case <-s.halt.done:
			return StoppedByError
		case <-ctx.Done():
			return StoppedByCancel
		case <-s.settled:
		case <-s.set.Eased():
		}
	}
}

// work does what deal gives to one worker.
func (s *session) work(ctx context.Context, todo <-chan work, done chan<- ended) error {
	taken := make(chan bool, 1)
	for w := range todo {
		if late := s.account.Late(time.Now()); late || s.halt.halted() {
			if late {
				s.late.Store(true)
			}
			s.set.Forget()
			s.wake()
			continue
		}
		place := s.count.begun()
		s.busy.Add(1)
		e, err := w(ctx)
		s.busy.Add(-1)
		e.place = place
		if err != nil {
			e.cleanUp(false)
			return err
		}
		s.account.Settle(time.Now(), limit.Used{Tokens: e.tokens, USD: e.usd, Took: e.took})
		s.wake()
		// The next one starts when this one is written, so a kill loses no more rollouts than there
		// are workers.
		e.taken = taken
		done <- e // the writer reads until the channel is closed
		e.cleanUp(<-taken)
	}
	return nil
}

// wake makes deal look at the budget and the queues again.
func (s *session) wake() {
	select {
	case s.settled <- struct{}{}:
	default: // a signal is already pending
	}
}

// watchEvery is the time between events while no record comes.
const watchEvery = time.Second

// write hands the records to the sink. After the sink has failed it only drains the channel, so
// that no worker waits for it.
func (s *session) write(done <-chan ended, sink Sink, watch func(Event)) error {
	var failed error
	var tick <-chan time.Time
	if watch != nil {
		t := time.NewTicker(watchEvery)
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case e, ok := <-done:
			if !ok {
				return failed
			}
			if e.held {
				if failed == nil {
					if failed = hold(e.record, sink.(Holder)); failed != nil {
						s.stop(failed)
					}
				}
				e.taken <- failed == nil
				continue
			}
			if failed == nil {
				if failed = s.record(e, sink); failed != nil {
					s.stop(failed)
				} else if watch != nil {
					watch(s.event())
				}
			}
			e.taken <- failed == nil
		case <-tick:
			watch(s.event())
		}
	}
}

// hold passes on an answer whose grade is still pending. An answer that is too large is reported
// when its rollout ends.
func hold(rec *rollout.Record, to Holder) error {
	err := to.Hold(rec)
	if _, large := errors.AsType[*rollout.TooLargeError](err); large {
		return nil
	}
	if err != nil {
		return fmt.Errorf("record rollout %s/%s/%d: %w", rec.Split, rec.Item, rec.Sample, err)
	}
	return nil
}

func (s *session) record(e ended, sink Sink) error {
	err := sink.Append(e.record)
	if large, ok := errors.AsType[*rollout.TooLargeError](err); ok {
		e.record = tooLarge(e.record, large)
		err = sink.Append(e.record)
	}
	if err != nil {
		return fmt.Errorf("record rollout %s/%s/%d: %w", e.record.Split, e.record.Item, e.record.Sample, err)
	}
	s.count.recorded(e)
	return nil
}

// stats returns the counts so far.
func (s *session) stats() Stats {
	stats := s.count.snapshot()
	stats.Boundaries, stats.Retries = s.set.States(), s.set.Retries()
	return stats
}

func (s *session) event() Event {
	stats := s.stats()
	return Event{Stats: stats, InFlight: stats.Begun - stats.Recorded}
}

// halt ends a run as drain does, but with an error: the work in flight is paid for, so it may end.
type halt struct {
	once sync.Once
	done chan struct{}
	err  error // valid when done is closed
}

// halted reports whether the run ends: work that was dealt out at that moment does not start.
func (h *halt) halted() bool {
	select {
	case <-h.done:
		return true
	default:
		return false
	}
}

func (h *halt) stop(err error) {
	h.once.Do(func() {
		h.err = err
		close(h.done)
	})
}
