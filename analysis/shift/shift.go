package shift

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Compare tests whether a and b are drawn from the same population. The first
// result is the primary one: the energy distance over all standardised
// features, or χ² where a single category is all there is. The others
// describe: MMD, a classifier's AUC (the effect size to judge by), and every
// number and category by itself.
//
// Cost: O(rows² · (features + permutations/4)) for at most Options.Rows a side;
// a larger sample is read only to draw the subset.
func Compare(a, b Sample, opt Options) []Result {
	opt = opt.withDefaults()
	c := newComparison(a, b, opt)
	var out []Result
	if c.singleCategory() {
		out = append(out, c.chiSquare(c.categories[0], opt.Permutations))
		out[0].Primary = true
	} else {
		energy, mmd := c.distances()
		energy.Primary = true
		out = append(out, energy, mmd)
	}
	out = append(out, c.classifier())
	for i := range out {
		out[i].Effect.Warnings = append(out[i].Effect.Warnings, c.partial...)
	}
	for _, n := range c.numbers {
		out = append(out, c.kolmogorov(n), c.stability(n.bins()))
	}
	for _, k := range c.categories {
		if !c.singleCategory() {
			out = append(out, c.chiSquare(k, opt.Others))
		}
		out = append(out, c.stability(k))
	}
	return out
}

// sorted returns rows in the order of their ids, so that the order of a file
// changes nothing, and at most limit of them, drawn at random.
func sorted(rows []Row, limit int, rng *rand.Rand) []Row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(x, y Row) int {
		return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(x.Text, y.Text))
	})
	if len(rows) <= limit {
		return rows
	}
	picked := rng.Perm(len(rows))[:limit]
	slices.Sort(picked)
	out := make([]Row, limit)
	for i, p := range picked {
		out[i] = rows[p]
	}
	return out
}
