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

// Config bounds a run. A duration or a count of 0 means no bound unless stated otherwise.
type Config struct {
	// Concurrency is how many requests may be in flight to each endpoint, or fewer after a 429 that
	// names the server's own limit. 0 adapts to each endpoint (see limit.Limiter).
	Concurrency int
	// Rollouts bounds the rollouts in flight. 0 means Concurrency, or DefaultRollouts if
	// Concurrency adapts; then a rollout starts only while no endpoint's queue is longer than its
	// limit.
	Rollouts int

	MaxSteps     int           // function calls + model turns of one rollout
	MaxToolCalls int           // function calls of one rollout
	AgentTimeout time.Duration // of an agent's whole rollout
	// longest time without a byte of the model's answer to a request; a rollout makes one request
	// per turn
	ModelTimeout   time.Duration
	ToolTimeout    time.Duration // the same for a request to a tool
	GraderTimeout  time.Duration // the same for a grading; of the whole grading if it sends no request
	RolloutTimeout time.Duration // of one rollout, including grading but not our own queues
	Retry          limit.Retry   // for failures of any endpoint
	Breaker        int           // this many identical failures of an endpoint in a row end the run; 0 never does

	// Budget bounds what several calls of Sample and Regrade start together. nil bounds nothing.
	Budget *limit.Budget
	// Uncounted says that the work does not count as rollouts of the budget, such as the gradings
	// of an audit.
	Uncounted bool
	// Cost returns what a record cost in US dollars: to sample it, or for the new gradings of
	// Regrade. ok is false if the cost is unknown. A nil Cost counts no money.
	Cost func(*rollout.Record) (usd float64, ok bool)

	// Isolation gives each rollout its own session, and each task of Regrade; nil gives none.
	Isolation Isolation
	// IsolationTimeout bounds one try to start or stop a session.
	IsolationTimeout time.Duration

	// Minute bounds the requests per minute, by name of the endpoint; Fixed is ignored.
	Minute map[string]limit.Limits

	// Queue is the queue of the run that this work belongs to. If it is nil, requests wait in
	// queues of their own, by the settings above.
	Queue endpoint.Queue

	// Secrets are blanked in what the model and the grader read: values of the environment that are
	// too long to be an ordinary word.
	Secrets endpoint.Secrets

	// Log receives retries and shrinking limits; nil logs nothing.
	Log *slog.Logger

	// RewardRange is the range of grades. A grade outside it does not count: the outcome is grader,
	// of the kind KindRange. nil accepts every finite number.
	RewardRange *[2]float64

	// RangeAssumed says that RewardRange is only a default. A grade outside it then counts, and
	// ends the run with a *RangeError, so that the range is set before any grade is lost.
	RangeAssumed bool
}

// DefaultRollouts is how many rollouts are in flight if nothing is configured.
const DefaultRollouts = 256

// DefaultConfig adapts to what endpoints can handle, and allows time for slow tools.
func DefaultConfig() Config {
	return Config{
		ModelTimeout:  10 * time.Minute,
		ToolTimeout:   5 * time.Minute,
		GraderTimeout: 5 * time.Minute,
		Retry:         limit.DefaultRetry(),
		Breaker:       5,
	}
}

// rollouts returns how many may be in flight.
func (c Config) rollouts() int { return cmp.Or(c.Rollouts, c.Concurrency, DefaultRollouts) }

// limits returns the limits of one endpoint.
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
