package shift

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	folds       = 5
	fewestRows  = 10 // a side, for a classifier
	mostColumns = 64 // that a classifier uses
	aucMethod   = "out-of-fold AUC of a ridge logistic regression in 5 folds (Lopez-Paz & Oquab 2017); interval on " +
		"the logit scale by DeLong 1988 (of repeated rows Obuchowski 1997) plus what refitting adds; below 0.5 it " +
		"is shown as 0.5; p by permuted labels, refitted each time"
)

// classifier measures how well a logistic regression distinguishes rows of b from rows of a. The
// effect is the area under the curve of its out-of-fold scores: 0.5 if it cannot distinguish them,
// 1 if it always can. If rows have draws it is the area under the scores of draws, with equal
// weights for rows: with the means of rows it would grow with the number of draws. Accuracy is not
// used: with unequal samples it is high for a useless classifier.
//
// Cost: O(refits · rows · columns²).
func (c *comparison) classifier() Result {
	r, ok := c.result(C2ST, message.Text{}, aucMethod, fewestRows)
	if !ok {
		return r
	}
	seen := c.classified()
	r.LeftOut = seen.leftOut
	if seen.cut {
		r.refuse(manyFeatures.Text())
	}
	if len(seen.x) == 0 {
		r.equal(c)
		r.Statistic, r.Chance, r.Effect.Value = stat.FiniteOrNil(0.5), stat.FiniteOrNil(0.5), stat.FiniteOrNil(0.5)
		half := c.unseen() / 2
		r.Effect.Low, r.Effect.High = stat.FiniteOrNil(0.5-half), stat.FiniteOrNil(0.5+half)
		return r
	}
	order := c.opt.rand(streamFold).Perm(c.nA + c.nB)
	y := c.labels(c.shuffled.real)
	auc, se, scores := seen.area(y, order)

	permuted, errs := make([]float64, c.opt.Refits), make([]float64, c.opt.Refits)
	parallel(len(permuted), func(b int) {
		permuted[b], errs[b], _ = seen.area(c.labels(c.shuffled.sets[b]), order)
	})
	r.Statistic = stat.FiniteOrNil(auc)
	r.P = stat.FiniteOrNil(pValue(auc, permuted))
	r.Chance = stat.FiniteOrNil(mean(permuted))
	fixed := math.Sqrt(mean(squares(errs)))
	extra := math.Sqrt(max(0, spread(permuted)-fixed*fixed))
	if auc < 0.5 {
		// A regression cannot be worse than useless. Samples that are more alike than chance makes
		// them, as in a stratified draw, are ranked the wrong way round, because the other folds
		// have too few of what a fold has too many of.
		if auc+2*se < 0.5 {
			r.refuse(moreAlike.With(message.Args{"auc": message.Number(auc)}))
		}
		auc, se = 0.5, fixed
	}
	r.Effect.Value = stat.FiniteOrNil(auc)
	c.interval(&r.Effect, auc, math.Hypot(se, extra*fading(auc)))
	r.Missed = stat.FiniteOrNil(missedByAUC(permuted, fixed, extra, c.nA, c.nB))
	r.Top = c.explain(seen.columns, newRegression(seen.mean, y, []int{0, len(y)}).fit(-1)[1:])
	r.Items = c.farthestOfB(seen.meanOf(scores))
	return r
}

// fading is the factor on extra, in classifier, which is the standard error of an AUC in addition
// to DeLong's, because other training rows give another classifier: the variation of permuted
// labels beyond DeLong's. It fades as the samples become easier to distinguish, with 4·AUC·(1-AUC)
// (observed in simulations, where DeLong's error alone covers in 80 %).
func fading(auc float64) float64 { return 4 * auc * (1 - auc) }

func squares(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, x := range values {
		out[i] = x * x
	}
	return out
}

// labels returns 1 for rows of b, with the given rows in the role of the smaller sample.
func (c *comparison) labels(small []int32) []float64 {
	y := make([]float64, c.nA+c.nB)
	fill := 0.0
	if c.nA <= c.nB {
		fill = 1
	}
	for i := range y {
		y[i] = fill
	}
	for _, i := range small {
		y[i] = 1 - fill
	}
	return y
}

// interval is computed on the logit scale, where it stays within 0 and 1. If the samples are
// distinguished without a single error it depends only on the number of rows.
func (c *comparison) interval(e *stat.Estimate, auc, se float64) {
	df := float64(min(c.nA, c.nB) - 1)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1 + c.opt.Confidence) / 2)
	if se <= 1e-9 || auc <= 0 || auc >= 1 {
		e.Low, e.High = stat.FiniteOrNil(max(0, auc-c.unseen())), stat.FiniteOrNil(min(1, auc+c.unseen()))
		e.Warnings = append(e.Warnings, scoresAlike.Text())
		return
	}
	logit, half := math.Log(auc/(1-auc)), t*se/(auc*(1-auc))
	e.SE = stat.FiniteOrNil(se)
	e.Low, e.High = stat.FiniteOrNil(1/(1+math.Exp(half-logit))), stat.FiniteOrNil(1/(1+math.Exp(-half-logit)))
}

// classified is the input of a classifier.
type classified struct {
	columns []column    // of rows
	mean    [][]float64 // by column and row
	x       [][]float64 // by column and draw, or row where there are none; nil if nothing varies
	owner   []int       // the row of each draw, ascending
	cut     bool        // there are more columns than mostColumns
	leftOut []string    // values that only one of the samples has
}

// classified arranges rows, or their draws, in columns with the same weights as in distances, so
// that the words of a text do not hide a shift of its length.
func (c *comparison) classified() classified {
	seen := classified{leftOut: []string{}}
	for _, col := range c.columns {
		switch {
		case col.level != "" && c.oneSided(col):
			seen.leftOut = append(seen.leftOut, col.name.String()+" = "+col.level)
		case len(seen.columns) == mostColumns:
			seen.cut = true
		default:
			seen.columns = append(seen.columns, col)
		}
	}
	if len(seen.columns) == 0 {
		return seen
	}
	seen.mean = weighted(seen.columns)
	seen.x = seen.mean
	d := c.drawn()
	if d == nil {
		for i := range c.rows {
			seen.owner = append(seen.owner, i)
		}
		return seen
	}
	columns := d.design()
	if len(columns) > mostColumns {
		columns, seen.cut = columns[:mostColumns], true
	}
	seen.x = weighted(columns)
	for i, row := range c.rows {
		for range max(1, len(row.Draws)) {
			seen.owner = append(seen.owner, i)
		}
	}
	return seen
}

// drawn returns the draws of all rows as rows; nil if there are none.
func (c *comparison) drawn() *comparison {
	d := &comparison{opt: c.opt}
	some := false
	for _, row := range c.rows {
		for _, numbers := range row.Draws {
			some = true
			d.rows = append(d.rows, Row{Numbers: numbers})
		}
		if len(row.Draws) == 0 {
			d.rows = append(d.rows, Row{Numbers: row.Numbers})
		}
	}
	if !some {
		return nil
	}
	d.describe()
	return d
}

// oneSided reports whether only rows of one sample have a level: it then names the source of the
// sample, and to a classifier all other rows look alike.
func (c *comparison) oneSided(col column) bool {
	flag := slices.Max(col.z) // the flag is set where z is highest
	return !slices.Contains(col.z[:c.nA], flag) || !slices.Contains(col.z[c.nA:], flag)
}

// matrix returns the weighted values of each row.
func matrix(columns []column, n int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		for _, col := range columns {
			x[i] = append(x[i], col.z[i]*col.weight)
		}
	}
	return x
}

// weighted returns the weighted values of each column.
func weighted(columns []column) [][]float64 {
	x := make([][]float64, len(columns))
	for j, col := range columns {
		x[j] = floats.ScaleTo(make([]float64, len(col.z)), col.weight, col.z)
	}
	return x
}

// spreadOver returns the value of its row for each draw.
func (s classified) spreadOver(values []float64) []float64 {
	out := make([]float64, len(s.owner))
	for i, o := range s.owner {
		out[i] = values[o]
	}
	return out
}

// meanOf returns the mean of the values of each row's draws.
func (s classified) meanOf(values []float64) []float64 {
	rows := s.owner[len(s.owner)-1] + 1
	out, n := make([]float64, rows), make([]float64, rows)
	for i, o := range s.owner {
		out[o] += values[i]
		n[o]++
	}
	for o := range out {
		out[o] /= n[o]
	}
	return out
}

// area returns the area under out-of-fold scores, its standard error, and the scores of draws. Rows
// are assigned to folds in the given order within each label, so that each fold has its share of
// both labels and no row is in two folds.
func (s classified) area(label []float64, order []int) (auc, se float64, scores []float64) {
	var dealt [2]int
	fold := make([]int, len(label))
	for _, i := range order {
		l := int(label[i])
		fold[i] = (dealt[l] + l*folds/2) % folds
		dealt[l]++
	}
	drawn, from := s.byFold(fold)
	y, owner := pick(s.spreadOver(label), drawn), make([]int, len(drawn))
	for k, i := range drawn {
		owner[k] = s.owner[i]
	}
	fits := newRegression(picked(s.x, drawn), y, from)
	ordered := make([]float64, len(drawn))
	for f := range folds {
		fits.fit(f).scores(fits.x, from[f], ordered[from[f]:from[f+1]])
	}
	scores = make([]float64, len(drawn))
	for k, i := range drawn {
		scores[i] = ordered[k]
	}
	auc, se = areaUnder(ordered, y, owner, from)
	return auc, se, scores
}

// byFold returns the draws in order of the fold of their rows, and the position of the first draw of
// each fold, with the number of draws at the end.
func (s classified) byFold(fold []int) (drawn, from []int) {
	from = []int{0}
	for f := range folds {
		for i, o := range s.owner {
			if fold[o] == f {
				drawn = append(drawn, i)
			}
		}
		from = append(from, len(drawn))
	}
	return drawn, from
}

// pick returns the values at the given indices.
func pick(values []float64, indices []int) []float64 {
	out := make([]float64, len(indices))
	for k, i := range indices {
		out[k] = values[i]
	}
	return out
}

// picked is pick for each column.
func picked(columns [][]float64, indices []int) [][]float64 {
	out := make([][]float64, len(columns))
	for j, column := range columns {
		out[j] = pick(column, indices)
	}
	return out
}

// ascending returns the indices of values in their order, those of equal values ascending.
func ascending(values []float64) []int {
	type entry struct {
		value float64
		index int
	}
	list := make([]entry, len(values))
	for i, x := range values {
		list[i] = entry{x, i}
	}
	slices.SortFunc(list, func(a, b entry) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return cmp.Or(cmp.Compare(a.value, b.value), a.index-b.index) // NaN first
	})
	order := make([]int, len(list))
	for i, e := range list {
		order[i] = e.index
	}
	return order
}

// placements returns, for each score with y = 1, the share of scores with y = 0 below it, and for
// each score with y = 0, the share of scores with y = 1 above it. Ties count half, and every score
// counts by its weight.
func placements(scores, y, weight []float64) []float64 {
	order := ascending(scores)
	var total [2]float64
	for i, w := range weight {
		total[int(y[i])] += w
	}
	out := make([]float64, len(scores))
	var below [2]float64
	for from := 0; from < len(order); {
		to := from
		var tied [2]float64
		for ; to < len(order) && scores[order[to]] == scores[order[from]]; to++ {
			tied[int(y[order[to]])] += weight[order[to]]
		}
		for _, i := range order[from:to] {
			other := 1 - int(y[i])
			out[i] = (below[other] + tied[other]/2) / total[other]
			if y[i] == 0 {
				out[i] = 1 - out[i]
			}
		}
		below[0], below[1] = below[0]+tied[0], below[1]+tied[1]
		from = to
	}
	return out
}

// areaUnder returns the AUC of scores, which is the probability that a score with y = 1 is above
// one with y = 0 of the same fold, and its standard error by the variance of each row's own
// placement (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837). owner is the row of each
// score, from 0: rows have equal weights, whatever the number of their scores, and the error is one
// over rows (Obuchowski 1997, Biometrics 53:567, here with all scores of a row of one label and one
// fold). from holds the first score of each fold, and the number of scores at the end: scores of
// different regressions are not comparable, because a regression that has seen fewer rows of a label
// gives all rows lower scores, and the rows of that label are then in the fold that it scores
// (Airola et al. 2011, Comput. Stat. Data Anal. 55:1828).
func areaUnder(scores, y []float64, owner, from []int) (auc, se float64) {
	rows := slices.Max(owner) + 1
	weight, count := make([]float64, len(scores)), make([]float64, rows)
	for _, o := range owner {
		count[o]++
	}
	for i, o := range owner {
		weight[i] = 1 / count[o]
	}
	placement, label := make([]float64, rows), make([]float64, rows)
	for f, first := range from[:len(from)-1] {
		end := from[f+1]
		for k, p := range placements(scores[first:end], y[first:end], weight[first:end]) {
			i := first + k
			placement[owner[i]] += p * weight[i]
			label[owner[i]] = y[i]
		}
	}
	var ones, zeros []float64
	for o, p := range placement {
		if label[o] == 1 {
			ones = append(ones, p)
		} else {
			zeros = append(zeros, p)
		}
	}
	return mean(ones), math.Sqrt(spread(ones)/float64(len(ones)) + spread(zeros)/float64(len(zeros)))
}
