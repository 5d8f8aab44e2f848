package grader

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"gonogo/sampler/boundary/grader/internal/formula"
	"gonogo/sampler/jsontext"
)

// mostCorners is the maximum number of parts whose ends are tried in all combinations.
const mostCorners = 10

// RangeOf returns the range of rewards that a grader's definition implies: the range of a
// score_model; the sum of the weights of reward functions, each returning 0 to 1; for a multi
// grader the smallest and largest value of the formula at the ends of its parts' ranges. declared
// reports that the definition states the range; otherwise rewards may be outside it. ok is false
// if the definition implies no range.
func RangeOf(raw json.RawMessage) (lo, hi float64, declared, ok bool) {
	var g struct {
		Type    string                     `json:"type"`
		Range   []float64                  `json:"range"`
		Weights []float64                  `json:"weights"`
		Graders map[string]json.RawMessage `json:"graders"`
		Formula string                     `json:"calculate_output"`
	}
	if jsontext.Unmarshal(raw, &g) != nil {
		return 0, 0, false, false
	}
	switch {
	case g.Type == scoreModel.Name && len(g.Range) == 2:
		lo, hi, declared = g.Range[0], g.Range[1], true
	case g.Type == multi.Name:
		lo, hi = rangeOfFormula(g.Formula, g.Graders)
	case slices.Contains([]string{trl.Name, verifiers.Name, swift.Name}, g.Type):
		for _, w := range g.Weights {
			lo, hi = lo+min(w, 0), hi+max(w, 0)
		}
	}
	return lo, hi, declared, lo < hi && !math.IsInf(lo, 0) && !math.IsInf(hi, 0)
}

// rangeOfFormula returns the smallest and largest value of a formula at the ends of its parts'
// ranges, at a cost of 2^parts evaluations. A part that implies no range counts as 0 to 1. The
// result is 0 and 0 if the formula has more than mostCorners parts or fails at a corner.
func rangeOfFormula(source string, graders map[string]json.RawMessage) (lo, hi float64) {
	names := slices.Sorted(maps.Keys(graders))
	f, err := formula.Compile(source, names)
	if err != nil || len(names) > mostCorners {
		return 0, 0
	}
	ends := make([][2]float64, len(names))
	for i, name := range names {
		ends[i] = [2]float64{0, 1}
		if a, b, _, ok := RangeOf(graders[name]); ok {
			ends[i] = [2]float64{a, b}
		}
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	values := make([]float64, len(names))
	for corner := range 1 << len(names) {
		for i := range names {
			values[i] = ends[i][corner>>i&1]
		}
		v, err := f.Eval(values)
		if err != nil {
			return 0, 0
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}
