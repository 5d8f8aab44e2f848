package shift

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	ridge      = 1.0  // on standardised features, as scikit-learn's C = 1
	freeRidge  = 1e-6 // on the intercept: keeps the equations solvable
	tolerance  = 1e-6 // of a step
	mostSteps  = 60
	shrinkBest = 0.5 // a step longer than this share of the last one asks for a new Hessian
)

// logistic is a fitted regression: the intercept comes first.
type logistic []float64

// score is the linear predictor, the log odds of being of b.
func (l logistic) score(x []float64) float64 { return l[0] + dot(x, l[1:]) }

// fitLogistic maximises Σ log p(y) - ridge/2·|β|² over the given rows by Newton's
// method (iteratively reweighted least squares), keeping a factored Hessian as
// long as the steps shrink quickly. The problem is strictly convex: there is
// one solution, and steps that lower the likelihood are halved.
//
// Note: gonum's L-BFGS finds the same but ends with a line-search error at the
// optimum.
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
			break // not finite: keep what is there
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
	for _, r := range rows {
		s := l.score(x[r])
		odds := math.Exp(-math.Abs(s))
		p := 1 / (1 + odds)
		value += min(0, s) - math.Log1p(odds) // log p(1)
		if y[r] == 0 {
			value -= s
		}
		if s < 0 {
			p = odds / (1 + odds)
		}
		g[0] += y[r] - p
		axpy(y[r]-p, x[r], g[1:])
	}
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
		axpy(w, x[r], h[1:size])
		for i, v := range x[r] {
			axpy(w*v, x[r][i:], h[(i+1)*size+i+1:(i+2)*size])
		}
	}
	for i := range size {
		h[i*size+i] += l.penalty(i)
	}
	return mat.NewSymDense(size, h)
}
