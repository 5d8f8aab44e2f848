package shift

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/stat"
)

// farPercentile is the percentile of the distances within the reference beyond which a row is far.
const farPercentile = 0.99

// CoverageResult says how much of b is far from everything in a.
type CoverageResult struct {
	Share     stat.Estimate // share of b's rows that are far from every row of a
	Threshold *float64      // distance beyond which a row is far
	Chance    *float64      // share expected without any shift
	NA, NB    int           // rows compared, at most Options.References per side
	Items     []string      // ids of the farthest rows of b, farthest first
}

// Coverage returns the share of b's rows that are farther from their nearest row of a than the 99th
// percentile of the distances of a's rows from their own nearest (excluding themselves and exact
// equals). Distances are over the same features as in Compare. Without shift about 1 % are far.
//
// Cost: O(rows of a · (rows of a + rows of b) · features).
func Coverage(a, b Sample, opt Options) CoverageResult {
	opt = opt.withDefaults()
	c := layout(a, b, opt.References, opt)
	out := CoverageResult{NA: c.nA, NB: c.nB, Items: []string{}}
	out.Share = c.estimate("share of rows far from every reference; Clopper–Pearson interval")
	out.Share.N, out.Share.Items = c.nB, c.nB
	if c.nA < 3 || c.nB < 1 {
		out.Share.Warnings = append(out.Share.Warnings, fewReferences.With(c.sidesOf(c.nA, c.nB)))
		out.Share.Warnings = append(out.Share.Warnings, c.partial...)
		return out
	}
	near := c.nearest()
	own := slices.DeleteFunc(slices.Clone(near[:c.nA]), func(d float64) bool { return d == 0 })
	var threshold float64
	if len(own) > 0 {
		threshold = math.Sqrt(stat.Quantile(own, farPercentile))
	}
	far := make([]int, 0, c.nB)
	for i := c.nA; i < len(near); i++ {
		if near[i] = math.Sqrt(near[i]); near[i] > threshold*(1+1e-12) {
			far = append(far, i)
		}
	}
	slices.SortStableFunc(far, func(x, y int) int { return cmp.Compare(near[y], near[x]) })
	for _, i := range far[:min(mostItems, len(far))] {
		out.Items = append(out.Items, c.rows[i].ID)
	}
	out.Share = stat.Share(len(far), c.nB, opt.Confidence)
	out.Share.Method = "share of rows far from every reference; Clopper–Pearson interval"
	out.Threshold = stat.FiniteOrNil(threshold)
	out.Chance = stat.FiniteOrNil(beyond(len(own)))
	if c.nA < 100 {
		out.Share.Warnings = append(out.Share.Warnings, fewToTellFar.With(c.sidesOf(c.nA, c.nB)))
	}
	out.Share.Warnings = append(out.Share.Warnings, c.partial...)
	return out
}

// beyond returns the probability that one more value is above the 99th percentile of n values: 1 %
// for many, more for few, whose percentile is nearly their largest.
func beyond(n int) float64 {
	return 1 - (1+farPercentile*float64(max(0, n-1)))/float64(n+1)
}

// nearest returns for every row the squared distance to the nearest other row of a; rows of a
// ignore their exact equals, and have 0 if all are equal. It tries the rows of a in the order of
// how far they are in one coordinate, until that alone is as far as the nearest.
func (c *comparison) nearest() []float64 {
	points := matrix(c.columns, len(c.rows))
	out := make([]float64, len(points))
	if len(c.columns) == 0 {
		return out
	}
	wide := 0 // each has the standard deviation 1 before it is weighted
	for k, col := range c.columns {
		if col.weight > c.columns[wide].weight {
			wide = k
		}
	}
	order := ranked(c.nA, func(a, b int) int { return cmp.Compare(points[a][wide], points[b][wide]) })
	parallel(len(points), func(i int) {
		p, best := points[i], math.Inf(1)
		near := func(j int) bool { // whether rows beyond j can be nearer
			if d := p[wide] - points[j][wide]; d*d >= best {
				return false
			}
			if d := squaredBelow(p, points[j], best); j != i && d < best && (d > 0 || i >= c.nA) {
				best = d
			}
			return true
		}
		above, _ := slices.BinarySearchFunc(order, p[wide], func(j int, x float64) int {
			return cmp.Compare(points[j][wide], x)
		})
		for below := above - 1; below >= 0 || above < len(order); {
			if above < len(order) && near(order[above]) {
				above++
			} else {
				above = len(order)
			}
			if below >= 0 && near(order[below]) {
				below--
			} else {
				below = -1
			}
		}
		if !math.IsInf(best, 1) {
			out[i] = best
		}
	})
	return out
}

// squaredBelow returns the squared distance, or any number of at least limit once the distance is
// known to be that large.
func squaredBelow(a, b []float64, limit float64) (sum float64) {
	for c, x := range a {
		d := x - b[c]
		if sum += d * d; sum >= limit {
			break
		}
	}
	return sum
}
