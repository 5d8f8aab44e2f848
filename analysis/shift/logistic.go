package shift

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// for features of unit variance: 16 weakly informative components of words must not drown one
	// shift of length
	ridge       = 20.0
	freeRidge   = 1e-6 // on the intercept: keeps the equations solvable
	tolerance   = 1e-6 // of a step
	mostSteps   = 60
	mostFactors = 512 // each factor is at most 2, so their product is a finite float
	shrinkBest  = 0.5 // a step longer than this share of the previous one triggers a new Hessian
)

// logistic is a fitted regression: the intercept comes first.
type logistic []float64

// scores writes the linear predictor of each row, which is the log odds of belonging to b. x has
// the columns of the rows from first on.
func (l logistic) scores(x [][]float64, first int, out []float64) {
	for i := range out {
		out[i] = l[0]
	}
	for j, column := range x {
		floats.AddScaled(out, l[j+1], column[first:first+len(out)])
	}
}

// regression fits logistic regressions to rows in folds, each to all folds but one. All of them
// start at 0, where the gradient and the Hessian are sums over folds that are computed once.
//
// Rows are kept by column: a pass over a long column is faster than one over short rows.
type regression struct {
	x    [][]float64 // by column; rows in order of fold
	y    []float64   // 0 or 1
	from []int       // the first row of each fold, and the number of rows

	gradients, hessians [][]float64 // of each fold, at 0, without the penalty

	// of each row, after likelihood: the linear predictor, y - p and p·(1-p)
	score, rest, weight []float64
	scaled              []float64 // a column times weight
}

// newRegression prepares the fits. It keeps its arguments.
func newRegression(x [][]float64, y []float64, from []int) *regression {
	n, size := len(y), len(x)+1
	r := &regression{x: x, y: y, from: from}
	r.score, r.rest, r.weight, r.scaled = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		r.rest[i], r.weight[i] = y[i]-0.5, 0.25
	}
	for f := range len(from) - 1 {
		g, h := make([]float64, size), make([]float64, size*size)
		r.addGradient(g, from[f], from[f+1])
		r.addHessian(h, from[f], from[f+1])
		r.gradients, r.hessians = append(r.gradients, g), append(r.hessians, h)
	}
	return r
}

// fit maximizes Σ log p(y) - ridge/2·|β|² over the rows of all folds but one, or of all if without
// is -1, by Newton's method (iteratively reweighted least squares), and reuses a factored Hessian as
// long as the steps shrink quickly. The problem is strictly convex, so there is one solution; steps
// that lower the likelihood are halved.
//
// Note: gonum's L-BFGS finds the same solution but ends with a line-search error at the optimum.
func (r *regression) fit(without int) logistic {
	size := len(r.x) + 1
	beta := make(logistic, size)
	gradient := mat.NewVecDense(size, nil)
	step := mat.NewVecDense(size, nil)
	h := make([]float64, size*size)
	var hessian mat.Cholesky
	before := math.Inf(1)
	gain := r.atZero(without, gradient.RawVector().Data, h)
	fresh := hessian.Factorize(mat.NewSymDense(size, h))
	for i := range mostSteps {
		if !fresh && (i == 0 || !hessian.Factorize(r.hessian(without, h))) {
			break // not finite: keep the current solution
		}
		if hessian.SolveVecTo(step, gradient) != nil {
			break
		}
		length := mat.Norm(step, math.Inf(1))
		if length < tolerance {
			break
		}
		next := make(logistic, size)
		var better float64
		for scale := 1.0; scale > 1e-6; scale /= 2 {
			for i := range next {
				next[i] = beta[i] + scale*step.AtVec(i)
			}
			better = r.likelihood(next, without, gradient.RawVector().Data)
			if better >= gain-1e-9*math.Abs(gain) {
				break
			}
		}
		fresh = length < shrinkBest*before
		before = length
		beta, gain = next, better
	}
	return beta
}

// ranges calls visit for each run of rows that do not belong to a fold.
func (r *regression) ranges(without int, visit func(from, to int)) {
	if without < 0 {
		visit(0, len(r.y))
		return
	}
	visit(0, r.from[without])
	visit(r.from[without+1], len(r.y))
}

// atZero returns the log likelihood at β = 0 and writes its gradient and negative Hessian.
func (r *regression) atZero(without int, g, h []float64) float64 {
	n := 0
	for f := range r.gradients {
		if f != without {
			floats.Add(g, r.gradients[f])
			floats.Add(h, r.hessians[f])
			n += r.from[f+1] - r.from[f]
		}
	}
	addPenalty(h, len(g))
	return -math.Ln2 * float64(n)
}

// likelihood returns the penalised log likelihood and writes its gradient.
func (r *regression) likelihood(l logistic, without int, g []float64) float64 {
	var value float64
	for i, b := range l {
		g[i] = -penalty(i) * b
		value -= penalty(i) * b * b / 2
	}
	r.ranges(without, func(from, to int) {
		l.scores(r.x, from, r.score[from:to])
		value += r.weigh(from, to)
		r.addGradient(g, from, to)
	})
	return value
}

// weigh computes rest and weight of rows from their scores, and returns their log likelihood.
func (r *regression) weigh(from, to int) (value float64) {
	score, y := r.score[from:to], r.y[from:to]
	rest, weight := r.rest[from:to], r.weight[from:to]
	product := 1.0 // product of 1 + odds over rows, to take one logarithm for many of them
	for i, s := range score {
		odds := exp(-math.Abs(s))
		product *= 1 + odds
		if i%mostFactors == mostFactors-1 {
			value -= math.Log(product)
			product = 1
		}
		p := 1 / (1 + odds)
		if s < 0 {
			p = odds / (1 + odds)
		}
		value += min(0, s) - (1-y[i])*s // log p(y) except for log(1 + odds)
		rest[i], weight[i] = y[i]-p, p*(1-p)
	}
	return value - math.Log(product)
}

// addGradient adds Σ (y-p)·x over rows.
func (r *regression) addGradient(g []float64, from, to int) {
	rest := r.rest[from:to]
	g[0] += floats.Sum(rest)
	for j, column := range r.x {
		g[j+1] += floats.Dot(rest, column[from:to])
	}
}

// hessian returns Xᵀ·p(1-p)·X plus the penalty, after likelihood, and writes it to h.
func (r *regression) hessian(without int, h []float64) *mat.SymDense {
	clear(h)
	r.ranges(without, func(from, to int) { r.addHessian(h, from, to) })
	addPenalty(h, len(r.x)+1)
	return mat.NewSymDense(len(r.x)+1, h)
}

// addHessian adds Xᵀ·p(1-p)·X over rows, on and above the diagonal.
func (r *regression) addHessian(h []float64, from, to int) {
	weight, scaled := r.weight[from:to], r.scaled[from:to]
	h[0] += floats.Sum(weight)
	size := len(r.x) + 1
	for i, column := range r.x {
		floats.MulTo(scaled, weight, column[from:to])
		h[i+1] += floats.Sum(scaled)
		for j := i; j < len(r.x); j++ {
			h[(i+1)*size+j+1] += floats.Dot(scaled, r.x[j][from:to])
		}
	}
}

func penalty(i int) float64 {
	if i == 0 {
		return freeRidge
	}
	return ridge
}

func addPenalty(h []float64, size int) {
	for i := range size {
		h[i*size+i] += penalty(i)
	}
}
