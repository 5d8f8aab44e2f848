package sampler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Sink takes the records of a run, from one goroutine, in the order in which the
// rollouts end. If it refuses one with a *rollout.TooLargeError, it gets a record
// of the cause instead, as missing data.
type Sink interface {
	Append(*rollout.Record) error
}

// SinkFunc is a func as a Sink.
type SinkFunc func(*rollout.Record) error

// Append calls f.
func (f SinkFunc) Append(r *rollout.Record) error { return f(r) }

// Holder is a Sink that also keeps outputs whose grades take long, as records of
// the kind rollout.KindUngraded. The rollout's final record replaces it.
type Holder interface {
	Hold(*rollout.Record) error
}

// Boundaries are the endpoints of a rollout. They are safe for concurrent use.
type Boundaries struct {
	Model  Model           // nil with an agent
	Tools  map[string]Tool // by name
	Grader Grader

	Remote RemoteMaker // makes the rollouts; nil: they are made here

	Agent      Agent      // carries rollouts in the place of Model and Tools; nil: the loop here does
	ModelProxy ModelProxy // where the agent may ask the run's model; nil: nowhere
}

// Sample makes the jobs' rollouts, as many at once as cfg and the endpoints let
// it, and hands each record to the sink as its rollout ends. What happens outside decides how
// it ends:
//
//   - drain closed, or the budget used up: no rollout begins any more, those in
//     flight end and are recorded; no error.
//   - no one reports the tokens or the money that cfg.Budget bounds: the same,
//     with ErrUnknownUsage.
//   - ctx ended: rollouts in flight are broken off and leave no record, but where
//     the model has answered: then the answer is recorded without a grade, as
//     rollout.KindUngraded. The error is ctx's cause.
//   - an endpoint that cannot work: the same, with an *endpoint.Error; a grader's
//     ends the run as drain does, for answers can be recorded without it.
//   - an endpoint that fails in the same way cfg.Breaker times in a row: as
//     drain, with an *endpoint.Error; rollouts that still need it leave no record,
//     or one without a grade.
//   - the sink fails: the same, with the sink's error.
//   - a grader whose grades do not fit cfg.RewardRange: as drain, with a
//     *RangeError.
//
// Stats.StoppedBy says which it was. The same seed and jobs give the same
// trace and request ids at any concurrency. watch, which may be nil, is called
// after each record, and every second, by the goroutine that writes; it should
// be quick. Memory grows with the rollouts in flight, not with the number of
// jobs. A nil drain never
// closes.
func Sample(ctx context.Context, drain <-chan struct{}, cfg Config, seed uint64, jobs []Job, b Boundaries, sink Sink, watch func(Event)) (Stats, error) {
	if err := errors.Join(cfg.Validate(), b.validate()); err != nil {
		return Stats{}, err
	}
	s := newSession(cfg, seed, b)
	s.account = cfg.Budget.Open(rolloutAccount, !cfg.Uncounted)
	make := Maker(s.here)
	if b.Remote != nil {
		maker, shut := s.makeRemotely(drain)
		defer shut()
		make = maker
	}
	all := func(yield func(work, error) bool) {
		for _, job := range jobs {
			if !yield(func(ctx context.Context) (ended, error) { return s.sample(ctx, job, make) }, nil) {
				return
			}
		}
	}
	return s.run(ctx, drain, len(jobs), all, sink, watch)
}

// here makes a rollout in this process.
func (s *session) here(ctx context.Context, job Job) (*rollout.Record, func(bool), error) {
	r, leave, err := s.rollout(ctx, job)
	return r, anyhow(leave), err
}

func (s *session) sample(ctx context.Context, job Job, make Maker) (ended, error) {
	r, leave, err := make(ctx, job)
	if err != nil {
		return ended{leave: leave}, err
	}
	return s.price(ended{record: r, toolCalls: len(r.Calls), tokens: TokensOf(r), took: time.Duration(r.Elapsed), leave: leave}), nil
}

// The kinds of accounts on a budget.
const (
	rolloutAccount = "rollouts"
	gradingAccount = "gradings"
)

// Rehearse makes one rollout and returns its record. Nothing is written, and only
// its money and tokens count against the budget. Its trace id is not one of the
// run's. A record that is not graded is not an error.
func Rehearse(ctx context.Context, cfg Config, seed uint64, job Job, b Boundaries) (*rollout.Record, error) {
	if err := errors.Join(cfg.Validate(), b.validate()); err != nil {
		return nil, err
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := newSession(cfg, seed, b)
	s.stop, s.name = stop, rehearsalID
	defer s.set.Close()
	r, leave, err := s.rollout(inner, job)
	leave()
	if err != nil {
		return nil, err
	}
	account := cfg.Budget.Open(rolloutAccount, false)
	defer account.Close()
	account.Note(limit.Used{Tokens: TokensOf(r), USD: s.price(ended{record: r}).usd, Took: time.Duration(r.Elapsed)})
	return r, nil
}

func (b Boundaries) validate() error {
	switch {
	case b.Model == nil && b.Agent == nil:
		return errors.New("sample: there is no model")
	case b.Grader == nil:
		return errors.New("sample: there is no grader")
	}
	for name, t := range b.Tools {
		if t == nil || t.Name() != name {
			return fmt.Errorf("sample: tool %q is listed under another name than its own", name)
		}
	}
	return nil
}
