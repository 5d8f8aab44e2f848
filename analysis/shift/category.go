package shift

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

const (
	chiMethod = "Cramér's V, less what chance alone gives; interval by the noncentral χ² (Smithson 2003); p by " +
		"permutation"
	psiMethod = "population stability index, less its expectation under no shift (Yurdakul 2018); interval by the " +
		"noncentral χ²"
)

// chiSquare compares one category by Pearson's χ², with a permutation p that also holds for small
// counts. The effect is Cramér's V, here √((χ²-df)/n).
func (c *comparison) chiSquare(k category, permutations int) Result {
	r, ok := c.result(ChiSquare, k.name, chiMethod, 2)
	switch {
	case !ok:
		return r
	case k.isID():
		r.refuse(namesRows.With(message.Args{
			"feature": message.Nested(k.name),
			"values":  message.Count(len(k.levels), "value"), "rows": countRows(len(k.of)),
		}))
		return r
	case len(k.levels) < 2:
		r.equal(c)
		return r
	}
	x := k.pearson(c.shuffled.real)
	permuted := make([]float64, permutations)
	parallel(len(permuted), func(i int) { permuted[i] = k.pearson(c.shuffled.sets[i]) })
	n, df := float64(len(k.of)), float64(len(k.levels)-1)
	low, high := noncentralities(x, df, c.opt.Confidence)
	v := func(lambda float64) *float64 { return stat.FiniteOrNil(min(1, math.Sqrt(max(0, lambda)/n))) }
	r.Statistic, r.P = stat.FiniteOrNil(x), stat.FiniteOrNil(pValue(x, permuted))
	r.Effect.Value, r.Effect.Low, r.Effect.High = v(x-df), v(min(low, x-df)), v(max(high, x-df))
	r.Chance, r.Missed = stat.FiniteOrNil(0), v(detected(df))
	r.Top = c.levels(k)
	r.warnSmall(c, permutations)
	return r
}

// pearson returns χ² of the table with the set on one side and the rest on the other.
func (k category) pearson(set []int32) (sum float64) {
	inSet, all := make([]float64, len(k.levels)), make([]float64, len(k.levels))
	for _, l := range k.of {
		all[l]++
	}
	for _, i := range set {
		inSet[k.of[i]]++
	}
	share := float64(len(set)) / float64(len(k.of))
	for l, count := range all {
		d := inSet[l] - count*share
		sum += d * d / (count * share * (1 - share))
	}
	return sum
}

// level describes one of the levels.
func (k category) level(l int) message.Text { return levelOf(k.name, k.levels[l]) }

func levelOf(name message.Text, level string) message.Text {
	return message.ForeignText(name.String() + " = " + level)
}

// levels lists the levels whose share differs most.
func (c *comparison) levels(k category) []message.Text {
	a, b := k.shares(c.nA, 0)
	order := ranked(len(k.levels), func(x, y int) int { return cmp.Compare(math.Abs(b[y]-a[y]), math.Abs(b[x]-a[x])) })
	out := []message.Text{}
	for _, l := range order[:min(mostItems, len(order))] {
		if a[l] != b[l] {
			out = append(out, c.shares(k.level(l), a[l], b[l]))
		}
	}
	return out
}

// shares returns the share of each level on both sides, with extra rows added
// to each level.
func (k category) shares(nA int, extra float64) (a, b []float64) {
	a, b = make([]float64, len(k.levels)), make([]float64, len(k.levels))
	for i, l := range k.of {
		if i < nA {
			a[l]++
		} else {
			b[l]++
		}
	}
	more := extra * float64(len(k.levels))
	for l := range a {
		a[l] = (a[l] + extra) / (float64(nA) + more)
		b[l] = (b[l] + extra) / (float64(len(k.of)-nA) + more)
	}
	return a, b
}

// packed renumbers the levels in use, without their names.
func (k category) packed() category {
	used := slices.Clone(k.of)
	slices.Sort(used)
	used = slices.Compact(used)
	for i, l := range k.of {
		k.of[i], _ = slices.BinarySearch(used, l)
	}
	k.levels = make([]string, len(used))
	return k
}

// stability returns the population stability index Σ (b-a)·ln(b/a) over levels, or tenths of a
// number, with half a row added to each level. It has no p and no fixed limits: without shift it is
// (bins-1)·(1/n+1/m) on average, and divided by 1/n+1/m it is close to a χ² (Yurdakul 2018, Western
// Michigan Univ.).
func (c *comparison) stability(k category) Result {
	r, ok := c.result(PopStability, k.name, psiMethod, 2)
	switch {
	case !ok:
		return r
	case k.isID():
		r.refuse(nearlyNamesRows.With(message.Args{"feature": message.Nested(k.name)}))
		return r
	case len(k.levels) < 2:
		r.equal(c)
		r.P = nil
		return r
	}
	a, b := k.shares(c.nA, 0.5)
	var index float64
	for l := range a {
		index += (b[l] - a[l]) * math.Log(b[l]/a[l])
	}
	unit := 1/float64(c.nA) + 1/float64(c.nB)
	df := float64(len(k.levels) - 1)
	chance := df * unit
	low, high := noncentralities(index/unit, df, c.opt.Confidence)
	r.Statistic, r.Chance = stat.FiniteOrNil(index), stat.FiniteOrNil(chance)
	r.Effect.Value = stat.FiniteOrNil(max(0, index-chance))
	r.Effect.Low, r.Effect.High = stat.FiniteOrNil(min(low*unit, *r.Effect.Value)), stat.FiniteOrNil(max(high*unit, *r.Effect.Value))
	r.Missed = stat.FiniteOrNil(detected(df) * unit)
	return r
}
