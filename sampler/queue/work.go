package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

// task is a job that was delivered to this worker.
type task struct {
	msg      jetstream.Msg
	key      key
	job      sampler.Rollout
	delivery string // identifies this delivery of the job
	begun    bool   // the planner was asked for leave to start it; guarded by the member's mu
}

// workSession holds the state of one call of Work.
type workSession struct {
	*Member
	redact *rollout.Redactor
	slots  chan struct{}           // holds one for each rollout under way
	stores sync.WaitGroup          // results being stored
	keep   context.Context         // for storing results: it outlives the rollouts' context
	stop   context.CancelCauseFunc // aborts all rollouts

	tasks map[string]*task // by trace id; guarded by the member's mu
}

// backFor is how long a worker tries to give jobs back, or to report why it takes none; after
// that the planner finds out by itself.
const backFor = 2 * time.Second

// Work takes jobs until the run is over or drain is closed, neither of which is an error,
// until the run is led with another description, which counts as drain, or until ctx ends.
// redact masks the worker's own secrets in records and in the causes of failures. An error
// other than ctx's or ErrOrphaned is reported to the planner, which ends the run. show, which
// may be nil, is called like watch of sampler.Sample.
func (m *Member) Work(ctx context.Context, drain <-chan struct{}, cfg sampler.Config, b sampler.Boundaries,
	redact *rollout.Redactor, show func(sampler.Event),
) (sampler.Stats, error) {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	keep, lose := context.WithCancel(context.WithoutCancel(ctx))
	defer lose()
	s := &workSession{
		Member: m, redact: redact, slots: make(chan struct{}, max(m.me.Slots, 1)), keep: keep,
		stop: stop, tasks: map[string]*task{},
	}
	rest, over := make(chan struct{}), make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		s.watch(inner, drain, rest, over)
		s.keepOn(inner, over, lose)
	})
	cfg.Queue, cfg.Rollouts, cfg.Budget = lines{m, s.mask}, cap(s.slots), nil
	stats, err := sampler.Work(inner, rest, cfg, m.Seed(), s.jobs, b, s, show)
	s.stores.Wait()
	if err == nil && ctx.Err() == nil {
		err = context.Cause(inner) // a result could not be stored, or the run ended meanwhile
	}
	close(over)
	watch.Wait()
	s.giveBack(ctx, err)
	if errors.Is(err, errOver) || errors.Is(err, errLeft) {
		err = nil
	}
	return stats, err
}

// watch closes rest, so that no more jobs are taken, at a drain or when the run's description
// changes, and aborts all rollouts when the run is over.
func (s *workSession) watch(ctx context.Context, drain <-chan struct{}, rest chan<- struct{}, over <-chan struct{}) {
	select {
	case <-drain:
		close(rest)
	case <-s.changed:
		close(rest)
	case <-s.ended:
	case <-ctx.Done():
	case <-over:
	}
	select {
	case <-s.ended:
		s.stop(s.Member.end)
	case <-ctx.Done():
	case <-over:
	}
}

// jobs yields the jobs that the planner lets this worker start, at most one per free slot.
func (s *workSession) jobs(ctx context.Context) iter.Seq2[sampler.Rollout, error] {
	return func(yield func(sampler.Rollout, error) bool) {
		for n := 0; ctx.Err() == nil; n++ {
			free := s.free(ctx)
			taken, err := s.fetch(ctx, free, yield)
			for range free - taken {
				<-s.slots
			}
			switch {
			case err == errStop:
				return
			case err == nil:
				n = 0
			case ctx.Err() != nil:
			case fatal(err):
				yield(sampler.Rollout{}, s.c.explain("take jobs", err))
				return
			default:
				s.over(ctx)
				pause(ctx, backoff(n))
			}
		}
	}
}

// over finds out whether the run was completed while this worker was cut off.
func (s *workSession) over(ctx context.Context) {
	err := s.c.once(ctx, apiTimeout, func(ctx context.Context) error {
		_, err := s.c.js.Stream(ctx, s.names.jobs())
		return err
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.finish(fmt.Errorf("%w: its jobs are gone", errOver))
	}
}

// errStop means that no more jobs are wanted.
var errStop = errors.New("stop")

// free waits for a free slot, takes all free slots and returns their number.
func (s *workSession) free(ctx context.Context) (n int) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for n = 1; n < cap(s.slots); n++ {
		select {
		case s.slots <- struct{}{}:
		default:
			return n
		}
	}
	return n
}

// fetchFor is how long a worker without jobs waits before it asks again.
const fetchFor = 30 * time.Second

// fetch takes up to n jobs and yields those that this worker may start.
func (s *workSession) fetch(ctx context.Context, n int, yield func(sampler.Rollout, error) bool) (taken int, err error) {
	if n == 0 {
		return 0, nil
	}
	limited, cancel := context.WithTimeout(ctx, fetchFor)
	defer cancel()
	defer s.c.hearNews(cancel)() // a server that was away has lost this request
	batch, err := s.Member.jobs.Fetch(n, jetstream.FetchContext(limited))
	if err != nil {
		return 0, err
	}
	for msg := range batch.Messages() {
		job, ok, err := s.take(ctx, msg)
		if err == nil && !ok {
			continue
		}
		if err != nil {
			yield(sampler.Rollout{}, err)
			return taken, errStop
		}
		taken++
		if !yield(job, nil) {
			return taken, errStop
		}
	}
	if err := batch.Error(); err != nil && limited.Err() == nil {
		return taken, err
	}
	return taken, nil
}

// take asks the planner whether a job may be started, and decodes it.
func (s *workSession) take(ctx context.Context, msg jetstream.Msg) (sampler.Rollout, bool, error) {
	meta, err := msg.Metadata()
	if err != nil {
		return sampler.Rollout{}, false, s.c.explain("take a job", err)
	}
	t := &task{msg: msg, key: keyIn(msg.Subject()), delivery: s.id + "." + strconv.FormatUint(meta.Sequence.Consumer,
		10)}
	s.mu.Lock()
	if s.has[t.key] != nil { // redelivered because a progress signal was lost
		s.has[t.key].msg = msg
		s.mu.Unlock()
		return sampler.Rollout{}, false, nil
	}
	t.begun = true
	s.has[t.key] = t
	s.mu.Unlock()
	may, err := s.ask(ctx, workerMessage{Op: opBegin, Key: t.key, N: meta.NumDelivered})
	if err != nil || may != opTake {
		if err == nil {
			s.drop(t)
		}
		return sampler.Rollout{}, false, nil // after an error the answer is unknown: giveBack returns the job
	}
	body, err := s.c.unseal(ctx, s.names, msg.Headers(), msg.Data())
	if err == nil {
		t.job, err = decodeJob(body)
	}
	if it := t.job.Item; err == nil && keyOf(s.run, it.Split, it.ID, t.job.Sample, t.job.Attempt) != t.key {
		err = errors.New("its key belongs to another job")
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return sampler.Rollout{}, false, nil
	case errors.Is(err, jetstream.ErrObjectNotFound): // another worker has finished the job, or it is stored again
		s.drop(t)
		_, _ = s.ask(ctx, workerMessage{Op: opBack, Key: t.key}) // if it fails, the planner finds out by itself
		return sampler.Rollout{}, false, nil
	default:
		return sampler.Rollout{}, false, fmt.Errorf("a job of run %s cannot be read: %w", s.run, err)
	}
	it := t.job.Item
	s.mu.Lock()
	s.tasks[sampler.TraceID(s.Seed(), it.Split, it.ID, t.job.Sample, t.job.Attempt)] = t
	s.mu.Unlock()
	return t.job, true, nil
}

// drop forgets a task.
func (s *workSession) drop(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.has, t.key)
}

// giveBack returns the jobs that left no record, with the error that ended them.
func (s *workSession) giveBack(ctx context.Context, err error) {
	var end *ending
	if err != nil && ctx.Err() == nil && !errors.Is(err, errOver) && !errors.Is(err, errLeft) &&
		!errors.Is(err, ErrOrphaned) {
		end = sendEnd(err)
		s.maskEnd(end)
	}
	s.mu.Lock()
	var unfinished []*task
	for _, t := range s.has {
		unfinished = append(unfinished, t)
	}
	if s.Member.end != nil {
		unfinished = nil // no planner wants them
	}
	clear(s.has)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backFor)
	defer cancel()
	for _, t := range unfinished {
		if _, err := s.ask(ctx, workerMessage{Op: opBack, Key: t.key, End: end}); err != nil {
			s.c.log.Warn("a job was not returned: another worker gets it later",
				slog.String("error", endpoint.Brief(err.Error())))
		}
	}
}

// mask masks the worker's secrets in the answers of endpoints.
func (s *workSession) mask(c *requestOutcome) {
	c.Cause = s.redact.String(c.Cause)
	if c.Failure != nil {
		c.Failure.Text = s.redact.String(c.Failure.Text)
	}
	c.Fault.Text = s.redact.String(c.Fault.Text)
}

func (s *workSession) maskEnd(end *ending) {
	end.Text = s.redact.String(end.Text)
	if end.Failure != nil {
		end.Failure.Text = s.redact.String(end.Failure.Text)
	}
}
