package stat

import "math"

// FlipRate estimates how often a yes-or-no grader gives the wrong one of its
// two grades by noise alone, and its consistency 1 - 2e. disagree[i] holds, for
// each output of item i that was graded twice or more, the share of pairs of its
// grades that differ.
//
// Two independent gradings of one output, each flipped with probability e,
// differ with d = 2e(1-e), so that e = (1 - √(1-2d))/2; d of a half or more
// says no more than e = 1/2. The ends of the interval are those of d (linear in
// the outputs and clustered by item; where none or all differ Clopper–Pearson on
// the number of outputs). One e for all outputs is assumed: where some outputs
// are noisier than others, e comes out above their mean.
func FlipRate(disagree [][]float64, conf float64) (flip, consistency Estimate) {
	d := Disagreement(disagree, conf)
	method := "flip rate (1-√(1-2d))/2 from pairwise disagreement d; " + d.Method
	flip = d.mapped(func(d float64) float64 { return (1 - math.Sqrt(max(0, 1-2*d))) / 2 }, method)
	if d.Known() && *d.Value > 0.5 {
		flip.warn("two grades of one output differ in more than half of all cases: no flip rate explains that, it counts as 1/2")
	}
	consistency = flip.mapped(func(e float64) float64 { return 1 - 2*e }, "1 - 2 x flip rate; "+d.Method)
	return flip, consistency
}

// Disagreement estimates the share of pairs of grades of one output that
// differ: disagree[i] holds one share for each output of item i. The interval
// is that of RatioOfSums, clustered by item, and where all outputs agree with
// themselves, or none, Clopper–Pearson on the number of outputs: nothing then
// shows that those of one item are alike.
func Disagreement(disagree [][]float64, conf float64) Estimate {
	checkConf(conf)
	items := sortedItems(disagree)
	sums, counts := make([]float64, len(items)), make([]float64, len(items))
	n := 0
	for i, item := range items {
		for _, d := range item {
			sums[i] += d
		}
		counts[i] = float64(len(item))
		n += len(item)
	}
	if n == 0 {
		return unknown(0, 0, "disagreement of two grades of one output", "no output was graded twice")
	}
	e := RatioOfSums(sums, counts, n, conf)
	e.Method = "disagreement of two grades of one output; " + e.Method
	if unit.atEnd(*e.Value) {
		share := math.Round(*e.Value)
		low, high := ClopperPearson(share*float64(n), float64(n), conf)
		e.Low, e.High, e.SE = Some(low), Some(high), nil
		e.Method = "disagreement of two grades of one output; Clopper–Pearson interval over outputs"
		e.Warnings = []string{}
	}
	return e
}

// mapped is the estimate of a monotone function; the standard error is half of
// what the ends are apart for a 95 % interval, and left out.
func (e Estimate) mapped(f func(float64) float64, method string) Estimate {
	out := Estimate{N: e.N, Items: e.Items, Method: method, Warnings: append([]string{}, e.Warnings...)}
	if e.Value == nil {
		return out
	}
	out.Value = Some(f(*e.Value))
	if e.Low != nil && e.High != nil {
		a, b := f(*e.Low), f(*e.High)
		out.Low, out.High = Some(min(a, b)), Some(max(a, b))
	}
	return out
}
