package shift

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonogo/analysis/message"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// reason is one explanation, with the difference in standard errors under no shift.
type reason struct {
	text message.Text
	z    float64
}

// clearGap is the difference, in standard errors, from which a feature is reported.
const clearGap = 2.0

// explain says which features a classifier uses, the clearest difference first: features and words
// whose weight has the sign of their difference. Components of words are mapped back to the words.
func (c *comparison) explain(columns []column, weights []float64) []message.Text {
	var reasons []reason
	var ofWords []float64 // weight by word
	for i, col := range columns {
		if col.component >= 0 {
			if ofWords == nil {
				ofWords = make([]float64, len(c.words.word))
			}
			sd := math.Sqrt(spread(c.reduced.scores[col.component]))
			floats.AddScaled(ofWords, weights[i]/sd, c.reduced.words[col.component])
			continue
		}
		if z := c.gap(col.z); z*weights[i] > 0 && math.Abs(z) >= clearGap {
			reasons = append(reasons, reason{c.describeColumn(col), z})
		}
	}
	return strongest(append(reasons, c.tellingWords(ofWords)...))
}

// leading lists the features whose means differ most.
func (c *comparison) leading() []message.Text {
	var reasons []reason
	for _, col := range c.columns {
		if z := c.gap(col.z); col.component < 0 && math.Abs(z) >= clearGap {
			reasons = append(reasons, reason{c.describeColumn(col), z})
		}
	}
	return strongest(reasons)
}

func strongest(reasons []reason) []message.Text {
	slices.SortStableFunc(reasons, func(x, y reason) int { return cmp.Compare(math.Abs(y.z), math.Abs(x.z)) })
	out := []message.Text{}
	for _, r := range reasons[:min(mostItems, len(reasons))] {
		out = append(out, r.text)
	}
	return out
}

// gap returns the mean of b minus that of a, in standard errors; the values have a standard
// deviation of 1.
func (c *comparison) gap(z []float64) float64 {
	return (mean(z[c.nA:]) - mean(z[:c.nA])) / c.root()
}

// root returns √(1/n+1/m).
func (c *comparison) root() float64 { return math.Sqrt(1/float64(c.nA) + 1/float64(c.nB)) }

func (c *comparison) describeColumn(col column) message.Text {
	if col.number != nil {
		return c.describeNumber(*col.number)
	}
	name := col.name
	if col.level != "" {
		name = levelOf(name, col.level)
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

// describeNumber reports the medians, or the means of a share.
func (c *comparison) describeNumber(n number) message.Text {
	a, b := c.sides(n.values)
	if len(a) == 0 || len(b) == 0 {
		return givenInOne.With(message.Args{
			"feature": message.Nested(n.name), "split": message.Name(c.nameA),
			"other": message.Name(c.nameB),
		})
	}
	if n.share {
		return c.shares(n.name, mean(a), mean(b))
	}
	return medians.With(c.of(n.name,
		message.Args{"median": message.Number(median(b)), "other_median": message.Number(median(a))}))
}

func (c *comparison) shares(feature message.Text, a, b float64) message.Text {
	return shares.With(c.of(feature, message.Args{"share": message.Share(b), "other_share": message.Share(a)}))
}

// tellingWords compares the shares of rows that contain a word. It reports words whose shares
// differ by more than the largest difference expected by chance among all words, if the
// classifier's weight has the same sign. A bucket is named after its most frequent word.
func (c *comparison) tellingWords(weight []float64) []reason {
	inA, inB := make([]float64, len(weight)), make([]float64, len(weight)) // rows that contain it
	if len(weight) == 0 {
		return nil
	}
	for i, row := range c.words.rows {
		for _, col := range row.cols {
			if i < c.nA {
				inA[col]++
			} else {
				inB[col]++
			}
		}
	}
	expected := max(clearGap, distuv.UnitNormal.Quantile(1-1/float64(2*len(weight))))
	nA, nB := float64(c.nA), float64(c.nB)
	var reasons []reason
	for col, w := range weight {
		p := (inA[col] + inB[col]) / (nA + nB)
		z := (inB[col]/nB - inA[col]/nA) / (math.Sqrt(p*(1-p)) * c.root())
		if z*w > 0 && math.Abs(z) >= expected {
			reasons = append(reasons,
				reason{c.shares(message.ForeignText(strconv.Quote(c.words.word[col])), inA[col]/nA, inB[col]/nB), z})
		}
	}
	return reasons
}
