package shift

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonum.org/v1/gonum/stat/distuv"
)

// The weights of columns in distances, in units of one number's variance.
const (
	contentVariance = 4.0  // all words of a text together
	farthest        = 4.0  // standard deviations at which a column is cut
	maxLevels       = 10   // of one category that get their own column
	distinctShare   = 0.5  // a category with more levels than this share of its rows is an id
	fewRows         = 20   // below which that rule does not apply
	equalNoise      = 1e-9 // share of the largest value below which a spread is float noise
)

// column is one feature of every row, standardised over both samples together (so that permuting
// labels does not change it).
type column struct {
	name      message.Text
	z         []float64 // mean 0, standard deviation 1, cut at farthest
	weight    float64   // in distances
	number    *number   // the number that it comes from, if any
	component int       // of the reduced words, or -1
	level     string    // of a category, "" for none
}

// design builds the columns that vary: traits of texts (counts as logarithms), components of words,
// numbers as normal scores of their ranks (so that money, tokens and rewards need neither a common
// scale nor outlier rules), and categories as one column for each frequent level.
func (c *comparison) design() []column {
	var out []column
	add := func(col column, values []float64) {
		if z, ok := standardised(values); ok {
			col.z = z
			out = append(out, col)
		}
	}
	for i := range c.numbers {
		n := &c.numbers[i]
		add(column{name: n.name, number: n, weight: 1, component: -1}, n.scored())
		if missing, some := n.missing(); some {
			add(column{
				name: notGivenText.With(message.Args{"feature": message.Nested(n.name)}), weight: 1,
				component: -1,
			}, missing)
		}
	}
	for _, k := range c.categories {
		out = append(out, k.columns()...)
	}
	var variance float64
	for _, scores := range c.reduced.scores {
		variance += spread(scores)
	}
	for i, scores := range c.reduced.scores {
		if variance > 0 {
			add(column{component: i, weight: math.Sqrt(contentVariance * spread(scores) / variance)}, scores)
		}
	}
	return out
}

// scored returns the values as used in distances.
func (n *number) scored() []float64 {
	out := make([]float64, len(n.values))
	switch {
	case n.count:
		for i, x := range n.values {
			out[i] = math.Log1p(x)
		}
	case n.share:
		copy(out, n.values)
	default:
		out = normalScores(n.values)
	}
	return out
}

func (n *number) missing() (flags []float64, some bool) {
	flags = make([]float64, len(n.values))
	for i, x := range n.values {
		if math.IsNaN(x) {
			flags[i], some = 1, true
		}
	}
	return flags, some
}

// normalScores returns Φ⁻¹(rank/(n+1)), with the mean rank for ties (van der Waerden 1952) and the
// mean, 0, for NaN.
func normalScores(values []float64) []float64 {
	order := make([]int, 0, len(values))
	for i, x := range values {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	n := float64(len(order) + 1)
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		score := distuv.UnitNormal.Quantile((float64(from+to+1) / 2) / n)
		for _, i := range order[from:to] {
			out[i] = score
		}
		from = to
	}
	return out
}

// columns returns a column for each of the frequent levels; together they have the weight of one
// number.
func (k category) columns() []column {
	if len(k.levels) < 2 || k.isID() {
		return nil
	}
	counts := make([]int, len(k.levels))
	for _, l := range k.of {
		counts[l]++
	}
	frequent := ranked(len(k.levels), func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	if len(frequent) == 2 {
		frequent = frequent[1:] // the other one is redundant
	}
	var out []column
	var variance float64
	for _, l := range frequent[:min(maxLevels, len(frequent))] {
		flags := make([]float64, len(k.of))
		for i, level := range k.of {
			if level == l {
				flags[i] = 1
			}
		}
		if z, ok := standardised(flags); ok {
			v := spread(flags)
			variance += v
			out = append(out, column{name: k.name, level: k.levels[l], z: z, weight: math.Sqrt(v), component: -1})
		}
	}
	for i := range out {
		out[i].weight /= math.Sqrt(variance)
	}
	return out
}

// isID reports whether nearly every row has its own level.
func (k category) isID() bool {
	return len(k.of) > fewRows && float64(len(k.levels)) > distinctShare*float64(len(k.of))
}

// standardised returns (x-mean)/sd cut at ±farthest, and false if all values
// are equal.
func standardised(values []float64) ([]float64, bool) {
	if len(values) == 0 {
		return nil, false
	}
	m, sd := mean(values), math.Sqrt(spread(values))
	largest := max(math.Abs(slices.Min(values)), math.Abs(slices.Max(values)))
	if !(sd > equalNoise*largest) {
		return nil, false
	}
	out := make([]float64, len(values))
	for i, x := range values {
		out[i] = min(max((x-m)/sd, -farthest), farthest)
	}
	return out, true
}

func mean(values []float64) float64 {
	m, _ := stat.MeanVariance(values)
	return m
}

// spread is the variance with n-1.
func spread(values []float64) float64 {
	_, v := stat.MeanVariance(values)
	return v
}
