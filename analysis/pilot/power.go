package pilot

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"gonogo/analysis/stat"
)

// Power says what a look at eval can tell, before it is paid for. Shares are of the reward range.
type Power struct {
	Items, Samples int
	// Same is the standard error of e if the training has changed nothing: that of sampling alone.
	Same float64
	// Changed is the standard error of e if items have changed as unevenly as the gate eval.power
	// assumes by default.
	Changed float64
	// Stops is the probability that the look meets the conditions on e of a NO-GO if the training has
	// changed nothing, by the normal distribution.
	Stops float64
	// Enough is the number of items like these with which Same is at most 0.015.
	Enough int
}

const (
	hopedGain          = 0.05  // threshold eval.power
	assumedCorrelation = 0.50  // threshold eval.power.correlation
	largestError       = 0.015 // the standard error above which a look stops few trainings
)

// PowerOf returns what a look can tell that samples the items again with samples rollouts each, for the
// planned looks. An item that the base run sampled once counts with the mean variance of the others. ok is
// false if fewer than two items have two rewards.
func PowerOf(base []Item, r stat.Range, samples, looks int) (p Power, ok bool) {
	var all [][]float64
	var within float64 // of a mean difference: Σ s²(1/n + 1/samples)/m²
	var variances, once []float64
	for _, it := range base {
		n := len(it.Rewards)
		if n == 0 {
			continue
		}
		all = append(all, it.Rewards)
		if n == 1 {
			once = append(once, 1+1/float64(samples))
			continue
		}
		_, v := stat.MeanVariance(it.Rewards)
		variances = append(variances, v)
		within += v * (1/float64(n) + 1/float64(samples))
	}
	width := r.Width()
	_, between := stat.ANOVA(all)
	if len(variances) < 2 || between == nil || width <= 0 {
		return p, false
	}
	mean, _ := stat.MeanVariance(variances)
	for _, share := range once {
		within += mean * share
	}
	m := float64(len(all))
	p.Items, p.Samples = len(all), samples
	p.Same = math.Sqrt(within) / m / width
	interaction := stat.AssumedInteraction(*between, assumedCorrelation, hopedGain*width, width)
	p.Changed = math.Sqrt(within/m+interaction) / math.Sqrt(m) / width
	p.Enough = int(math.Ceil(m * p.Same * p.Same / (largestError * largestError)))
	p.Stops = 1
	if p.Same > 0 {
		dist := distuv.StudentsT{Sigma: 1, Nu: m - 1}
		t, certain := dist.Quantile(1-stopError/float64(max(looks, 1))), dist.Quantile(1-stopError)
		p.Stops = distuv.UnitNormal.CDF(min(noGain, littleGain-t*p.Same, certain*p.Same) / p.Same)
	}
	return p, true
}

// Weak reports whether the standard error is so large that the look stops few trainings.
func (p Power) Weak() bool { return p.Same > largestError }
