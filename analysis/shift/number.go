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

// kolmogorov compares one number. The permutation p also holds for tied values, unlike the textbook
// p. Missing values are left out.
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

// steps holds pooled values in ascending order, with the numbers of their ties.
type steps struct {
	position []int // the rank of each value among the distinct ones
	count    []int // the number of values at each distinct one
}

func newSteps(values []float64) steps {
	order := ranked(len(values), func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	s := steps{position: make([]int, len(values))}
	for k, i := range order {
		if k == 0 || values[i] != values[order[k-1]] {
			s.count = append(s.count, 0)
		}
		s.position[i] = len(s.count) - 1
		s.count[len(s.count)-1]++
	}
	return s
}

// distance returns the largest difference between the distribution functions of the set and of all
// other values.
func (s steps) distance(set []int32) float64 {
	inSet := make([]int, len(s.count))
	for _, i := range set {
		inSet[s.position[i]]++
	}
	n, m := float64(len(set)), float64(len(s.position)-len(set))
	var largest, inside, others float64
	for k, count := range inSet {
		inside += float64(count)
		others += float64(s.count[k] - count)
		largest = max(largest, math.Abs(inside/n-others/m))
	}
	return largest
}

// bins divides the pooled values into tenths (fewer if values are tied), with a separate level for
// missing values.
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

// median returns the middle value or the mean of the two middle ones, without overflow.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low/2 + high/2
}
