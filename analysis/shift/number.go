package shift

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

const ksMethod = "largest difference of the two distribution functions (Kolmogorov–Smirnov); interval by Smirnov's " +
	"bound; p by permutation"

// kolmogorov compares one number. The permutation p holds for values that tie,
// where the textbook p does not. Values that are not given take no part.
func (c *comparison) kolmogorov(n number) Result {
	r, _ := c.result(Kolmogorov, n.name, ksMethod, 0)
	a, b := c.sides(n.values)
	r.NA, r.NB = len(a), len(b)
	r.Effect.N, r.Effect.Items = len(a)+len(b), len(a)+len(b)
	if min(len(a), len(b)) < 2 {
		args := c.sidesOf(len(a), len(b))
		args["feature"] = message.Nested(n.name)
		r.refuse(fewGiven.With(args))
		return r
	}
	s := newSteps(append(slices.Clone(a), b...))
	shuffled := c.shuffled
	if len(a)+len(b) < len(c.rows) {
		opt := c.opt
		opt.Permutations, opt.Refits = opt.Others, 1
		shuffled = newShuffles(len(a), len(b), opt)
	}
	d := s.distance(shuffled.real)
	permuted := make([]float64, c.opt.Others)
	parallel(len(permuted), func(i int) { permuted[i] = s.distance(shuffled.sets[i]) })

	root := math.Sqrt(1/float64(len(a)) + 1/float64(len(b)))
	half := root * math.Sqrt(-math.Log((1-c.opt.Confidence)/2)/2)
	r.Statistic, r.Effect.Value = stat.FiniteOrNil(d), stat.FiniteOrNil(d)
	r.Effect.Low, r.Effect.High = stat.FiniteOrNil(max(0, d-half)), stat.FiniteOrNil(min(1, d+half))
	r.P, r.Chance = stat.FiniteOrNil(pValue(d, permuted)), stat.FiniteOrNil(mean(permuted))
	r.Missed = stat.FiniteOrNil(missedByKolmogorov(len(a), len(b)))
	r.Top = []message.Text{c.describeNumber(n)}
	return r
}

// steps are pooled values in ascending order, with the ends of their ties.
type steps struct {
	position []int // of each value among the distinct ones
	at       []int // values at each distinct one
}

func newSteps(values []float64) steps {
	order := ranked(len(values), func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	s := steps{position: make([]int, len(values))}
	for k, i := range order {
		if k == 0 || values[i] != values[order[k-1]] {
			s.at = append(s.at, 0)
		}
		s.position[i] = len(s.at) - 1
		s.at[len(s.at)-1]++
	}
	return s
}

// distance is the largest difference of the distribution functions of the set
// and of all other values.
func (s steps) distance(set []int32) float64 {
	inSet := make([]int, len(s.at))
	for _, i := range set {
		inSet[s.position[i]]++
	}
	n, m := float64(len(set)), float64(len(s.position)-len(set))
	var largest, mine, others float64
	for k, count := range inSet {
		mine += float64(count)
		others += float64(s.at[k] - count)
		largest = max(largest, math.Abs(mine/n-others/m))
	}
	return largest
}

// bins cuts the pooled values into tenths (fewer where values tie), with a
// level of its own for those not given.
func (n number) bins() category {
	given := slices.DeleteFunc(slices.Clone(n.values), math.IsNaN)
	slices.Sort(given)
	var cuts []float64
	for q := 1; q < 10 && len(given) > 0; q++ {
		cuts = append(cuts, given[q*(len(given)-1)/10])
	}
	cuts = slices.Compact(cuts)
	k := category{name: n.name, of: make([]int, len(n.values))}
	for i, x := range n.values {
		if math.IsNaN(x) {
			k.of[i] = len(cuts) + 1
			continue
		}
		k.of[i], _ = slices.BinarySearch(cuts, x)
	}
	return k.packed()
}

// median is the middle value or the mean of the two middle ones, which may be
// as far apart as numbers can be.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low/2 + high/2
}
