package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonogo/analysis/price"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Settings are the parameters of an analysis. The zero value is not valid; start from
// DefaultSettings.
type Settings struct {
	GroupSize     int          // G: rollouts a trainer compares with each other, >= 2
	RewardRange   stat.Range   // of the grader
	Ceiling       *float64     // the best a perfect policy could earn; nil: the top of the range
	PassThreshold *float64     // rewards at or above it pass; nil: nothing but pass^k has passes, at the ceiling
	Confidence    float64      // of every interval, in (0.5, 1)
	Normalize     string       // what the trainer divides a group's advantages by: NormalizeStd or NormalizeNone
	Epsilon       float64      // what the trainer adds to the standard deviation of a group, in units of the reward
	WantedShare   float64      // of informative groups, which the plan's smallest group size must reach
	BatchSize     int          // items a training step; 0: unknown
	Epochs        int          // passes over the training items; 0: unknown
	EvalInterval  int          // training steps between evaluations; 0: unknown
	EvalSamples   int          // rollouts of an eval item at each of them; 0: unknown
	Parameters    float64      // active parameters of the trained model per token; 0: unknown
	TrainerFlops  float64      // FLOP/s that the trainer sustains; 0: unknown
	Prices        price.Prices // in US dollars; the zero value knows none
	Core          string       // the part of the reward that measures the task itself; "": taken from the run's manifest
	Seed          uint64       // of the bootstrap
	Boot          int          // bootstrap resamples
	Thresholds    Thresholds   // by name; missing ones have their default
	// a regular expression (RE2) for the beginning of outputs that report an error although the
	// call succeeded; "": none
	ToolErrors    string
	ToolsOptional bool     // whether rollouts may ignore the tools that they are offered
	Require       []string // stages and gates without which the verdict is UNDECIDED; see Stages and DefaultRequire

	// Reference returns an item's right answer, "" if there is none. nil: the first of the usual
	// fields of its row.
	Reference func(*rollout.Item) string
}

// What a trainer divides the advantages of a group by: the standard deviation of its rewards, as
// GRPO does (Shao et al. 2024, arXiv 2402.03300), so that only whether rewards differ matters and
// not by how much; or nothing, as Dr. GRPO does (Liu et al. 2025, arXiv 2503.20783).
const (
	NormalizeStd  = "std"
	NormalizeNone = "none"
)

// Normalizations lists the values of Normalize, the default first.
func Normalizations() []string { return []string{NormalizeStd, NormalizeNone} }

// DefaultSettings are the settings of `gonogo analyze` without flags.
func DefaultSettings() Settings {
	return Settings{
		GroupSize:   8,
		RewardRange: stat.Range{Lo: 0, Hi: 1},
		Confidence:  0.95,
		Normalize:   NormalizeStd,
		Epsilon:     1e-4,
		WantedShare: 0.5,
		ToolErrors:  ToolErrors,
		Seed:        1,
		Boot:        999,
	}
}

// Limits of a reward range within which squares neither overflow nor vanish and a millionth of the
// width is still a difference.
const (
	mostReward = 1e100
	leastWidth = 1e-9 // of the larger end
)

// Validate reports the first setting that cannot be used, by the key that fixes it. It does not
// check the names in Thresholds and Require; Gates.Validate does.
func (s Settings) Validate() error {
	r := s.RewardRange
	switch {
	case s.GroupSize < 2:
		return fmt.Errorf("group_size is %d: a group needs at least 2 rollouts", s.GroupSize)
	case stat.FiniteOrNil(r.Lo) == nil || stat.FiniteOrNil(r.Hi) == nil || r.Lo >= r.Hi:
		return fmt.Errorf("reward_range is [%g, %g]: it needs two finite numbers, the lower one first", r.Lo, r.Hi)
	case max(math.Abs(r.Lo), math.Abs(r.Hi)) > mostReward ||
		r.Width() < leastWidth*max(math.Abs(r.Lo), math.Abs(r.Hi)) || r.Width() < 1/mostReward:
		return fmt.Errorf("reward_range is [%g, %g]: numbers above %g, or so close together, leave no digits to "+
			"compute with: scale the rewards", r.Lo, r.Hi, mostReward)
	case !slices.Contains(Normalizations(), s.Normalize):
		return fmt.Errorf("trainer.normalize is %q: it is one of %s", s.Normalize, strings.Join(Normalizations(), ", "))
	case s.Epsilon < 0 || stat.FiniteOrNil(s.Epsilon) == nil:
		return fmt.Errorf("trainer.epsilon is %g: it must be a finite number from 0", s.Epsilon)
	case s.Confidence <= 0.5 || s.Confidence >= 1:
		return fmt.Errorf("confidence is %g: it must be between 0.5 and 1", s.Confidence)
	case s.Ceiling != nil && (*s.Ceiling <= r.Lo || *s.Ceiling > r.Hi):
		return fmt.Errorf("ceiling is %g: it must be inside the reward range [%g, %g]", *s.Ceiling, r.Lo, r.Hi)
	case s.PassThreshold != nil && stat.FiniteOrNil(*s.PassThreshold) == nil:
		return fmt.Errorf("pass_threshold is %g: it must be finite", *s.PassThreshold)
	case s.WantedShare <= 0 || s.WantedShare > 1:
		return fmt.Errorf("training.wanted_share is %g: it must be above 0 and at most 1", s.WantedShare)
	}
	if err := checkPattern(s.ToolErrors); err != nil {
		return fmt.Errorf("tools.error_pattern is not a regular expression: %w", err)
	}
	if err := s.Prices.Validate(); err != nil {
		return err
	}
	return s.Thresholds.validate()
}

// ToolError returns a function that reports, by the beginning of an output, whether it is an error;
// nil if no pattern is set.
func (s Settings) ToolError() func(output string) bool { return toolError(s.ToolErrors) }

// Best is the most that a perfect policy could earn: Ceiling, or the top of the range.
func (s Settings) Best() float64 { return stat.ValueOr(s.Ceiling, s.RewardRange.Hi) }
