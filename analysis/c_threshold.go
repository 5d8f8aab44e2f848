package analysis

import (
	"fmt"
	"gonogo/analysis/stat"
	"slices"
	"strings"
)

// Threshold is one number that a gate compares with.
type Threshold struct {
	Name    string // the gate's, or begins with it and a dot
	Unit    string // share, items, tokens, times, seconds, correlation, AUC, p
	Doc     string
	Default float64
}

var (
	defaults = map[string]float64{}
)

// known makes the defaults of thresholds known.
func known(list ...Threshold) []Threshold {
	for _, t := range list {
		if _, taken := defaults[t.Name]; taken {
			panic("analysis: two thresholds are called " + t.Name)
		}
		defaults[t.Name] = t.Default
	}
	return list
}

// Thresholds holds threshold values by name. A name that is missing stands at
// its default.
type Thresholds map[string]float64

// hackableMargin is the threshold that says how much of the range is nothing.
const hackableMargin = "grader.hackable.margin"

// ThresholdTable lists every threshold of every gate. They are engineering
// choices, mostly about what sampling costs, not laws.
func ThresholdTable() []Threshold {
	var all []Threshold
	for _, g := range Gates() {
		all = append(all, g.Thresholds...)
	}
	return append(all, compareThresholds...)
}

// compareThresholds belong to gonogo compare and to no gate.
var compareThresholds = known(
	Threshold{"compare.delta", "share", "of gonogo compare: the smallest change of the mean reward that matters, as a share of the range", 0.05},
	Threshold{"compare.tolerance", "share", "of gonogo compare: the change up to which nothing is called better or worse, as a share of the range", 0},
)

// At returns the threshold's value. It panics on a name that is not in the
// table: that is a mistake in a gate.
func (t Thresholds) At(name string) float64 {
	if v, ok := t[name]; ok {
		return v
	}
	if v, ok := defaults[name]; ok {
		return v
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
	if err := MovedThreshold(unknown[0]); err != nil {
		return err
	}
	return fmt.Errorf("no threshold is called %q; there are %s", unknown[0], strings.Join(names, ", "))
}

// Changed is a threshold that is not at its default.
type Changed struct {
	Name           string
	Default, Value float64
}

// ChangedThresholds lists the thresholds that are not at their default, in the
// order of the table.
func (r *Result) ChangedThresholds() []Changed {
	var changed []Changed
	for _, t := range ThresholdTable() {
		if v, ok := r.Thresholds[t.Name]; ok && v != t.Default {
			changed = append(changed, Changed{t.Name, t.Default, v})
		}
	}
	return changed
}
