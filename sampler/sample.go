package sampler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Sink takes the records of a run, from one goroutine, in the order in which the rollouts end. If
// it rejects one with a *rollout.TooLargeError, it gets a record of the cause instead, as missing
// data.
type Sink interface {
	Append(*rollout.Record) error
}

// SinkFunc makes a func a Sink.
type SinkFunc func(*rollout.Record) error

// Append calls f.
func (f SinkFunc) Append(r *rollout.Record) error { return f(r) }

// Holder is a Sink that also keeps outputs whose grading takes long, as records of the kind
// rollout.KindUngraded. The rollout's final record replaces this one.
type Holder interface {
	Hold(*rollout.Record) error
}

// Boundaries holds the endpoints of a rollout. They are safe for concurrent use.
type Boundaries struct {
	Model  Model           // nil with an agent
	Tools  map[string]Tool // by name
	Grader Grader

	// GroupSize is how many outputs of an item the grader compares. Their answers are then recorded
	// without a grade, and Regrade grades them with their groups; 0: each output is graded by itself.
	GroupSize int

	Remote RemoteMaker // makes the rollouts; nil: this process makes them

	Agent      Agent      // makes rollouts instead of Model and Tools; nil: the loop of this package does
	ModelProxy ModelProxy // gives the agent access to the run's model; nil: no access
}

// SampleOptions says what Sample makes, with what, and where the records go.
type SampleOptions struct {
	Config
	Seed       uint64 // the same seed and rollouts give the same trace and request ids at any concurrency
	Rollouts   []Rollout
	Boundaries Boundaries
	Sink       Sink
	Drain      <-chan struct{} // closed: no further rollout starts; nil never closes
	Watch      func(Event)     // called after each record and every second, by the goroutine that writes; may be nil
}

// Sample makes the rollouts of o.Jobs, as many at once as the configuration and the endpoints
// allow, and hands each record to the sink when its rollout ends. How a run ends:
//
//   - Drain is closed, or the budget is used up: no further rollout starts; those in flight
//     end and are recorded. No error.
//   - No endpoint reports the tokens or the money that Config.Budget bounds: the same, with
//     ErrUnknownUsage.
//   - ctx ends: rollouts in flight are stopped and leave no record, unless the model has
//     answered: then the answer is recorded without a grade, as rollout.KindUngraded. The
//     error is ctx's cause.
//   - An endpoint cannot work: the same, with an *endpoint.Error. A grader that cannot work
//     ends the run as Drain does, since answers can be recorded without it.
//   - An endpoint fails in the same way Config.Breaker times in a row: as with Drain, with an
//     *endpoint.Error; rollouts that still need it leave no record, or one without a grade.
//   - The sink fails: the same, with the sink's error.
//   - A grade is outside Config.RewardRange: as with Drain, with a *RangeError.
//
// Stats.StoppedBy says which it was. Watch should return quickly. Memory grows with the
// rollouts in flight, not with the number of rollouts.
func Sample(ctx context.Context, o SampleOptions) (Stats, error) {
	cfg, b := o.Config, o.Boundaries
	if err := errors.Join(cfg.Validate(), b.validate()); err != nil {
		return Stats{}, err
	}
	s := newSession(cfg, o.Seed, b)
	s.account = cfg.Budget.Open(rolloutAccount, !cfg.Uncounted)
	maker := Maker(s.here)
	if b.Remote != nil {
		remote, shut := s.makeRemotely(o.Drain)
		defer shut()
		maker = remote
	}
	all := func(yield func(work, error) bool) {
		for _, todo := range o.Rollouts {
			if !yield(func(ctx context.Context) (ended, error) { return s.sample(ctx, todo, maker) }, nil) {
				return
			}
		}
	}
	return s.run(ctx, o.Drain, len(o.Rollouts), all, o.Sink, o.Watch)
}

// here makes a rollout in this process.
func (s *session) here(ctx context.Context, todo Rollout) (*rollout.Record, func(bool), error) {
	r, leave, err := s.rollout(ctx, todo)
	return r, anyhow(leave), err
}

func (s *session) sample(ctx context.Context, todo Rollout, maker Maker) (ended, error) {
	r, leave, err := maker(ctx, todo)
	if err != nil {
		return ended{leave: leave}, err
	}
	return s.price(ended{
		record: r, toolCalls: len(r.Calls), tokens: TokensOf(r), took: time.Duration(r.Elapsed),
		leave: leave,
	}), nil
}

// The kinds of accounts of a budget.
const (
	rolloutAccount = "rollouts"
	gradingAccount = "gradings"
)

// Rehearse makes one rollout and returns its record. Nothing is written, and only its money and
// tokens count against the budget. Its trace id is not one of the run's. A record that is not
// graded is not an error.
func Rehearse(ctx context.Context, cfg Config, seed uint64, todo Rollout, b Boundaries) (*rollout.Record, error) {
	if err := errors.Join(cfg.Validate(), b.validate()); err != nil {
		return nil, err
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s := newSession(cfg, seed, b)
	s.stop, s.name = stop, rehearsalID
	defer s.set.Close()
	r, leave, err := s.rollout(inner, todo)
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
			return fmt.Errorf("sample: tool %q is listed under a different name", name)
		}
	}
	return nil
}
