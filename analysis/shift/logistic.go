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

// score returns the linear predictor, the log odds of belonging to b.
func (l logistic) score(x []float64) float64 { return l[0] + floats.Dot(x, l[1:]) }

// fitLogistic maximizes Σ log p(y) - ridge/2·|β|² over the given rows by Newton's method
// (iteratively reweighted least squares), and reuses a factored Hessian as long as the steps shrink
// quickly. The problem is strictly convex, so there is one solution; steps that lower the
// likelihood are halved.
//
// Note: gonum's L-BFGS finds the same solution but ends with a line-search error at the optimum.
func fitLogistic(x [][]float64, y []float64, rows []int) logistic {
	size := len(x[0]) + 1
	beta := make(logistic, size)
	gradient := mat.NewVecDense(size, nil)
	step := mat.NewVecDense(size, nil)
	var hessian mat.Cholesky
	before := math.Inf(1)
	fresh := false
	gain := beta.likelihood(x, y, rows, gradient)
	for range mostSteps {
		if !fresh && !hessian.Factorize(beta.hessian(x, rows)) {
			break // not finite: keep the current solution
		}
		fresh = true
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
			if better = next.likelihood(x, y, rows, gradient); better >= gain-1e-9*math.Abs(gain) {
				break
			}
		}
		fresh = length < shrinkBest*before
		before = length
		beta, gain = next, better
	}
	return beta
}

// likelihood returns the penalised log likelihood and writes its gradient.
func (l logistic) likelihood(x [][]float64, y []float64, rows []int, gradient *mat.VecDense) float64 {
	g := gradient.RawVector().Data
	var value float64
	for i, b := range l {
		g[i] = -l.penalty(i) * b
		value -= l.penalty(i) * b * b / 2
	}
	product := 1.0 // product of 1 + odds over rows, to take one logarithm for many of them
	for i, r := range rows {
		s := l.score(x[r])
		odds := 1.0
		if s != 0 { // as at the start, for all rows
			odds = math.Exp(-math.Abs(s))
		}
		product *= 1 + odds
		if i%mostFactors == mostFactors-1 {
			value -= math.Log(product)
			product = 1
		}
		value += min(0, s) // log p(1) except for log(1 + odds)
		if y[r] == 0 {
			value -= s
		}
		p := 1 / (1 + odds)
		if s < 0 {
			p = odds / (1 + odds)
		}
		g[0] += y[r] - p
		floats.AddScaled(g[1:], y[r]-p, x[r])
	}
	value -= math.Log(product)
	return value
}

func (logistic) penalty(i int) float64 {
	if i == 0 {
		return freeRidge
	}
	return ridge
}

// hessian returns Xᵀ·p(1-p)·X plus the penalty.
func (l logistic) hessian(x [][]float64, rows []int) *mat.SymDense {
	size := len(l)
	h := make([]float64, size*size)
	for _, r := range rows {
		p := 1 / (1 + math.Exp(-l.score(x[r])))
		w := p * (1 - p)
		h[0] += w
		floats.AddScaled(h[1:size], w, x[r])
		for i, v := range x[r] {
			floats.AddScaled(h[(i+1)*size+i+1:(i+2)*size], w*v, x[r][i:])
		}
	}
	for i := range size {
		h[i*size+i] += l.penalty(i)
	}
	return mat.NewSymDense(size, h)
}
