package shift

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// reason is one explanation and how much it contributes.
type reason struct {
	text   string
	weight float64
}

// weakest is the contribution, as a share of the strongest, that is told.
const weakest = 0.05

// explain puts the weights of a classifier into words: what it looks at, times
// how much that differs between the samples. Components of words are undone
// into the words themselves.
func (c *comparison) explain(columns []column, weights []float64) []string {
	var reasons []reason
	var ofWords []float64 // weight by word
	for i, col := range columns {
		if col.component >= 0 {
			if ofWords == nil {
				ofWords = make([]float64, len(c.words.word))
			}
			sd := math.Sqrt(spread(c.reduced.scores[col.component]))
			axpy(weights[i]/sd, c.reduced.words[col.component], ofWords)
			continue
		}
		reasons = append(reasons, reason{c.describeColumn(col), weights[i] * c.gap(col.z)})
	}
	if ofWords != nil {
		reasons = append(reasons, c.tellingWords(ofWords)...)
	}
	return strongest(reasons)
}

// leading lists the features whose means differ most.
func (c *comparison) leading() []string {
	var reasons []reason
	for _, col := range c.columns {
		if col.component < 0 {
			reasons = append(reasons, reason{c.describeColumn(col), math.Abs(c.gap(col.z))})
		}
	}
	return strongest(reasons)
}

func strongest(reasons []reason) []string {
	slices.SortStableFunc(reasons, func(x, y reason) int { return cmp.Compare(y.weight, x.weight) })
	out := []string{}
	for _, r := range reasons[:min(mostItems, len(reasons))] {
		if r.weight > 1e-9 && r.weight >= weakest*reasons[0].weight {
			out = append(out, r.text)
		}
	}
	return out
}

// gap is the mean of b less that of a.
func (c *comparison) gap(values []float64) float64 {
	return mean(values[c.nA:]) - mean(values[:c.nA])
}

func (c *comparison) describeColumn(col column) string {
	if col.number != nil {
		return c.describeNumber(*col.number)
	}
	name := col.name
	if col.level != "" {
		name += " = " + col.level
	}
	high := slices.Max(col.z) // the flag is set where z is highest
	share := func(z []float64) float64 {
		var n float64
		for _, x := range z {
			if x == high {
				n++
			}
		}
		return n / float64(len(z))
	}
	return c.shares(name, share(col.z[:c.nA]), share(col.z[c.nA:]))
}

// describeNumber tells the medians, or the means of a share.
func (c *comparison) describeNumber(n number) string {
	a, b := c.sides(n.values)
	if len(a) == 0 || len(b) == 0 {
		return fmt.Sprintf("%s: given in one of %s and %s only", n.name, c.nameA, c.nameB)
	}
	if n.share {
		return c.shares(n.name, mean(a), mean(b))
	}
	return fmt.Sprintf("%s: median %.4g in %s, %.4g in %s", n.name, median(b), c.nameB, median(a), c.nameA)
}

func (c *comparison) shares(name string, a, b float64) string {
	return fmt.Sprintf("%s: %.3g %% of %s, %.3g %% of %s", name, 100*b, c.nameB, 100*a, c.nameA)
}

// tellingWords weighs each word by what the classifier gives it times how much
// more of it b has. A bucket goes by the name of its most frequent word.
func (c *comparison) tellingWords(weight []float64) []reason {
	inA, inB := make([]float64, len(weight)), make([]float64, len(weight)) // rows that have it
	gap := make([]float64, len(weight))
	for i, row := range c.words.rows {
		for j, col := range row.cols {
			if i < c.nA {
				inA[col]++
				gap[col] -= row.vals[j] / float64(c.nA)
			} else {
				inB[col]++
				gap[col] += row.vals[j] / float64(c.nB)
			}
		}
	}
	var reasons []reason
	for col, w := range weight {
		if w*(inB[col]/float64(c.nB)-inA[col]/float64(c.nA)) <= 0 {
			continue // the sample that has it more often is not the one it points to
		}
		text := c.shares(fmt.Sprintf("%q", c.words.word[col]), inA[col]/float64(c.nA), inB[col]/float64(c.nB))
		reasons = append(reasons, reason{text, w * gap[col]})
	}
	return reasons
}
