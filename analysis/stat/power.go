package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Power is the chance to find a change of the smallest detectable size.
const Power = 0.80

// MDE returns the minimal detectable effect at a standard error: the change
// that a two-sided test at level 1-conf finds with 80 % power,
// (z_{(1+conf)/2} + z_{0.80})·se (Miller 2024, arXiv 2411.00640). It is a
// figure of planning: a change below it that was not found may be there.
func MDE(se, conf float64) float64 {
	checkConf(conf)
	return (distuv.UnitNormal.Quantile((1+conf)/2) + distuv.UnitNormal.Quantile(Power)) * se
}

// SEAtMDE is the inverse of MDE: the standard error at which an effect is the
// smallest detectable one.
func SEAtMDE(effect, conf float64) float64 { return effect / MDE(1, conf) }

// SameModelSE returns the standard error of the difference between two runs of
// the same model on these items, √(2Σ s_i²/n_i)/m: sampling alone, for each
// item's chance is the same in both. nil when an item has a single reward.
func SameModelSE(items [][]float64) *float64 {
	fixed := fixedSE(summarize(items).errors())
	if fixed == nil {
		return nil
	}
	return Some(math.Sqrt2 * *fixed)
}

// Interaction returns the item × model variance of paired differences, by how
// much true changes differ between items: the variance of d minus the mean of
// within, the sampling variances of d given the items. A negative estimate
// counts as 0. nil with fewer than two items or where within is not known.
func Interaction(d, within []float64) *float64 {
	if len(d) < 2 || len(within) != len(d) {
		return nil
	}
	_, dev := moments(d)
	noise, _ := moments(within)
	return Some(max(0, dev/float64(len(d)-1)-noise))
}
