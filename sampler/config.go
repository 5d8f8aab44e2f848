package sampler

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Config bounds a run. A duration or a count of 0 means no bound where nothing
// else is said.
type Config struct {
	// Concurrency is how many requests to each endpoint may be in flight: fewer
	// only where a 429 names the server's own limit.
	// 0 finds out for each endpoint what it bears, as limit.Limiter does.
	Concurrency int
	// Rollouts bounds the rollouts in flight. 0 is Concurrency, or DefaultRollouts
	// where that adapts; then a rollout also begins only while no line before an
	// endpoint is longer than the endpoint's limit.
	Rollouts int

	MaxSteps       int           // function calls + model turns of one rollout
	MaxToolCalls   int           // function calls of one rollout
	AgentTimeout   time.Duration // an agent's rollout, as a whole
	ModelTimeout   time.Duration // a request to the model, of which a rollout makes one a turn, without a byte of its answer
	ToolTimeout    time.Duration // a request to a tool, so
	GraderTimeout  time.Duration // a grading, so; one that asks nobody, as a whole
	RolloutTimeout time.Duration // one rollout, grading included, lines of our own not
	Retry          limit.Retry   // for failures of any endpoint
	Breaker        int           // the same failure of an endpoint so often in a row ends the run; 0 = never

	// Budget bounds what is begun, by several calls of Sample and Regrade
	// together. nil bounds nothing.
	Budget *limit.Budget
	// Uncounted says that what is begun is no rollout of the budget: the gradings
	// of an audit are not.
	Uncounted bool
	// Cost is what a record cost in US dollars: what Sample made it of, or the new
	// gradings of Regrade. ok is false where it cannot be told. nil counts no money.
	Cost func(*rollout.Record) (usd float64, ok bool)

	// Isolation gives each rollout something of its own to run in; nil does not.
	// Regrade does the same for each task.
	Isolation Isolation
	// IsolationTimeout is for one try to start or to stop it.
	IsolationTimeout time.Duration

	// Minute bounds what endpoints are asked in a minute, by name; Fixed is none
	// of its business.
	Minute map[string]limit.Limits

	// Lines are those of the run that the work is done for. nil: a session has its
	// own, by what stands above.
	Lines Lines

	// Log is told of retries, and of limits that shrink; nil tells nobody.
	Log *slog.Logger

	// RewardRange is where grades lie. One outside it is no grade: outcome
	// grader, of the kind KindRange. nil takes every finite number.
	RewardRange *[2]float64
}

// DefaultRollouts are in flight at once where nobody says how many.
const DefaultRollouts = 256

// DefaultConfig finds out what endpoints bear, and has time enough for slow
// tools.
func DefaultConfig() Config {
	return Config{
		ModelTimeout:  10 * time.Minute,
		ToolTimeout:   5 * time.Minute,
		GraderTimeout: 5 * time.Minute,
		Retry:         limit.DefaultRetry(),
		Breaker:       5,
	}
}

// rollouts is how many may be in flight.
func (c Config) rollouts() int { return cmp.Or(c.Rollouts, c.Concurrency, DefaultRollouts) }

// limits are those of one endpoint.
func (c Config) limits(name string) limit.Limits {
	l := c.Minute[name]
	l.Fixed, l.Pause, l.Longest = c.Concurrency, c.Retry.Wait, c.Retry.Cap
	return l
}

// Validate reports what cannot be obeyed.
func (c Config) Validate() error {
	for _, name := range slices.Sorted(maps.Keys(c.Minute)) {
		if err := c.limits(name).Validate(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := c.limits("").Validate(); err != nil {
		return err
	}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"in_flight", int64(c.Rollouts)},
		{"breaker", int64(c.Breaker)},
		{"max_steps", int64(c.MaxSteps)},
		{"max_tool_calls", int64(c.MaxToolCalls)},
		{"agent.timeout", int64(c.AgentTimeout)},
		{"model timeout", int64(c.ModelTimeout)},
		{"tool_timeout", int64(c.ToolTimeout)},
		{"grader_timeout", int64(c.GraderTimeout)},
		{"rollout_timeout", int64(c.RolloutTimeout)},
		{"session.timeout", int64(c.IsolationTimeout)},
	} {
		if n.value < 0 {
			return fmt.Errorf("%s cannot be negative (0 = no bound)", n.name)
		}
	}
	if r := c.RewardRange; r != nil && (!(r[0] < r[1]) || math.IsInf(r[0], 0) || math.IsInf(r[1], 0)) {
		return fmt.Errorf("reward_range [%g, %g] is not a lower and a higher number", r[0], r[1])
	}
	if err := c.Budget.Bounds().Validate(); err != nil {
		return err
	}
	return c.Retry.Validate()
}
