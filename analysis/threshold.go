package analysis

import (
	"fmt"
	"maps"
	"slices"

	"gonogo/analysis/stat"
)

// Threshold is one number that a gate compares with: declared once, listed by its gate
// and read with Thresholds.At.
type Threshold struct {
	Name    string // the gate's name, or that name, a dot and more
	Unit    string // share, items, groups, tokens, times, seconds, correlation, AUC, p
	Doc     string
	Default float64
}

// Thresholds holds threshold values by name. A missing name has its default.
type Thresholds map[string]float64

// Thresholds that the measurements also use, before any gate judges. They belong to the gates whose
// names they begin with.
var (
	HackableMargin = Threshold{"grader.hackable.margin", "share", "how far above a probe's limit, and above what " +
		"the model itself earns, a reward may be, as a share of the range; also what counts as a change, and as " +
		"something earned", 0.05}
	TailTimes = Threshold{
		"tools.tail", "times",
		"a tool's 95th percentile latency, in multiples of its median, above which it has a long tail", 3,
	}
	TimeLimit = Threshold{"tools.tail.limit", "seconds", "seconds a rollout may take; 0: no limit", 0}
)

// Thresholds of gonogo compare, which belong to no gate.
var (
	CompareDelta = Threshold{
		"compare.delta", "share",
		"for gonogo compare: the smallest change of the mean reward that matters, as a share of the range", 0.05,
	}
	CompareTolerance = Threshold{
		"compare.tolerance", "share",
		"for gonogo compare: the change up to which nothing is called better or worse, as a share of the range", 0,
	}
)

// At returns the value of a threshold.
func (t Thresholds) At(threshold Threshold) float64 {
	if v, ok := t[threshold.Name]; ok {
		return v
	}
	return threshold.Default
}

func (t Thresholds) validate() error {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if stat.FiniteOrNil(t[name]) == nil {
			return fmt.Errorf("threshold %s is %g: it must be finite", name, t[name])
		}
	}
	return nil
}

// ThresholdValues holds the value of every threshold, by gate and then by name; those of gonogo
// compare are under compare.
type ThresholdValues map[string]map[string]float64

// ByName returns the values by name alone.
func (v ThresholdValues) ByName() Thresholds {
	all := make(Thresholds)
	for _, values := range v {
		maps.Copy(all, values)
	}
	return all
}

// Changed is a threshold that is not at its default.
type Changed struct {
	Name    string  `json:"name"`
	Default float64 `json:"default"`
	Value   float64 `json:"value"`
}

// ClearShift is the AUC above which, with its whole interval, a difference between
// splits is called clear.
const ClearShift = 0.60
