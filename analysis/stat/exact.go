package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// ClopperPearson returns the equal-tailed exact interval for a proportion of
// which x out of n trials were successes (Clopper & Pearson 1934, Biometrika
// 26:404). Through its beta quantiles it is defined for real x and n, which
// effective sample sizes need (Korn & Graubard 1998).
//
// It panics unless 0 <= x <= n and 0 < conf < 1. With n = 0 nothing is known
// and the interval is [0, 1].
func ClopperPearson(x, n float64, conf float64) (lo, hi float64) {
	checkConf(conf)
	if !(0 <= x && x <= n) {
		panic("stat: Clopper-Pearson needs 0 <= x <= n")
	}
	tail := (1 - conf) / 2
	lo, hi = 0, 1
	if x > 0 {
		lo = mathext.InvRegIncBeta(x, n-x+1, tail)
	}
	if x < n {
		hi = mathext.InvRegIncBeta(x+1, n-x, 1-tail)
	}
	return lo, hi
}

// Hoeffding returns an interval for the mean of a quantity bounded by r, given the mean of m
// independent values: mean ± R·√(ln(2/α)/2m), cut to the range (Hoeffding 1963, JASA 58:13). It
// needs no variance, so it also holds if all values agree. It panics unless m >= 1 and 0 < conf <
// 1.
func Hoeffding(mean float64, m int, r Range, conf float64) (lo, hi float64) {
	checkConf(conf)
	if m < 1 {
		panic("stat: Hoeffding needs at least one value")
	}
	half := r.Width() * math.Sqrt(math.Log(2/(1-conf))/(2*float64(m)))
	return max(r.Lo, mean-half), min(r.Hi, mean+half)
}

// tQuantile returns the two-sided Student t quantile at conf.
func tQuantile(conf float64, df int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Quantile((1 + conf) / 2)
}

func checkConf(conf float64) {
	if !(0 < conf && conf < 1) {
		panic("stat: confidence must be between 0 and 1")
	}
}
