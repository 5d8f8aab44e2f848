package stat

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// power is the probability of detecting a change of the smallest detectable size.
const Power = 0.80

// MDE returns the minimal detectable effect at a standard error: the change that a two-sided test
// at level 1-conf finds with 80 % power, (z_{(1+conf)/2} + z_{0.80})·se (Miller 2024, arXiv
// 2411.00640). It is a planning figure: a smaller change that was not found may still exist.
func MDE(se, conf float64) float64 {
	checkConf(conf)
	return (distuv.UnitNormal.Quantile((1+conf)/2) + distuv.UnitNormal.Quantile(Power)) * se
}

// SEAtMDE is the inverse of MDE: the standard error at which an effect is the smallest detectable
// one.
func SEAtMDE(effect, conf float64) float64 { return effect / MDE(1, conf) }

// AssumedInteraction returns the item × model variance of true changes that a run of one model cannot
// measure: 2(1-ρ) times the variance between items, the variance of the difference of two models of
// equal spread whose item means correlate at ρ; and at least g(R-g), the variance of a mean gain of
// g in a range of width R if as few items as possible have all of it.
func AssumedInteraction(between, correlation, gain, width float64) float64 {
	return max(gain*(width-gain), 2*(1-correlation)*max(0, between))
}

// SameModelSE returns the standard error of the difference between two runs of the same model on
// these items, √(2Σ s_i²/n_i)/m: sampling alone, since each item has the same probabilities in
// both. It is nil if an item has a single reward.
func SameModelSE(items [][]float64) *float64 {
	fixed := fixedSE(summarize(items).errors())
	if fixed == nil {
		return nil
	}
	return FiniteOrNil(math.Sqrt2 * *fixed)
}

// Interaction returns the item × model variance of paired differences, which is how much true
// changes differ between items: the variance of d minus the mean of within, the sampling variances
// of d given the items. A negative estimate counts as 0. It is nil with fewer than two items or if
// within is unknown.
func Interaction(d, within []float64) *float64 {
	if len(d) < 2 || len(within) != len(d) {
		return nil
	}
	_, dev := moments(d)
	noise, _ := moments(within)
	return FiniteOrNil(max(0, dev/float64(len(d)-1)-noise))
}

// Limits beyond which Needed considers a threshold out of reach.
const (
	closest  = 1e-3 // share of the range between value and threshold
	farthest = 100  // multiple of the present items,
	fewItems = 50   // or of this many if there are fewer
)

// Needed returns how many items in all (not in addition), each sampled as often as the present
// ones, would move the interval of e off the threshold if its value did not change. m is the number
// of items behind e. The interval is that of ItemMeans with an error that shrinks as 1/√m, and an
// allowance for unseen items that shrinks about as 1/m; without an error it is the interval for
// items that agree, and for one item Hoeffding's.
//
// settleable is false, and items 0, if the value is within 1e-3 of the range of the threshold, if
// more than 100·max(m, 50) items would be needed, and if e has no value, or neither an error nor a
// range. An interval that already excludes the threshold gives m.
func Needed(e Estimate, threshold float64, m int, r *Range, conf float64) (items int, settleable bool) {
	checkConf(conf)
	if e.Value == nil || m < 1 || e.SE == nil && r == nil {
		return 0, false
	}
	gap := math.Abs(*e.Value - threshold)
	if gap == 0 || r != nil && gap < closest*r.Width() {
		return 0, false
	}
	if excludes(e.Low, e.High, threshold) {
		return m, true
	}
	most := farthest * max(m, fewItems)
	extra := 1 + sort.Search(most-m, func(i int) bool {
		low, high := e.grown(m, m+1+i, r, conf)
		return excludes(low, high, threshold)
	})
	if m+extra > most {
		return 0, false
	}
	return m + extra, true
}

// grown returns the interval that e would have with more items. An end that widen had moved shrinks
// with the share of items that may be beyond all observed ones.
func (e Estimate) grown(m, more int, r *Range, conf float64) (low, high *float64) {
	factor := float64(more) / float64(m)
	s := spread{
		mean: *e.Value, clusters: more, equal: float64(more), n: int(float64(e.N) * factor),
		draws: int(float64(e.Draws) * factor), r: r, conf: conf,
	}
	switch {
	case e.SE != nil:
		before := s
		before.clusters, before.equal, before.n, before.draws, before.se = m, float64(m), e.N, e.Draws, *e.SE
		s.se = *e.SE / math.Sqrt(factor)
		low, high, _ = s.moved(e, before, unseenShare(more, conf)/unseenShare(m, conf))
		return low, high
	case m == 1 && r.holds(s.mean):
		lo, hi := Hoeffding(s.mean, more, *r, conf)
		return &lo, &hi
	}
	low, high, _ = s.interval()
	return low, high
}

func excludes(low, high *float64, threshold float64) bool {
	return low != nil && high != nil && (threshold < *low || threshold > *high)
}
