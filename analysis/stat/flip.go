package stat

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/message"
)

// Regrade is one output that was graded twice or more.
type Regrade struct {
	Differ float64 // share of something in its grades, such as of their pairs that differ
	Weight float64 // how many outputs it represents; 1 if all had equal chances
}

// FlipRate estimates how often a yes-or-no grader gives the wrong one of its two grades because of
// noise, and its consistency 1 - 2e. items[i] holds the outputs of item i, each with the share of
// pairs of its grades that differ.
//
// Two independent gradings of one output, each flipped with probability e, differ with probability
// d = 2e(1-e), so e = (1 - √(1-2d))/2; a d of one half or more gives e = 1/2. The interval is that
// of Disagreement. It assumes the same e for all outputs: if some outputs are noisier than others,
// the estimate is above their mean.
func FlipRate(items [][]Regrade, conf float64) (flip, consistency Estimate) {
	d := Disagreement(items, conf)
	method := "flip rate (1-√(1-2d))/2 from pairwise disagreement d; " + d.Method
	flip = d.mapped(func(d float64) float64 { return (1 - math.Sqrt(max(0, 1-2*d))) / 2 }, method)
	if d.Known() && *d.Value > 0.5 {
		flip.warn(oftenDiffer.Text())
	}
	consistency = flip.mapped(func(e float64) float64 { return 1 - 2*e }, "1 - 2 x flip rate; "+d.Method)
	return flip, consistency
}

// Disagreement estimates the weighted mean of Differ over outputs. The interval is that of
// RatioOfSums, clustered by item. If no output differs, or all do, it is Clopper–Pearson on the
// effective number of outputs (Σw)²/Σw² (Kish 1965, Survey Sampling, §8.2), because nothing then
// shows that those of one item are alike.
func Disagreement(items [][]Regrade, conf float64) Estimate {
	checkConf(conf)
	const method = "disagreement of grades of one output; "
	var sums, weights []float64
	var total, squares float64
	n := 0
	for _, item := range items {
		item = slices.Clone(item)
		slices.SortFunc(item, func(a, b Regrade) int {
			return cmp.Or(cmp.Compare(a.Differ, b.Differ), cmp.Compare(a.Weight, b.Weight))
		})
		sum, weight := 0.0, 0.0
		for _, r := range item {
			sum, weight = sum+r.Weight*r.Differ, weight+r.Weight
			squares += r.Weight * r.Weight
		}
		sums, weights = append(sums, sum), append(weights, weight)
		total += weight
		n += len(item)
	}
	if n == 0 {
		return unknown(0, 0, "disagreement of grades of one output", noRegrades.Text())
	}
	e := RatioOfSums(sums, weights, n, conf)
	e.Method = method + e.Method
	if unit.atEnd(*e.Value) {
		size := total * total / squares
		low, high := ClopperPearson(math.Round(*e.Value)*size, size, conf)
		e.Low, e.High, e.SE, e.Warnings = FiniteOrNil(low), FiniteOrNil(high), nil, []message.Text{}
		e.Method = method + "Clopper–Pearson interval over outputs"
	}
	return e
}

// mapped returns the estimate of a monotone function of e, without a standard error.
func (e Estimate) mapped(f func(float64) float64, method string) Estimate {
	out := Estimate{N: e.N, Items: e.Items, Method: method, Warnings: append([]message.Text{}, e.Warnings...)}
	if e.Value == nil {
		return out
	}
	out.Value = FiniteOrNil(f(*e.Value))
	if e.Low != nil && e.High != nil {
		a, b := f(*e.Low), f(*e.High)
		out.Low, out.High = FiniteOrNil(min(a, b)), FiniteOrNil(max(a, b))
	}
	return out
}
