package sampler

import (
	"fmt"
	"math"
	"time"

	"gonogo/sampler/limit"
)

// Config bounds a run. A duration or a count of 0 means no bound, Concurrency
// excepted.
type Config struct {
	Concurrency    int           // rollouts in flight at once, at least 1
	MaxSteps       int           // function calls + model turns of one rollout
	MaxToolCalls   int           // function calls of one rollout
	ModelTimeout   time.Duration // one request to the model, of which a rollout makes one a turn
	ToolTimeout    time.Duration // one request to a tool
	GraderTimeout  time.Duration // one grading
	RolloutTimeout time.Duration // one rollout, grading included
	Retry          limit.Retry   // for failures of any endpoint
	MaxRollouts    int           // rollouts begun by one call of Sample, or outputs by one of Regrade
	MaxTokens      int64         // tokens used by one such call, policy and judge together

	// RewardRange is where grades lie. One outside it is no grade: outcome
	// grader, of the kind KindRange. nil takes every finite number.
	RewardRange *[2]float64
}

// DefaultConfig is sixteen rollouts at once, and time enough for slow tools.
func DefaultConfig() Config {
	return Config{
		Concurrency:   16,
		ModelTimeout:  10 * time.Minute,
		ToolTimeout:   5 * time.Minute,
		GraderTimeout: 5 * time.Minute,
		Retry:         limit.DefaultRetry(),
	}
}

// Validate reports what cannot be obeyed.
func (c Config) Validate() error {
	if c.Concurrency < 1 {
		return fmt.Errorf("concurrency is %d: it must be at least 1", c.Concurrency)
	}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"max_steps", int64(c.MaxSteps)},
		{"max_tool_calls", int64(c.MaxToolCalls)},
		{"model timeout", int64(c.ModelTimeout)},
		{"tool_timeout", int64(c.ToolTimeout)},
		{"grader_timeout", int64(c.GraderTimeout)},
		{"rollout_timeout", int64(c.RolloutTimeout)},
		{"max_rollouts", int64(c.MaxRollouts)},
		{"max_tokens", c.MaxTokens},
	} {
		if n.value < 0 {
			return fmt.Errorf("%s cannot be negative (0 = no bound)", n.name)
		}
	}
	if r := c.RewardRange; r != nil && (!(r[0] < r[1]) || math.IsInf(r[0], 0) || math.IsInf(r[1], 0)) {
		return fmt.Errorf("reward_range [%g, %g] is not a lower and a higher number", r[0], r[1])
	}
	return c.Retry.Validate()
}
