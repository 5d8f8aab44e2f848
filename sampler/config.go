package sampler

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// Config bounds a run. A duration or a count of 0 means no bound unless stated
// otherwise.
type Config struct {
	// Concurrency is how many requests may be in flight to each endpoint; fewer only
	// after a 429 that names the server's own limit. 0 adapts to each endpoint, as
	// limit.Limiter does.
	Concurrency int
	// Rollouts bounds the rollouts in flight. 0 is Concurrency, or DefaultRollouts
	// when that adapts; then a rollout also begins only while no endpoint's queue is
	// longer than its limit.
	Rollouts int

	MaxSteps     int           // function calls + model turns of one rollout
	MaxToolCalls int           // function calls of one rollout
	AgentTimeout time.Duration // an agent's rollout, as a whole
	// longest time without a byte of the model's answer to a request, of which a rollout makes one a turn
	ModelTimeout   time.Duration
	ToolTimeout    time.Duration // the same for a request to a tool
	GraderTimeout  time.Duration // the same for a grading; the whole grading if it sends no request
	RolloutTimeout time.Duration // one rollout, grading included, not counting our own queues
	Retry          limit.Retry   // for failures of any endpoint
	Breaker        int           // this many identical failures of an endpoint in a row end the run; 0 = never

	// Budget bounds what several calls of Sample and Regrade begin together. nil
	// bounds nothing.
	Budget *limit.Budget
	// Uncounted says that what begins does not count as a rollout of the budget: the
	// gradings of an audit do not.
	Uncounted bool
	// Cost returns what a record cost in US dollars: to sample it, or for the new
	// gradings of Regrade. ok is false if that is unknown. nil counts no money.
	Cost func(*rollout.Record) (usd float64, ok bool)

	// Isolation gives each rollout its own session; nil does not. Regrade does the
	// same for each task.
	Isolation Isolation
	// IsolationTimeout bounds one try to start or to stop a session.
	IsolationTimeout time.Duration

	// Minute bounds the requests to endpoints per minute, by name; it does not use
	// Fixed.
	Minute map[string]limit.Limits

	// Queue is that of the run that the work is done for. nil: the requests wait in
	// lines of their own, by the settings above.
	Queue endpoint.Queue

	// Secrets are blanked out of what the model and the grader read: values of the
	// environment that are too long to be an ordinary word.
	Secrets endpoint.Secrets

	// Log receives retries and shrinking limits; nil logs nothing.
	Log *slog.Logger

	// RewardRange is the range of grades. A grade outside of it does not count:
	// outcome grader, of the kind KindRange. nil accepts every finite number.
	RewardRange *[2]float64

	// RangeAssumed says that no one set RewardRange. A grade outside of it then counts, and
	// ends the run with a *RangeError: the range is to be set before any grade is lost.
	RangeAssumed bool
}

// DefaultRollouts is how many rollouts are in flight if nothing is configured.
const DefaultRollouts = 256

// DefaultConfig adapts to what endpoints can take, and allows time for slow tools.
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

// Validate reports invalid settings.
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
		return fmt.Errorf("reward_range [%g, %g] needs a lower and a higher number", r[0], r[1])
	}
	if err := c.Budget.Bounds().Validate(); err != nil {
		return err
	}
	return c.Retry.Validate()
}
