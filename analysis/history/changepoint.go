package history

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// fewest is the number of nights that a search for a change needs, and least the number on
// either side of a change: a single odd night is not a new level.
const (
	fewest = 6
	least  = 2
)

// sequence is one number over nights, in order, each with its weight, the inverse of the
// night's variance. unit reports that the weights are true inverse variances, not just
// proportional to them.
type sequence struct {
	y, w []float64
	unit bool
}

// newSequence weighs each night by the inverse of its variance: the square of its standard error,
// plus the variance between nights beyond those errors. The latter comes from the mean square of
// successive differences (von Neumann 1941, Ann. Math. Stat. 12:367), which a change of level
// hardly affects. If any standard error is unknown, all nights weigh the same. Standard errors
// below half of the median are raised to it.
func newSequence(y []float64, se []*float64) sequence {
	s := sequence{y: y, w: make([]float64, len(y))}
	var known []float64
	for _, e := range se {
		if e != nil && *e > 0 {
			known = append(known, *e**e)
		}
	}
	all := !slices.ContainsFunc(se, func(e *float64) bool { return e == nil })
	if !all || len(known) == 0 {
		for i := range s.w {
			s.w[i] = 1
		}
		return s
	}
	slices.Sort(known)
	s.unit = true
	v, floor, mean, moved := make([]float64, len(y)), known[len(known)/2]/4, 0.0, 0.0
	for i, e := range se {
		v[i] = max(*e**e, floor)
		mean += v[i] / float64(len(y))
	}
	for i := 1; i < len(y); i++ {
		moved += (y[i] - y[i-1]) * (y[i] - y[i-1]) / float64(2*(len(y)-1))
	}
	between := max(0, moved-mean)
	for i := range v {
		s.w[i] = 1 / (v[i] + between)
	}
	return s
}

func (s sequence) part(from, to int) sequence { return sequence{s.y[from:to], s.w[from:to], s.unit} }

// split is a sequence cut in two before the night at.
type split struct {
	at                   int
	weightA, weightB     float64
	meanA, meanB         float64
	between, within, all float64 // sums of squares
}

// splits returns all cuts with enough nights on both sides.
func (s sequence) splits() []split {
	n := len(s.y)
	var w, wy, total, sum float64
	center := s.mean() // subtracted, so that squares keep their precision
	for i, y := range s.y {
		total += s.w[i]
		sum += s.w[i] * (y - center)
	}
	all := 0.0
	for i, y := range s.y {
		d := y - center - sum/total
		all += s.w[i] * d * d
	}
	var out []split
	for k := 1; k <= n-least; k++ {
		w += s.w[k-1]
		wy += s.w[k-1] * (s.y[k-1] - center)
		if k < least {
			continue
		}
		a, b := wy/w, (sum-wy)/(total-w)
		between := w * (total - w) / total * (a - b) * (a - b)
		out = append(out, split{k, w, total - w, a + center, b + center, between, max(0, all-between), all})
	}
	return out
}

func (s sequence) mean() float64 {
	sum, w := 0.0, 0.0
	for i, y := range s.y {
		sum, w = sum+s.w[i]*y, w+s.w[i]
	}
	return sum / w
}

// scale returns the variance of a night of weight 1, estimated from the deviations from the
// two levels. It is never less than what the standard errors say.
func (s sequence) scale(c split) float64 {
	phi := c.within / float64(len(s.y)-2)
	if s.unit {
		phi = max(1, phi)
	}
	return max(phi, 1e-18*c.all, math.SmallestNonzeroFloat64)
}

// strongest returns the cut with the largest likelihood ratio of two levels against one, and
// that ratio as the square of a t statistic.
func (s sequence) strongest() (best split, ratio float64) {
	ratio = -1
	for _, c := range s.splits() {
		if r := c.between / s.scale(c); r > ratio {
			best, ratio = c, r
		}
	}
	return best, ratio
}

// change is the likeliest cut of a sequence, with its p-value.
type change struct {
	split
	p           float64
	first, last int // the interval for the position
	half        float64
}

// findChange tests a sequence for a change of its level. The statistic is the largest
// likelihood ratio over all positions of a change in the mean of normal values with unknown
// variance (Worsley 1979, JASA 74:365); its distribution under no change is simulated with
// the actual weights. It holds well for values that are not normal, too: docs/compare.md has
// the rates. p is NaN if there are too few nights or the value never varied.
func findChange(s sequence, confidence float64, draws int, seed uint64) change {
	n := len(s.y)
	if n < fewest || slices.Max(s.y) == slices.Min(s.y) {
		return change{p: math.NaN()}
	}
	best, ratio := s.strongest()
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	null, above := sequence{make([]float64, n), s.w, false}, 1
	for range draws {
		for i, w := range s.w {
			null.y[i] = rng.NormFloat64() / math.Sqrt(w)
		}
		if _, r := null.strongest(); r >= ratio {
			above++
		}
	}
	c := change{split: best, p: float64(above) / float64(draws+1)}
	c.first, c.last = s.place(best, confidence)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 2)}.Quantile((1 + confidence) / 2)
	c.half = t * math.Sqrt(s.scale(best)*(1/best.weightA+1/best.weightB))
	return c
}

// place returns the interval for the first night of the new level: from the first to the last
// of the likeliest positions that together reach the confidence, with a uniform prior over
// positions (Smith 1975, Biometrika 62:407).
func (s sequence) place(best split, confidence float64) (first, last int) {
	cuts := s.splits()
	df := float64(len(s.y) - 2)
	ground := max(s.scale(best)*df-best.within, 0) // variation that the standard errors imply beyond the observed one
	logs, top := make([]float64, len(cuts)), math.Inf(-1)
	for i, c := range cuts {
		logs[i] = -df/2*math.Log(c.within+ground) - math.Log(c.weightA*c.weightB)/2
		top = max(top, logs[i])
	}
	order, total := make([]int, len(cuts)), 0.0
	for i := range cuts {
		order[i] = i
		logs[i] = math.Exp(logs[i] - top)
		total += logs[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(logs[b], logs[a]) })
	first, last = best.at, best.at
	covered := 0.0
	for _, i := range order {
		if covered >= confidence*total {
			break
		}
		covered += logs[i]
		first, last = min(first, cuts[i].at), max(last, cuts[i].at)
	}
	return first, last
}

// level is the mean of a stretch of nights, and the range in which one more night would be.
type level struct {
	value, half, night float64 // half-widths of the level's interval and of a night's
	ok                 bool    // there are enough nights for both half-widths
}

func levelOf(s sequence, confidence float64) level {
	n := len(s.y)
	l := level{value: s.mean()}
	if n < 3 {
		return l
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + confidence) / 2)
	phi, total := s.spread()
	typical := slices.Sorted(slices.Values(s.w))[n/2]
	l.half, l.night, l.ok = t*math.Sqrt(phi/total), t*math.Sqrt(phi*(1/typical+1/total)), true
	return l
}

// spread returns the scale of a stretch of one level, and the sum of its weights.
func (s sequence) spread() (phi, total float64) {
	mean := s.mean()
	for i, y := range s.y {
		phi, total = phi+s.w[i]*(y-mean)*(y-mean), total+s.w[i]
	}
	if phi /= float64(len(s.y) - 1); s.unit {
		phi = max(1, phi)
	}
	return phi, total
}

// outlying returns the two-sided p-value of the last night against the level of the nights
// before it; NaN if fewer than three nights precede it or they never varied.
func outlying(s sequence) float64 {
	n := len(s.y) - 1
	if n < 3 {
		return math.NaN()
	}
	before := s.part(0, n)
	phi, total := before.spread()
	if phi <= 0 {
		return math.NaN()
	}
	z := math.Abs(s.y[n]-before.mean()) / math.Sqrt(phi*(1/s.w[n]+1/total))
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Survival(z)
}
