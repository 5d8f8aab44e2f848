package stat

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonogo/analysis/message"

	"gonum.org/v1/gonum/mathext"
)

// hugeSize is the effective size above which beta quantiles lose digits and no longer differ from
// the t interval.
const hugeSize = 1e8

// spread is a mean with everything that its interval depends on.
type spread struct {
	mean, se float64
	clusters int     // independent units: t has clusters-1 degrees of freedom
	equal    float64 // the equivalent number of units of equal weight; equals clusters for equal weights
	n        int     // rollouts
	draws    int     // the number of independent observations in them; 0: n
	r        *Range
	conf     float64
}

// interval is the one rule for every mean in this package, for at least two units.
//
//   - No spread at all: see agreed.
//   - Bounded: Clopper–Pearson at the effective size n* = p(1-p)/(se/R)²
//     times (t(d-1)/t(m-1))², p = (mean-lo)/R (Korn & Graubard 1998, Survey
//     Methodology 24:193). d is the number of independent observations: rollouts,
//     or disjoint groups of them for a quantity of groups. n* counts how many draws
//     of a simple random sample would carry as much information. It is not capped
//     at n: rewards finer than 0/1 carry more than one bit each, and their
//     intervals are correspondingly narrower.
//   - Unbounded: mean ± t(m-1)·se.
func (s spread) interval() (low, high *float64, method string) {
	if s.flat() {
		return s.agreed()
	}
	t := tQuantile(s.conf, s.clusters-1)
	if s.r == nil || !s.r.holds(s.mean) {
		return FiniteOrNil(s.mean - t*s.se), FiniteOrNil(s.mean + t*s.se), fmt.Sprintf("t(%d) interval", s.clusters-1)
	}
	p, se := s.r.share(s.mean), s.se/s.r.Width()
	ratio := tQuantile(s.conf, max(cmp.Or(s.draws, s.n), s.clusters)-1) / t
	size := p * (1 - p) / (se * se) * ratio * ratio
	lo, hi := s.r.share(s.mean-t*s.se), s.r.share(s.mean+t*s.se)
	if size < hugeSize {
		lo, hi = ClopperPearson(p*size, size, s.conf)
	}
	return FiniteOrNil(s.r.at(min(lo, p))), FiniteOrNil(s.r.at(max(hi, p))), "Korn–Graubard interval"
}

// agreed is the interval if all units have the same value: Clopper–Pearson on the number of units
// at either end of the range (valid for any bounded quantity, since a value away from the end is at
// least as frequent as it is large), Hoeffding strictly inside, none without a range. It is never
// [x, x].
func (s spread) agreed() (low, high *float64, method string) {
	switch {
	case s.r == nil || !s.r.holds(s.mean):
		return nil, nil, "no interval"
	case s.r.atEnd(s.mean):
		p := math.Round(s.r.share(s.mean))
		lo, hi := ClopperPearson(p*s.equal, s.equal, s.conf)
		return FiniteOrNil(s.r.at(lo)), FiniteOrNil(s.r.at(hi)), "Clopper–Pearson interval over items"
	}
	lo, hi := Hoeffding(s.mean, max(1, int(s.equal)), *s.r, s.conf)
	return FiniteOrNil(lo), FiniteOrNil(hi), "Hoeffding interval over items"
}

// widen widens a bounded interval for what the values behind it cannot show: items that were not
// drawn (reach), and few items that dominate the sum (skewed). Neither is needed for 0/1 values,
// for which Korn–Graubard's interval is exact.
//
// Note: Korn–Graubard assumes that the largest deviation is of the usual size. Simulated at 20 to
// 100 items, uniform rewards up to 0.02 with 1 % of the items at 1 were covered in 16 to 62 %
// without reach, and without skewed the upper end was missed by up to 7 % of samples if there were
// jackpots among them; with both the lowest coverage is 94 %. Capping n* at the number of items, or
// at m·n/(1+(n-1)·ICC), covers too, but makes intervals of fine rewards up to four times as wide,
// even if no item is an outlier.
func (e *Estimate) widen(values []float64, r *Range, conf float64) {
	if r == nil || e.SE == nil || !r.holds(slices.Min(values)) || !r.holds(slices.Max(values)) {
		return
	}
	low, high := reach(*e.Value, values, *r, conf)
	if low < *e.Low || high > *e.High {
		e.Low, e.High = FiniteOrNil(min(low, *e.Low)), FiniteOrNil(max(high, *e.High))
		e.Method += ", widened to what unseen items may hold"
	}
	down, up := skewed(values, conf)
	low, high = max(r.Lo, *e.Value-down**e.SE), min(r.Hi, *e.Value+up**e.SE)
	if low < *e.Low || high > *e.High {
		e.Low, e.High = FiniteOrNil(min(low, *e.Low)), FiniteOrNil(max(high, *e.High))
		e.Method += ", widened for the few items that carry the sum"
	}
}

// reach returns the interval that unseen items allow: at confidence 1-α/2 fewer than q =
// 1-(α/2)^(1/m) of all items are beyond the extremes of the m observed values (Wilks 1941, Ann.
// Math. Stat. 12:91), and at most at the end of the range, so the interval extends from mean -
// q·(least - lo) to mean + q·(hi - largest). If all values are at one end it is again
// Clopper–Pearson's bound.
func reach(mean float64, values []float64, r Range, conf float64) (low, high float64) {
	q := unseenShare(len(values), conf)
	return mean - q*(slices.Min(values)-r.Lo), mean + q*(r.Hi-slices.Max(values))
}

// unseenShare returns the largest share of items that may be beyond all m observed ones.
func unseenShare(m int, conf float64) float64 {
	return 1 - math.Pow((1-conf)/2, 1/float64(m))
}

// skewed returns how many standard errors the interval of a skewed mean extends on its long side,
// and 0 on the other. It uses a Poisson count, scaled and shifted to the mean's own first three
// moments. The mean of m values of skewness g has skewness g/√m, like a count of x = m/g², whose
// exact upper limit is half the χ² quantile at 2x+2 degrees of freedom (Garwood 1936, Biometrika
// 28:437; matched in two moments for weighted sums of counts by Fay & Feuer 1997, Stat. Med.
// 16:791). One outlier among many items counts as x = 1.
func skewed(values []float64, conf float64) (down, up float64) {
	m := float64(len(values))
	mean, dev := moments(values)
	var cubes float64
	for _, v := range values {
		cubes += (v - mean) * (v - mean) * (v - mean)
	}
	g := cubes / m / math.Pow(dev/m, 1.5)
	if !(math.Abs(g) > leastSkew) {
		return 0, 0
	}
	x := m / (g * g)
	far := (mathext.GammaIncRegInv(x+1, (1+conf)/2) - x) / math.Sqrt(x)
	if g < 0 {
		return far, 0
	}
	return 0, far
}

// leastSkew is the skewness below which a Poisson count is practically normal.
const leastSkew = 1e-3

// flat reports whether the standard error is only float noise.
func (s spread) flat() bool {
	scale := math.Abs(s.mean)
	if s.r != nil {
		scale = s.r.Width()
	}
	return s.se <= rounding*scale
}

// estimate turns a spread into an Estimate, warnings included.
func (s spread) estimate(items int, fixed *float64, method string) Estimate {
	e := Estimate{Value: FiniteOrNil(s.mean), N: s.n, Draws: s.draws, Items: items, FixedSE: fixed, Warnings: []message.Text{}}
	if s.r != nil && !s.r.holds(s.mean) {
		e.warn(outsideRange.With(message.Args{
			"mean": message.Number(s.mean), "low": message.Number(s.r.Lo),
			"high": message.Number(s.r.Hi),
		}))
	}
	if s.clusters < 2 {
		e.single(s.r)
		e.Method = method
		return e
	}
	var interval string
	e.Low, e.High, interval = s.interval()
	e.Method = method + "; " + interval
	if !s.flat() {
		e.SE = FiniteOrNil(s.se)
		return e
	}
	if e.Low == nil {
		e.warn(allAgreeNoRange.With(ofItems(items)))
	} else {
		e.warn(allAgree.With(ofItems(items)))
	}
	return e
}

// single is the interval of one unit: everything the range allows.
func (e *Estimate) single(r *Range) {
	if r == nil || !r.holds(*e.Value) {
		e.warn(oneItemUnbounded.Text())
		return
	}
	e.Low, e.High = FiniteOrNil(r.Lo), FiniteOrNil(r.Hi)
	e.warn(oneItem.Text())
}
