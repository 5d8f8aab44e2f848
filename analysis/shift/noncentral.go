package shift

import (
	"math"

	"gonogo/analysis/stat"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

const wantedPower = 0.80

// noncentral returns P(X <= x) for the noncentral χ² with df degrees of freedom, as a Poisson
// mixture of central ones, summed outwards from its largest weight (Benton & Krishnamoorthy 2003,
// Comput. Stat. Data Anal. 43:249).
func noncentral(x, df, lambda float64) float64 {
	if x <= 0 {
		return 0
	}
	half := lambda / 2
	start := math.Floor(half)
	term := func(j float64) float64 {
		lg, _ := math.Lgamma(j + 1)
		weight := -half - lg
		if j > 0 {
			weight += j * math.Log(half)
		}
		return math.Exp(weight)
	}
	var sum float64
	for j := start; ; j++ {
		w := term(j)
		sum += w * mathext.GammaIncReg(df/2+j, x/2)
		if w < 1e-14 {
			break
		}
	}
	for j := start - 1; j >= 0; j-- {
		w := term(j)
		sum += w * mathext.GammaIncReg(df/2+j, x/2)
		if w < 1e-14 {
			break
		}
	}
	return min(1, sum)
}

// noncentrality returns the λ at which P(X <= x) = p, and 0 if even λ = 0 has a smaller
// probability.
func noncentrality(x, df, p float64) float64 {
	if noncentral(x, df, 0) <= p {
		return 0
	}
	low, high := 0.0, max(1, x)
	for noncentral(x, df, high) > p {
		high *= 2
	}
	for range 60 {
		middle := (low + high) / 2
		if noncentral(x, df, middle) > p {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// noncentralities returns the interval of λ given one x: Smithson 2003, Confidence Intervals, §3.
// An x below df, its mean without any shift, counts as df: otherwise the interval could shrink to
// nothing.
func noncentralities(x, df, conf float64) (low, high float64) {
	return noncentrality(x, df, (1+conf)/2), noncentrality(max(x, df), df, (1-conf)/2)
}

// detected returns the λ that a χ² test with df degrees of freedom finds at 5 % with 80 % power.
func detected(df float64) float64 {
	critical := 2 * mathext.GammaIncRegInv(df/2, 1-alpha)
	return noncentrality(critical, df, 1-wantedPower)
}

// missedByPairs returns the effect, on the scale of an unbiased statistic of pairs, that its
// permutation test finds at 5 % with 80 % power. Without shift such a statistic is a weighted sum
// of independent χ² minus their means. It is approximated by c·(χ²(k) - k), with c and k from the
// variance 2c²k and skewness √(8/k) of the permuted values, and with shift by c·(χ²(k, λ) - k),
// whose mean is c·λ (a Welch–Satterthwaite approximation; simulations find 70 to 80 % power).
func missedByPairs(permuted []float64) float64 {
	m, variance := mean(permuted), spread(permuted)
	if !(variance > 0) {
		return math.NaN()
	}
	var third float64
	for _, x := range permuted {
		third += (x - m) * (x - m) * (x - m)
	}
	skewness := third / float64(len(permuted)) / math.Pow(variance, 1.5)
	k := min(max(8/(skewness*skewness), 1), 200)
	if skewness <= 0 {
		k = 200
	}
	return math.Sqrt(variance/(2*k)) * detected(k)
}

// missedByAUC returns the AUC that a test finds at 5 % with 80 % power: the 95th percentile of the
// permuted values plus .84 standard errors of an AUC of that size (Hanley & McNeil 1982, Radiology
// 143:29; in proportion to the one found at 0.5), including the variation by refitting.
func missedByAUC(permuted []float64, fixed, extra float64, nA, nB int) float64 {
	critical := max(0.5, stat.Quantile(permuted, 1-alpha))
	share := fixed / hanleyMcNeil(0.5, float64(nA), float64(nB))
	z := distuv.UnitNormal.Quantile(wantedPower)
	auc := critical
	for range 20 {
		auc = min(1, critical+z*math.Hypot(share*hanleyMcNeil(auc, float64(nA), float64(nB)), extra*fading(auc)))
	}
	return auc
}

func hanleyMcNeil(auc, nA, nB float64) float64 {
	q1, q2 := auc/(2-auc), 2*auc*auc/(1+auc)
	variance := auc*(1-auc) + (nA-1)*(q1-auc*auc) + (nB-1)*(q2-auc*auc)
	return math.Sqrt(max(0, variance) / (nA * nB))
}

// missedByKolmogorov returns the largest difference of two distribution functions that may be
// missed: the critical value plus .84 times the largest standard error that the difference can have
// at one point, ½·√(1/n+1/m).
func missedByKolmogorov(nA, nB int) float64 {
	root := math.Sqrt(1/float64(nA) + 1/float64(nB))
	return min(1, root*(math.Sqrt(-math.Log(alpha/2)/2)+distuv.UnitNormal.Quantile(wantedPower)/2))
}
