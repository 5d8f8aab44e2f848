package shift

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// Row is one item as seen by this package. A number that is missing, NaN or infinite and a missing
// category count as "not given", which is a difference like any other.
type Row struct {
	ID         string
	Text       string
	Numbers    map[string]float64
	Categories map[string]string
	// single draws whose means are Numbers, if there are any; the classifier uses them instead
	Draws []map[string]float64
}

// Sample is a set of rows with its name for explanations.
type Sample struct {
	Name string
	Rows []Row
}

// Options are the sizes of a comparison. The zero value of a field means its default.
type Options struct {
	Seed         uint64
	Rows         int     // rows per side in tests; a larger sample is represented by a random subset (1,000)
	References   int     // rows per side for coverage (5,000)
	Permutations int     // of the primary test (1,999)
	Others       int     // of every other test without refits (499)
	Refits       int     // of the classifier (199)
	Components   int     // dimensions to which the words of a text are reduced (16)
	Confidence   float64 // of intervals (0.95)
	// the words for numbers, by name; a missing one is shown by its name
	Words map[string]message.Text
}

// named returns the words for a number.
func (o Options) named(name string) message.Text {
	if words, ok := o.Words[name]; ok {
		return words
	}
	return message.Verbatim(name)
}

func (o Options) withDefaults() Options {
	o.Rows = cmp.Or(o.Rows, 1000)
	o.References = cmp.Or(o.References, 5000)
	o.Permutations = cmp.Or(o.Permutations, 1999)
	o.Others = cmp.Or(o.Others, 499)
	o.Refits = cmp.Or(o.Refits, 199)
	o.Components = cmp.Or(o.Components, 16)
	o.Confidence = cmp.Or(o.Confidence, 0.95)
	return o
}

func (o Options) rand(stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(o.Seed, stream))
}

// Streams of random numbers drawn from one seed.
const (
	streamSubset = iota << 32
	streamPermutation
	streamProjection
	streamFold
)

// Compare tests whether a and b are drawn from the same population. The first result is the primary
// one: the energy distance over all standardised features, or χ² if there is only a single
// category. The others are descriptive: MMD, a classifier's AUC (the effect size to judge by), and
// every single number and category.
//
// Cost: O(rows² · (features + permutations/4)) for at most Options.Rows per side; a larger sample
// is read only to draw the subset.
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

// sorted returns at most limit rows, drawn at random, in the order of their ids, so that the order
// of a file does not matter.
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

// Names of the tests, as Result.Test gives them.
const (
	Energy       = "energy" // energy distance over all features
	MMD          = "mmd"    // maximum mean discrepancy over all features
	C2ST         = "c2st"   // how well a classifier distinguishes the samples
	Kolmogorov   = "ks"     // one number
	ChiSquare    = "chi2"   // one category
	PopStability = "psi"    // one number or category, no p
)

// Result is one test of one quantity. If it cannot be tested, Statistic and P are nil, and the
// first warning of Effect says why.
type Result struct {
	Test    string
	About   message.Text // the single number or category tested; empty for all features together
	Primary bool         // whether this test decides the comparison; the others are descriptive

	Statistic *float64
	Effect    stat.Estimate
	P         *float64 // by permutation, (b+1)/(B+1): never 0
	PHolm     *float64 // set by Adjust
	Chance    *float64 // Effect's value (PSI: the statistic) expected without any shift
	Missed    *float64 // the effect size that is found at 5 % with 80 % power: smaller ones may have been missed

	NA, NB int            // rows compared, at most Options.Rows per side
	Top    []message.Text // what differs most
	Items  []string       // ids of the rows of b that differ most

	LeftOut []string // values that only one of the samples has, hidden from the classifier
}

// Holm returns the p values adjusted for their number: p_(i)·(m-i+1), made monotone and capped at
// 1, in their original order (Holm 1979, Scand. J. Stat. 6:65). Rejecting those at or below α errs
// in at most α of all families, however the tests depend on each other.
func Holm(p []float64) []float64 {
	order := ranked(len(p), func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		out[i] = least
	}
	return out
}

// Adjust sets PHolm of every primary result with a P. Pass it the results of all comparisons on
// which one decision depends.
func Adjust(results []*Result) {
	var p []float64
	var adjustable []*Result
	for _, r := range results {
		if r.Primary && r.P != nil {
			p, adjustable = append(p, *r.P), append(adjustable, r)
		}
	}
	for i, adjusted := range Holm(p) {
		adjustable[i].PHolm = &adjusted
	}
}
