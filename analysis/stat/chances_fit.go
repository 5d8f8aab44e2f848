package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// FitChances fits Chances by maximum likelihood to counts[i][v], the number of rollouts of item i
// with outcome v: the Dirichlet-multinomial (Mosimann 1962, Biometrika 49:65), with two outcomes
// the beta-binomial (Skellam 1948, J. R. Stat. Soc. B 10:257). With inflated, a share of the items
// always gives outcome 0: the zero-inflated form. Extrapolating pass@k this way: Kazdan et al.
// 2025, arXiv 2510.05197. Items without rollouts are left out.
//
// ok is false if there is nothing to fit: no item with two rollouts, or the same outcome of every
// rollout. It panics if counts differ in length or one is negative. Cost: O(items·outcomes +
// iterations·outcomes·rollouts of an item).
func FitChances(counts [][]int, inflated bool) (fit Chances, ok bool) {
	o := observe(counts)
	t := o.tally(o.weights())
	if len(t.trials) < 2 || t.single() >= 0 {
		return Chances{}, false
	}
	c := newClimb()
	fit = t.fit(c, t.start(), false)
	if inflated {
		fit = t.inflate(c, fit)
	}
	return fit, true
}

// Limits of log α, and the share of zeros that a point mass starts from.
const (
	leastLog, mostLog   = -13.0, 11.0
	leastZero, mostZero = 0.02, 0.98
)

const mostIterations = 200

// start is the starting point of a first fit: the shares of the outcomes, with low precision.
func (t *tally) start() Chances {
	c := Chances{Alpha: make([]float64, len(t.tails))}
	for v := range c.Alpha {
		c.Alpha[v] = 2 * (sum(t.tails[v]) + 0.5) / (sum(t.trials) + 1)
	}
	return c
}

// inflate also fits the point mass, from the fit without it and from a start in which it takes
// nearly all zeros. It returns the better fit, and plain itself if no point mass makes the data
// likelier.
func (t *tally) inflate(c *climb, plain Chances) Chances {
	zeros := sum(t.zeros) / t.items
	if zeros == 0 {
		return plain
	}
	best := plain
	for _, start := range []Chances{
		{Alpha: plain.Alpha, Zero: zeros / 2},
		{Alpha: t.start().Alpha, Zero: zeros * 0.95},
	} {
		if fit := t.fit(c, start, true); fit.finite() && fit.LogLikelihood > best.LogLikelihood {
			best = fit
		}
	}
	return best
}

// fit climbs from start by BFGS in the logs of the parameters and the logit of the point mass. It
// ends where the likelihood no longer rises: on data that do not bound a parameter the likelihood
// becomes flat, and the fit stays there.
func (t *tally) fit(c *climb, start Chances, inflated bool) Chances {
	if !inflated && !t.mixes() {
		return t.unmixed()
	}
	x := make([]float64, len(start.Alpha), len(start.Alpha)+1)
	for v, a := range start.Alpha {
		x[v] = min(max(math.Log(a), leastLog), mostLog)
	}
	if inflated {
		zero := min(max(start.Zero, leastZero), mostZero)
		x = append(x, math.Log(zero/(1-zero)))
	}
	e := evaluation{tally: t, climb: c, inflated: inflated, gradient: make([]float64, len(x))}
	fit := e.chances(e.minimum(x))
	if inflated {
		return fit
	}
	return e.likelier(fit, t.alike(max(fit.precision(), math.Exp(mostLog))))
}

// mixes reports whether any item gave two different outcomes.
func (t *tally) mixes() bool {
	begun := 0.0
	for _, tail := range t.tails {
		begun += tail[0]
	}
	return begun > t.items+1e-9
}

// leastPrecision represents no precision at all.
const leastPrecision = 0.001

// unmixed is the fit if no item gave two different outcomes. The likelihood then rises forever,
// ever more slowly, as the precision falls to 0; in that limit the outcomes have the items' shares.
func (t *tally) unmixed() Chances {
	e := evaluation{tally: t, gradient: make([]float64, len(t.tails))}
	x := make([]float64, len(t.tails))
	for v, tail := range t.tails {
		x[v] = max(leastLog, math.Log(leastPrecision*tail[0]/t.items))
	}
	return e.chances(x)
}

// alike returns the shares of the outcomes with the given precision. Items that differ no more than
// by chance drive all parameters to their limit, where the search can no longer determine their
// ratios, or it stops at a lower peak before.
func (t *tally) alike(precision float64) Chances {
	c := Chances{Alpha: make([]float64, len(t.tails))}
	for v := range c.Alpha {
		c.Alpha[v] = max(math.Exp(leastLog), precision*sum(t.tails[v])/sum(t.trials))
	}
	return c
}

// likelier returns fit or other, both without a point mass, whichever makes the data likelier.
func (e *evaluation) likelier(fit, other Chances) Chances {
	if other.LogLikelihood, _, _ = e.likelihood(other, false); other.LogLikelihood > fit.LogLikelihood {
		return other
	}
	return fit
}

// minimum returns where BFGS ends from x. The method is driven step by step: optimize.Minimize runs
// each search in its own goroutines, which costs more than thousands of small searches themselves.
// An error is a line search at the limit of precision: the best point so far is the answer.
func (e *evaluation) minimum(x []float64) []float64 {
	c := e.climb
	c.location.X = append(c.location.X[:0], x...)
	c.location.Gradient = append(c.location.Gradient[:0], x...)
	location, search := &c.location, &c.search
	location.F = e.value(x)
	e.slope(location.Gradient, x)
	best, lowest := slices.Clone(x), location.F
	flat := optimize.FunctionConverge{Absolute: 1e-10 * e.items, Iterations: 4}
	flat.Init(len(x))
	done := func() bool {
		return floats.Norm(location.Gradient, math.Inf(1)) < 1e-7*e.items ||
			flat.Converged(location) != optimize.NotTerminated
	}
	if done() {
		return best
	}
	iterations := 0
	for op, err := search.Init(location); err == nil; op, err = search.Iterate(location) {
		if op&optimize.FuncEvaluation != 0 {
			location.F = e.value(location.X)
		}
		if op&optimize.GradEvaluation != 0 {
			e.slope(location.Gradient, location.X)
		}
		if op != optimize.MajorIteration {
			continue
		}
		if location.F <= lowest {
			lowest = location.F
			copy(best, location.X)
		}
		if iterations++; iterations == mostIterations || done() {
			break
		}
	}
	return best
}

// climb holds what a search needs, for many searches one after the other.
type climb struct {
	location optimize.Location
	search   optimize.LinesearchMethod
}

func newClimb() *climb {
	return &climb{search: optimize.LinesearchMethod{NextDirectioner: new(bfgs), Linesearcher: new(optimize.Bisection)}}
}

// evaluation computes the negative log-likelihood and its gradient together, once for each point.
type evaluation struct {
	*tally
	climb    *climb
	inflated bool
	point    []float64
	alpha    []float64 // at point
	negative float64
	gradient []float64
}

func (e *evaluation) value(x []float64) float64 {
	e.move(x)
	return e.negative
}

func (e *evaluation) slope(grad, x []float64) {
	e.move(x)
	copy(grad, e.gradient)
}

func (e *evaluation) chances(x []float64) Chances {
	c := e.shape(nil, x)
	c.LogLikelihood = -e.value(x)
	return c
}

// shape maps a point of the search to parameters, of which it appends α to alpha.
func (e *evaluation) shape(alpha, x []float64) Chances {
	outcomes := len(e.tails)
	for _, log := range x[:outcomes] {
		alpha = append(alpha, math.Exp(min(max(log, leastLog), mostLog)))
	}
	c := Chances{Alpha: alpha}
	if e.inflated {
		c.Zero = 1 / (1 + math.Exp(-x[outcomes]))
	}
	return c
}

func (e *evaluation) move(x []float64) {
	if e.point != nil && slices.Equal(e.point, x) {
		return
	}
	e.point = append(e.point[:0], x...)
	c := e.shape(e.alpha[:0], x)
	e.alpha = c.Alpha
	logLikelihood, slopes, slopeZero := e.likelihood(c, e.inflated)
	e.negative = -logLikelihood
	for v, a := range c.Alpha {
		e.gradient[v] = -slopes[v] * a
		if x[v] < leastLog || x[v] > mostLog {
			e.gradient[v] = 0
		}
	}
	if e.inflated {
		e.gradient[len(c.Alpha)] = -slopeZero * c.Zero * (1 - c.Zero)
	}
}
