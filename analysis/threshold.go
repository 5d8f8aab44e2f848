package analysis

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonogo/analysis/stat"
)

// Threshold is one number that a gate compares with.
type Threshold struct {
	Name    string // the gate's, or begins with it and a dot
	Unit    string // share, items, tokens, times, seconds, correlation, AUC, p
	Doc     string
	Default float64
}

// defaults holds the default of every registered threshold.
var defaults = map[string]float64{}

// gateOf is the gate of each threshold.
var gateOf = map[string]string{}

// known registers the defaults of a gate's thresholds.
func known(gate string, list ...Threshold) []Threshold {
	for _, t := range list {
		if _, taken := defaults[t.Name]; taken {
			panic("analysis: two thresholds are called " + t.Name)
		}
		defaults[t.Name], gateOf[t.Name] = t.Default, gate
	}
	return list
}

// Thresholds holds threshold values by name. A missing name has its default.
type Thresholds map[string]float64

// Thresholds that the measurements use too, before any gate judges. They belong to the
// gates whose names they begin with.
var (
	HackableMargin   = Threshold{"grader.hackable.margin", "share", "how far above a probe's limit, and above what the model itself earns, a reward may be, as a share of the range; also what counts as a change, and as something earned", 0.05}
	InformativeShare = Threshold{"signal.informative", "share", "share of groups whose rewards differ; below, more than 10 rollouts are paid for one that teaches", 0.10}
	TailTimes        = Threshold{"tools.tail", "times", "in medians: beyond it the 95th percentile of a tool's latency is a long tail", 3}
	TimeLimit        = Threshold{"tools.tail.limit", "seconds", "seconds a rollout may take; 0: no limit", 0}
)

// ThresholdsOf lists every threshold of the gates, in their order, and those of
// gonogo compare. They are engineering choices, mostly about what sampling costs, not
// laws.
func ThresholdsOf(gates []Gate) []Threshold {
	var all []Threshold
	for _, g := range gates {
		all = append(all, g.Thresholds...)
	}
	return append(all, compareThresholds...)
}

// compareThresholds belong to gonogo compare and to no gate.
var compareThresholds = known("compare",
	Threshold{"compare.delta", "share", "for gonogo compare: the smallest change of the mean reward that matters, as a share of the range", 0.05},
	Threshold{"compare.tolerance", "share", "for gonogo compare: the change up to which nothing is called better or worse, as a share of the range", 0},
)

// At returns the threshold's value. It panics on an unregistered name, which is a mistake in a gate.
func (t Thresholds) At(name string) float64 {
	if v, ok := t[name]; ok {
		return v
	}
	if v, ok := defaults[name]; ok {
		return v
	}
	panic("analysis: no threshold " + name)
}

// Of returns the value of a threshold, whether or not its gate is part of the program.
func (t Thresholds) Of(threshold Threshold) float64 {
	if v, ok := t[threshold.Name]; ok {
		return v
	}
	return threshold.Default
}

// All returns every registered threshold with its current value.
func (t Thresholds) All() ThresholdValues {
	all := make(ThresholdValues, len(defaults))
	for name := range defaults {
		all[name] = t.At(name)
	}
	return all
}

// ThresholdValues maps threshold names to values. JSON nests them by gate and then
// by name; those of gonogo compare are under compare.
type ThresholdValues map[string]float64

// MarshalJSON writes an unregistered name under itself.
func (t ThresholdValues) MarshalJSON() ([]byte, error) {
	if t == nil {
		return []byte("null"), nil
	}
	by := make(map[string]map[string]float64)
	for name, value := range t {
		gate := cmp.Or(gateOf[name], name)
		if by[gate] == nil {
			by[gate] = make(map[string]float64)
		}
		by[gate][name] = value
	}
	return json.Marshal(by)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *ThresholdValues) UnmarshalJSON(b []byte) error {
	var by map[string]map[string]float64
	if err := json.Unmarshal(b, &by); err != nil || by == nil {
		return err
	}
	*t = make(ThresholdValues)
	for _, values := range by {
		maps.Copy(*t, values)
	}
	return nil
}

func (t Thresholds) validate() error {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if _, known := defaults[name]; !known {
			return fmt.Errorf("no threshold is called %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(defaults)), ", "))
		}
		if stat.Some(t[name]) == nil {
			return fmt.Errorf("threshold %s is %g: it must be finite", name, t[name])
		}
	}
	return nil
}

// Changed is a threshold that is not at its default.
type Changed struct {
	Name    string  `json:"name"`
	Default float64 `json:"default"`
	Value   float64 `json:"value"`
}

// ChangedThresholds lists the thresholds that are not at their default, by name.
func (r *Result) ChangedThresholds() []Changed {
	changed := []Changed{}
	for _, name := range slices.Sorted(maps.Keys(r.Thresholds)) {
		if at, known := defaults[name]; known && r.Thresholds[name] != at {
			changed = append(changed, Changed{name, at, r.Thresholds[name]})
		}
	}
	return changed
}

// ClearShift is the AUC above which, with its whole interval, a difference between
// splits is called clear.
const ClearShift = 0.60
