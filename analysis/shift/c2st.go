package shift

import (
	"math"

	"gonogo/analysis/stat"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	folds       = 5
	fewestRows  = 10 // a side, for a classifier
	mostColumns = 64 // that a classifier looks at
	aucMethod   = "out-of-fold AUC of a ridge logistic regression in 5 folds (Lopez-Paz & Oquab 2017); interval on the logit scale by DeLong 1988 plus what refitting adds; p by permuted labels, refitted each time"
)

// classifier asks how well a logistic regression tells rows of b from rows of
// a. The effect is the area under the curve of its out-of-fold scores: 0.5
// tells nothing, 1 tells all. Accuracy is not used: with unequal samples it is
// high without telling anything.
//
// Cost: O(refits · rows · columns²).
func (c *comparison) classifier() Result {
	r := c.result(C2ST, "")
	r.Effect = c.estimate(aucMethod)
	if reason := c.untestable(fewestRows); reason != "" {
		r.refuse(reason)
		return r
	}
	columns := c.columns
	if len(columns) > mostColumns {
		columns = columns[:mostColumns]
		r.refuse("more features than the classifier looks at: the first 64 of them are used")
	}
	if len(columns) == 0 {
		r.equal(c)
		r.Statistic, r.Chance, r.Effect.Value = stat.Some(0.5), stat.Some(0.5), stat.Some(0.5)
		half := c.unseen() / 2
		r.Effect.Low, r.Effect.High = stat.Some(0.5-half), stat.Some(0.5+half)
		return r
	}
	x := make([][]float64, c.nA+c.nB)
	for i := range x {
		for _, col := range columns {
			x[i] = append(x[i], col.z[i])
		}
	}
	order := c.opt.rand(streamFold).Perm(len(x))
	y := c.labels(c.shuffled.real)
	scores := outOfFold(x, y, order)
	auc, se := delong(scores, y)
	r.Statistic, r.Effect.Value = stat.Some(auc), stat.Some(auc)

	permuted := make([]float64, c.opt.Refits)
	parallel(len(permuted), func(b int) {
		y := c.labels(c.shuffled.sets[b])
		permuted[b] = areaUnder(outOfFold(x, y, order), y)
	})
	extra := refitting(permuted, c.nA, c.nB)
	c.interval(&r.Effect, auc, math.Hypot(se, extra*fading(auc)))
	r.P = stat.Some(pValue(auc, permuted))
	r.Chance = stat.Some(mean(permuted))
	r.Missed = stat.Some(missedByAUC(permuted, extra, c.nA, c.nB))
	all := make([]int, len(x))
	for i := range all {
		all[i] = i
	}
	r.Top = c.explain(columns, fitLogistic(x, y, all)[1:])
	r.Items = c.farthestOfB(scores)
	return r
}

// refitting is the standard error that an AUC has beyond DeLong's, because
// other training rows make another classifier: what permuted labels vary by
// beyond an AUC of 0.5 of fixed scores. It fades as the samples are told apart
// more easily, with 4·AUC·(1-AUC) (observed in simulations, where DeLong's alone
// covers in 80 %).
func refitting(permuted []float64, nA, nB int) float64 {
	fixed := hanleyMcNeil(0.5, float64(nA), float64(nB))
	return math.Sqrt(max(0, spread(permuted)-fixed*fixed))
}

func fading(auc float64) float64 { return 4 * auc * (1 - auc) }

// labels returns 1 for rows of b, with the given rows playing the smaller
// sample.
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

// interval is taken on the logit scale, where it stays inside 0 and 1. Where the samples are told apart without a single error it rests on the
// number of rows alone.
func (c *comparison) interval(e *stat.Estimate, auc, se float64) {
	df := float64(min(c.nA, c.nB) - 1)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1 + c.opt.Confidence) / 2)
	if se <= 1e-9 || auc <= 0 || auc >= 1 {
		e.Low, e.High = stat.Some(max(0, auc-c.unseen())), stat.Some(min(1, auc+c.unseen()))
		e.Warnings = append(e.Warnings, "the scores show no error to learn from: the interval rests on the number of rows alone")
		return
	}
	logit, half := math.Log(auc/(1-auc)), t*se/(auc*(1-auc))
	e.SE = stat.Some(se)
	e.Low, e.High = stat.Some(1/(1+math.Exp(half-logit))), stat.Some(1/(1+math.Exp(-half-logit)))
}

// outOfFold returns for each row its score by the regression fitted to the
// other folds. Folds are dealt out in the given order within each label, so
// that each has its share of both.
func outOfFold(x [][]float64, y []float64, order []int) []float64 {
	var dealt [2]int
	fold := make([]int, len(x))
	for _, i := range order {
		label := int(y[i])
		fold[i] = (dealt[label] + label*folds/2) % folds
		dealt[label]++
	}
	scores := make([]float64, len(x))
	train := make([]int, 0, len(x))
	for f := range folds {
		train = train[:0]
		for i := range x {
			if fold[i] != f {
				train = append(train, i)
			}
		}
		fit := fitLogistic(x, y, train)
		for i := range x {
			if fold[i] == f {
				scores[i] = fit.score(x[i])
			}
		}
	}
	return scores
}
