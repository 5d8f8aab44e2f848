package sampler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Sink takes the records of a run, from one goroutine, in the order in which
// the rollouts end.
type Sink interface {
	Append(*rollout.Record) error
}

// Boundaries are the endpoints that a rollout meets. They are safe for
// concurrent use.
type Boundaries struct {
	Model  Model
	Tools  map[string]Tool // by name
	Grader Grader
}

// ended is a rollout on its way to the sink.
type ended struct {
	record *rollout.Record
	taken  chan<- struct{} // told when the sink has it, or never will
}

// Sample makes the jobs' rollouts, at most cfg.Concurrency at once, and hands
// each record to the sink as its rollout ends. What happens outside decides how
// it ends:
//
//   - drain closed, or the budget used up: no rollout begins any more, those in
//     flight end and are recorded; no error.
//   - nobody tells the tokens that cfg.MaxTokens bounds: the same, with
//     ErrUntold.
//   - ctx ended: rollouts in flight are broken off and leave no record; the
//     error is ctx's cause.
//   - an endpoint that cannot work: the same, with an *EndpointError.
//   - the sink fails: the same, with the sink's error.
//
// Stats.StoppedBy says which it was. The same seed and jobs give the same
// trace and request ids at any concurrency. watch, which may be nil, is called
// after each record by the goroutine that writes; it should be quick. Memory
// grows with concurrency, not with the number of jobs. A nil drain never
// closes.
func Sample(ctx context.Context, drain <-chan struct{}, cfg Config, seed uint64, jobs []Job, b Boundaries, sink Sink, watch func(Event)) (Stats, error) {
	if err := errors.Join(cfg.Validate(), b.validate()); err != nil {
		return Stats{}, err
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := newSession(cfg, seed, b, stop)
	s.count.start, s.count.stats.Jobs = time.Now(), len(jobs)

	done := make(chan ended)
	var writer errgroup.Group
	writer.Go(func() error { return s.write(done, sink, watch) })

	todo := make(chan Job)
	var workers errgroup.Group
	for range min(cfg.Concurrency, len(jobs)) {
		workers.Go(func() error { return s.work(inner, todo, done) })
	}
	stopped := s.deal(inner, drain, jobs, todo)
	close(todo)
	_ = workers.Wait() // a worker's error is the cause of inner's end
	close(done)
	failed := writer.Wait()

	stats := s.count.snapshot()
	stats.StoppedBy = stopped
	err := failed
	if err == nil {
		err = context.Cause(inner)
	}
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

// Rehearse makes one rollout and returns its record; nothing is written. Its
// trace id is none of the run's. A record whose outcome is not graded is no
// error.
func Rehearse(ctx context.Context, cfg Config, seed uint64, job Job, b Boundaries) (*rollout.Record, error) {
	if err := errors.Join(cfg.Validate(), b.validate()); err != nil {
		return nil, err
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := newSession(cfg, seed, b, stop)
	s.name = rehearsalID
	return s.rollout(inner, job)
}

func (b Boundaries) validate() error {
	switch {
	case b.Model == nil:
		return errors.New("sample: there is no model")
	case b.Grader == nil:
		return errors.New("sample: there is no grader")
	}
	for name, t := range b.Tools {
		if t == nil || t.Name() != name {
			return fmt.Errorf("sample: tool %q stands under another name than its own", name)
		}
	}
	return nil
}

// session is what the rollouts of one run share.
type session struct {
	cfg     Config
	seed    uint64
	b       Boundaries
	gates   gates
	budget  *limit.Budget
	count   counter
	mute    map[string]*mute // by the tool's name
	settled chan struct{}    // a signal that a rollout has settled with the budget
	stop    func(error)      // breaks off all rollouts

	// name gives a rollout its trace id.
	name func(seed uint64, split rollout.Split, item string, sample, attempt int) string
}

// graderOpinions is how many items a grader that never worked must refuse with
// 403 or 404 before it is taken for the wrong one: graders answer so about
// items that they do not know, and a resumed run begins with just those.
const graderOpinions = 3

type gates struct {
	model, grader *gate
	tools         map[string]*gate
}

func newSession(cfg Config, seed uint64, b Boundaries, stop context.CancelCauseFunc) *session {
	// Fewer failures in a row than there are rollouts in flight may come from
	// one short outage that hit all of them.
	patience := 2*cfg.Concurrency + 8
	s := &session{
		cfg: cfg, seed: seed, b: b, stop: stop, name: TraceID,
		budget:  limit.NewBudget(cfg.MaxRollouts, cfg.MaxTokens),
		mute:    make(map[string]*mute, len(b.Tools)),
		settled: make(chan struct{}, 1),
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

// deal hands out the jobs until there are none, or a reason to stop.
func (s *session) deal(ctx context.Context, drain <-chan struct{}, jobs []Job, todo chan<- Job) StoppedBy {
	for _, job := range jobs {
		if why := s.reserve(ctx, drain); why != "" {
			return why
		}
		select {
		case <-drain:
			return StoppedByDrain
		case <-ctx.Done():
			return StoppedByCancel
		case todo <- job:
		}
	}
	return ""
}

// reserve takes one rollout from the budget, or says why none may begin.
func (s *session) reserve(ctx context.Context, drain <-chan struct{}) StoppedBy {
	for {
		select {
		case <-drain:
			return StoppedByDrain
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
		case <-ctx.Done():
			return StoppedByCancel
		case <-s.settled:
		}
	}
}

// work makes the rollouts that are dealt to one worker.
func (s *session) work(ctx context.Context, todo <-chan Job, done chan<- ended) error {
	taken := make(chan struct{}, 1)
	for job := range todo {
		s.count.begun()
		r, err := s.rollout(ctx, job)
		if err != nil {
			return err
		}
		s.budget.Settle(tokens(r))
		select {
		case s.settled <- struct{}{}:
		default: // a signal already waits
		}
		// The next rollout begins when this one is written: a kill loses no more
		// rollouts than there are workers.
		done <- ended{r, taken} // the writer reads until the channel is closed
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
			if failed = s.record(e.record, sink, watch); failed != nil {
				s.stop(failed)
			}
		}
		e.taken <- struct{}{}
	}
	return failed
}

func (s *session) record(r *rollout.Record, sink Sink, watch func(Event)) error {
	if err := sink.Append(r); err != nil {
		return fmt.Errorf("record rollout %s/%s/%d: %w", r.Split, r.Item, r.Sample, err)
	}
	s.count.recorded(r)
	if watch != nil {
		watch(s.count.event())
	}
	return nil
}
