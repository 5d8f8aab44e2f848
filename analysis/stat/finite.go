package stat

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Finite narrows an estimate made by ItemMeans or Mean on m items to its population: the M items of
// one file, of which the m are a random subset. Only the part of the variance that comes from
// drawing items shrinks, V = W + (1 - m/M)·max(0, SE² - W), where W = FixedSE² is the part that
// comes from sampling rollouts (Cochran 1977, Sampling Techniques, §10.6). The interval follows
// ItemMeans with the new variance; an end that was moved by widen shrinks with the standard error.
//
// M < m counts as m. An unknown FixedSE means W = SE², no reduction. An estimate without SE (no
// spread, one item) is returned unchanged. If no variance remains (every item measured, and each
// one agrees with itself), unseen disagreement is bounded instead: value ± R·(1-(α/2)^(1/m)), the
// Clopper–Pearson bound on the share of items that would show any.
func Finite(e Estimate, m, M int, r *Range, conf float64) Estimate {
	checkConf(conf)
	if e.Value == nil || e.SE == nil || m < 2 {
		return e
	}
	M = max(m, M)
	total := *e.SE * *e.SE
	within := total
	if e.FixedSE != nil {
		within = *e.FixedSE * *e.FixedSE
	}
	unsampled := 1 - float64(m)/float64(M)
	s := spread{mean: *e.Value, clusters: m, equal: float64(m), n: e.N, draws: e.Draws, r: r, conf: conf}
	s.se = math.Sqrt(within + unsampled*max(0, total-within))

	e.Warnings = slices.Clip(e.Warnings)
	var rule string
	if s.flat() {
		e.SE = nil
		e.Low, e.High, rule = s.unseen()
		e.warn(samplesAgree.Text())
	} else {
		e.Low, e.High, rule = s.narrowed(e)
		e.SE = FiniteOrNil(s.se)
	}
	estimator, _, _ := strings.Cut(e.Method, "; ")
	e.Method = fmt.Sprintf("%s; %s for the %d items of the file (%d measured)", estimator, rule, M, m)
	return e
}

// narrowed returns the interval at the new standard error.
func (s spread) narrowed(e Estimate) (low, high *float64, rule string) {
	before := s
	before.se = *e.SE
	return s.moved(e, before, s.se/before.se)
}

// moved returns the interval of s. before is the spread of e: an end that widen moved away from its
// interval keeps its distance from the mean times shrink.
func (s spread) moved(e Estimate, before spread, shrink float64) (low, high *float64, rule string) {
	oldLow, oldHigh, _ := before.interval()
	low, high, rule = s.interval()
	slack := rounding * (*oldHigh - *oldLow)
	if e.Low != nil && *e.Low < *oldLow-slack {
		low = FiniteOrNil(min(*low, s.mean-(s.mean-*e.Low)*shrink))
	}
	if e.High != nil && *e.High > *oldHigh+slack {
		high = FiniteOrNil(max(*high, s.mean+(*e.High-s.mean)*shrink))
	}
	return low, high, rule
}

// unseen bounds the disagreement that no item has shown.
func (s spread) unseen() (low, high *float64, rule string) {
	if s.r == nil || !s.r.holds(s.mean) {
		return nil, nil, "no interval"
	}
	_, q := ClopperPearson(0, s.equal, s.conf)
	half := q * s.r.Width()
	return FiniteOrNil(max(s.r.Lo, s.mean-half)), FiniteOrNil(min(s.r.Hi, s.mean+half)),
		"Clopper–Pearson bound on unseen disagreement"
}
