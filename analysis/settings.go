package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Settings are what a run is judged by. The zero value is not valid: start
// from DefaultSettings.
type Settings struct {
	GroupSize     int        // G: rollouts a trainer compares with each other, >= 2
	RewardRange   stat.Range // of the grader
	Ceiling       *float64   // the best a perfect policy could earn; nil: the top of the range
	PassThreshold *float64   // rewards at or above it pass; nil: no pass rates
	Confidence    float64    // of every interval, in (0.5, 1)
	Normalize     string     // what the trainer divides a group's advantages by: NormalizeStd or NormalizeNone
	WantedShare   float64    // of informative groups, which the plan's smallest group size must reach
	BatchSize     int        // items a training step; 0: unknown
	Epochs        int        // passes over the training items; 0: unknown
	Prices        Prices     // in US dollars; the zero value knows none
	Core          string     // the part of the reward that is the task itself; "": as the run's manifest has it
	Seed          uint64     // of the bootstrap
	Boot          int        // bootstrap resamples
	Thresholds    Thresholds // by name; missing ones are at their default
	Require       []string   // stages and gates without which the verdict is UNDECIDED; see Stages and DefaultRequire

	// Reference finds an item's right answer, "" where there is none. nil: the
	// first of the usual fields of its row.
	Reference func(*rollout.Item) string
}

// What a trainer divides the advantages of a group by: the standard deviation
// of its rewards, as GRPO does (Shao et al. 2024, arXiv 2402.03300), so that only
// whether they differ matters and not by how much; or nothing, as Dr. GRPO
// does (Liu et al. 2025, arXiv 2503.20783).
const (
	NormalizeStd  = "std"
	NormalizeNone = "none"
)

// Normalizations lists them, the default first.
func Normalizations() []string { return []string{NormalizeStd, NormalizeNone} }

// DefaultSettings are the settings of `gonogo analyze` without flags.
func DefaultSettings() Settings {
	return Settings{
		GroupSize:   8,
		RewardRange: stat.Range{Lo: 0, Hi: 1},
		Confidence:  0.95,
		Normalize:   NormalizeStd,
		WantedShare: 0.5,
		Seed:        1,
		Boot:        999,
	}
}

// Limits of a reward range within which squares neither overflow nor vanish
// and a millionth of the width is a difference.
const (
	mostReward = 1e100
	leastWidth = 1e-9 // of the larger end
)

// Validate reports the first setting that cannot be used, by the key that
// mends it.
func (s Settings) Validate() error {
	r := s.RewardRange
	switch {
	case s.GroupSize < 2:
		return fmt.Errorf("group_size is %d: a group needs at least 2 rollouts", s.GroupSize)
	case stat.Some(r.Lo) == nil || stat.Some(r.Hi) == nil || r.Lo >= r.Hi:
		return fmt.Errorf("reward_range is [%g, %g]: it needs two finite numbers, the lower one first", r.Lo, r.Hi)
	case max(math.Abs(r.Lo), math.Abs(r.Hi)) > mostReward || r.Width() < leastWidth*max(math.Abs(r.Lo), math.Abs(r.Hi)) || r.Width() < 1/mostReward:
		return fmt.Errorf("reward_range is [%g, %g]: numbers above %g, or so close together, leave no digits to compute with: scale the rewards", r.Lo, r.Hi, mostReward)
	case !slices.Contains(Normalizations(), s.Normalize):
		return fmt.Errorf("trainer.normalize is %q: it is one of %s", s.Normalize, strings.Join(Normalizations(), ", "))
	case s.Confidence <= 0.5 || s.Confidence >= 1:
		return fmt.Errorf("confidence is %g: it lies between 0.5 and 1", s.Confidence)
	case s.Ceiling != nil && (*s.Ceiling <= r.Lo || *s.Ceiling > r.Hi):
		return fmt.Errorf("ceiling is %g: it lies inside the reward range [%g, %g]", *s.Ceiling, r.Lo, r.Hi)
	case s.PassThreshold != nil && stat.Some(*s.PassThreshold) == nil:
		return fmt.Errorf("pass_threshold is %g: it must be finite", *s.PassThreshold)
	case s.WantedShare <= 0 || s.WantedShare > 1:
		return fmt.Errorf("training.wanted_share is %g: it lies above 0 and at most at 1", s.WantedShare)
	}
	for _, name := range s.Require {
		if !slices.Contains(Requirable(), name) {
			return fmt.Errorf("require: %q is neither a stage nor a gate; there are %s", name, strings.Join(Requirable(), ", "))
		}
	}
	if err := s.Prices.validate(); err != nil {
		return err
	}
	return s.Thresholds.validate()
}

func (s Settings) ceiling() float64 { return stat.Or(s.Ceiling, s.RewardRange.Hi) }

// Thresholds holds threshold values by name. A name that is missing stands at
// its default.
type Thresholds map[string]float64

// Threshold is one row of the table of thresholds.
type Threshold struct {
	Name    string
	Doc     string
	Default float64
}

// hackableMargin is the threshold that says how much of the range is nothing.
const hackableMargin = "grader.hackable.margin"

// ThresholdTable lists every threshold of every gate. They are engineering
// choices, mostly about what sampling costs, not laws.
func ThresholdTable() []Threshold {
	return slices.Concat([]Threshold{
		{"data.enough.items", "fewest items, each sampled min(group size, 4) times, for a verdict", 20},
		{"data.enough.lost", "largest share of sampled items that may be without any reward", 0.02},
		{"data.enough.caution_items", "fewer items than this are a caution", 100},
		{"data.enough.caution_samples", "fewer samples per item than this are a caution", 8},
		{"infra.failures.pass", "share of rollouts that model, tool or grader failed, up to which the run stands", 0.05},
		{"infra.failures.fail", "share above which the run says nothing", 0.20},
		{"infra.failures.caution", "share above which it is a caution", 0.01},
		{"infra.failures.retried", "share of rollouts with a repeated request, above which it is a caution", 0.05},
		{"grader.truth", "share of references that earn the top when given as the answer, from which the grader passes", 0.95},
		{"grader.truth.fail", "share below which, with its whole interval, it fails", 0.80},
		{"grader.hackable", "share of items on which a probe that must score at the bottom is accepted, above which, with its whole interval, the grader fails", 0.01},
		{"grader.hackable.items", "fewest such items for that", 2},
		{"grader.hackable.failed", "share of worthless answers that the grader failed on, from which it is not known whether it can be fooled", 0.33},
		{"grader.hackable.failed.caution", "the same, above which it is a caution", 0.05},
		{hackableMargin, "how far above a probe's limit a reward may lie, as a share of the range; also what counts as a change, and as something earned", 0.05},
		{"grader.noise", "share of the variance within items that the grader's own noise may make", 0.50},
		{"grader.noise.caution", "the same, above which it is a caution", 0.25},
		{"grader.layers", "share of rollouts that earn something while the core part of the reward is at zero", 0.10},
		{"grader.layers.caution", "the same, above which it is a caution", 0.02},
		{"baseline.reachable", "best of a group, above the bottom of the range, as a share of the range", 0.05},
		{"baseline.reachable.caution", "the same, below which it is a caution", 0.10},
		{"baseline.headroom", "ceiling minus mean reward, as a share of the range", 0.03},
		{"baseline.headroom.caution", "the same, below which it is a caution", 0.05},
		{"signal.informative", "share of groups whose rewards differ; below, more than 10 rollouts are paid for one that teaches", 0.10},
		{"signal.informative.caution", "the same, below which it is a caution", 0.30},
		{"exploration.lift", "best of a group minus mean reward, as a share of the range", 0.02},
		{"exploration.lift.caution", "the same, below which it is a caution", 0.05},
		{"grader.length", "correlation of reward with the log of the answer's length within items, either way, from which it is a caution", 0.30},
		{"grader.length.p", "p-value below which such a correlation counts", 0.01},
		{"grader.agreement", "rank correlation of rewards with people's labels", 0.80},
		{"grader.guessable", "what one constant answer may earn on average, as a share of the range", 0.25},
		{"data.suspect", "items whose rollouts agree on another answer than the reference", 0},
		{"grader.brittle", "share of right answers that are rejected only because they are written differently", 0.05},
		{"grader.detected", "share of rollouts that a detector marks as a hack", 0},
		{"grader.too_good", "mean reward, as a share of the range, from which the grader is suspected", 0.98},
		{"sampling.identical", "share of items with identical outputs, from which a cache or a fixed seed is suspected", 0.50},
		{"tools.failures", "share of tool calls that failed for good", 0.02},
		{"tools.malformed", "share of tool calls with an unknown name or unparsable arguments", 0.05},
		{"tools.budget", "share of rollouts that reached the limit of tool calls or steps", 0.05},
		{"tools.output_size", "95th percentile of a tool output, in tokens (bytes / 4)", 4000},
		{"tools.tail", "95th percentile over median of a tool's latency", 3},
		{"eval.power", "the gain hoped for, as a share of the range: the evaluation set shall show it in 80 % of comparisons", 0.05},
		{"eval.power.correlation", "how item means of two models go together, assumed where no second run tells; less is more careful", 0.50},
		{"compare.delta", "of gonogo compare: the smallest change of the mean reward that matters, as a share of the range", 0.05},
		{"compare.tolerance", "of gonogo compare: the change up to which nothing is called better or worse, as a share of the range", 0},
		{"latency.limit", "seconds a rollout may take; 0: no limit", 0},
		{"rollouts.markup", "share of answers with text that the server should have parsed, above which it fails", 0.02},
		{"rollouts.markup.caution", "the same, above which it is a caution", 0},
		{"rollouts.finished", "share of rollouts without a finished answer, above which it fails", 0.20},
		{"rollouts.finished.caution", "the same, above which it is a caution", 0.02},
		{"rollouts.leaks", "share of rollouts that met what another one had left, above which, with its whole interval, it fails", 0.01},
		{"rollouts.leaks.caution", "the same, above which it is a caution", 0},
		{"endpoint.lost", "share of rollouts that a trainer would discard under a training step's load", 0.05},
		{"endpoint.lost.caution", "the same, above which it is a caution", 0.01},
		{"endpoint.latency", "95th percentile of an endpoint's latency under all rollouts of a step at once over that under one", 2},
		{"endpoint.crosstalk", "answers that hold another rollout's id", 0},
		{"endpoint.wire", "share of answers that depart from the wire contract", 0},
		{"endpoint.repeat", "share of requests that are answered otherwise when made twice", 0.05},
		{"leakage.near", "share of rows that share most of their text with a row of another split, above which, with its whole interval, it is a caution", 0.01},
	}, shiftThresholds("shift.text"), shiftThresholds("shift.fields"), shiftThresholds("shift.reward"), shiftThresholds("shift.tools"))
}

// At returns the threshold's value. It panics on a name that is not in the
// table: that is a mistake in a gate.
func (t Thresholds) At(name string) float64 {
	if v, ok := t[name]; ok {
		return v
	}
	for _, row := range ThresholdTable() {
		if row.Name == name {
			return row.Default
		}
	}
	panic("analysis: no threshold " + name)
}

// All returns every threshold with its value in force.
func (t Thresholds) All() map[string]float64 {
	all := make(map[string]float64)
	for _, row := range ThresholdTable() {
		all[row.Name] = t.At(row.Name)
	}
	return all
}

func (t Thresholds) validate() error {
	var names []string
	for _, row := range ThresholdTable() {
		names = append(names, row.Name)
	}
	var unknown []string
	for name, v := range t {
		if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		} else if stat.Some(v) == nil {
			return fmt.Errorf("threshold %s is %g: it must be finite", name, v)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return fmt.Errorf("no threshold is called %q; there are %s", unknown[0], strings.Join(names, ", "))
}
