package stat

import (
	"fmt"
	"math"
	"slices"
)

// Finite narrows an estimate made by ItemMeans or Mean on m items to the
// population it speaks of: the M items of one file, of which the m are a
// random subset. Only the part of the variance that stems from which items
// were drawn shrinks, V = W + (1 - m/M)·max(0, SE² - W), where W = FixedSE² is
// the part that stems from sampling rollouts (Cochran 1977, Sampling
// Techniques, §10.6). The interval follows ItemMeans with the new variance.
//
// M < m is taken as m. An unknown FixedSE means W = SE², no reduction. An
// estimate without SE (no spread, one item) is returned as it is. Where
// nothing is left of the variance (every item measured, and each one agrees
// with itself) unseen disagreement is bounded instead: value ± R·(1-(α/2)^(1/m)),
// the Clopper–Pearson bound on the share of items that would show any.
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
	left := 1 - float64(m)/float64(M)
	s := spread{mean: *e.Value, clusters: m, equal: float64(m), n: e.N, r: r, conf: conf}
	s.se = math.Sqrt(within + left*max(0, total-within))

	e.Warnings = slices.Clip(e.Warnings)
	var interval string
	if s.flat() {
		e.SE = nil
		e.Low, e.High, interval = s.unseen()
		e.warn("every item agrees with itself in all its samples: the interval only bounds what more samples could show")
	} else {
		e.SE = Some(s.se)
		e.Low, e.High, interval = s.interval()
	}
	e.Method = fmt.Sprintf("%s for the %d items of the file (%d measured)", interval, M, m)
	return e
}

// unseen bounds the disagreement that no item has shown.
func (s spread) unseen() (low, high *float64, method string) {
	if s.r == nil || !s.r.holds(s.mean) {
		return nil, nil, "no interval"
	}
	_, q := ClopperPearson(0, s.equal, s.conf)
	half := q * s.r.Width()
	return Some(max(s.r.Lo, s.mean-half)), Some(min(s.r.Hi, s.mean+half)), "Clopper–Pearson bound on unseen disagreement"
}
