package stat

import (
	"fmt"
	"math"

	"gonogo/analysis/message"

	"gonum.org/v1/gonum/stat/distuv"
)

// PairedMean estimates the mean over items of d, one difference per item, such as new minus base:
// mean ± t(m-1)·sd/√m. This is the right analysis for repeated measurements of the same items
// (Miller 2024, arXiv 2411.00640): what items have in common cancels.
//
// within[i] is the sampling variance of d[i] given the item (nil: unknown), n the number of
// rollouts behind all differences. r bounds a single difference; nil is unbounded. If all
// differences agree they do not determine their spread, and the interval is what unseen items may
// hold: value - q·(value - lo) to value + q·(hi - value) with q = 1-(α/2)^(1/m), Clopper–Pearson's
// bound on the share of items that would differ. It is never [x, x]. SE is then nil.
func PairedMean(d, within []float64, n int, r *Range, conf float64) Estimate {
	const method = "mean over items of the difference, paired (Miller 2024)"
	e := ItemMeans(d, within, n, nil, conf, method)
	if len(d) < 2 || e.SE != nil {
		return e
	}
	if r == nil || !r.holds(*e.Value) {
		return e
	}
	_, q := ClopperPearson(0, float64(len(d)), conf)
	e.Low = FiniteOrNil(*e.Value - q*max(0, *e.Value-r.Lo))
	e.High = FiniteOrNil(*e.Value + q*max(0, r.Hi-*e.Value))
	e.Method = method + "; Clopper–Pearson bound on unseen differences"
	e.Warnings = []message.Text{allAgree.With(message.Args{"items": message.Count(len(d), "difference")})}
	return e
}

// Welch estimates the difference of two means of independent items, b's minus a's, with SE
// √(s_a²/m_a + s_b²/m_b) and t at the degrees of freedom of Welch (1947, Biometrika 34:28) and
// Satterthwaite. a and b hold one value per item, n is the number of rollouts behind both. p is the
// two-sided p-value, nil if there is none. Fewer than two items on a side give no interval; sides
// without any spread are bounded by r, the range of one value, as in PairedMean.
func Welch(a, b []float64, n int, r *Range, conf float64) (e Estimate, p *float64) {
	checkConf(conf)
	const method = "difference of the means of item means, unpaired (Welch 1947)"
	if len(a) == 0 || len(b) == 0 {
		return unknown(len(a)+len(b), n, method, noItemsOnSide.Text()), nil
	}
	meanA, devA := moments(a)
	meanB, devB := moments(b)
	e = Estimate{Value: FiniteOrNil(meanB - meanA), N: n, Items: len(a) + len(b), Method: method, Warnings: []message.Text{}}
	if len(a) < 2 || len(b) < 2 {
		e.warn(fewOnSide.Text())
		return e, nil
	}
	va, vb := devA/float64(len(a)-1)/float64(len(a)), devB/float64(len(b)-1)/float64(len(b))
	se := math.Sqrt(va + vb)
	if se <= rounding*max(math.Abs(meanA), math.Abs(meanB), r.span()) {
		if r != nil {
			_, qa := ClopperPearson(0, float64(len(a)), conf)
			_, qb := ClopperPearson(0, float64(len(b)), conf)
			half := (qa + qb) * r.Width()
			e.Low, e.High = FiniteOrNil(max(-r.Width(), *e.Value-half)), FiniteOrNil(min(r.Width(), *e.Value+half))
		}
		e.warn(sideAgrees.Text())
		return e, nil
	}
	df := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}
	half := t.Quantile((1+conf)/2) * se
	e.SE, e.Low, e.High = FiniteOrNil(se), FiniteOrNil(*e.Value-half), FiniteOrNil(*e.Value+half)
	e.Method += fmt.Sprintf("; t(%.4g) interval", df)
	return e, FiniteOrNil(2 * t.Survival(math.Abs(*e.Value)/se))
}

// span returns the width of a range, 0 without one.
func (r *Range) span() float64 {
	if r == nil {
		return 0
	}
	return r.Width()
}

// Equivalence is the result of two one-sided tests (Schuirmann 1987, J. Pharmacokinet. Biopharm.
// 15:657): whether a difference is within ±Delta.
type Equivalence struct {
	Delta float64  `json:"delta"`
	Low   *float64 `json:"low"`  // one-sided lower bound of the difference
	High  *float64 `json:"high"` // one-sided upper bound
	P     *float64 `json:"p"`    // the larger of the two one-sided p-values
	Shown bool     `json:"shown"`
}

// Equivalent tests whether the mean over items of d is within ±delta, with t(m-1) at level 1-conf
// on each side: it is shown if both one-sided bounds are inside. If all differences agree the
// bounds are PairedMean's and P is nil.
func Equivalent(d []float64, r *Range, delta, conf float64) Equivalence {
	checkConf(conf)
	q := Equivalence{Delta: delta}
	e := PairedMean(d, nil, len(d), r, 2*conf-1)
	q.Low, q.High = e.Low, e.High
	q.Shown = e.Low != nil && *e.Low > -delta && *e.High < delta
	if e.SE != nil {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(d) - 1)}
		q.P = FiniteOrNil(max(t.Survival((*e.Value+delta) / *e.SE), t.CDF((*e.Value-delta) / *e.SE)))
	}
	return q
}

// EquivalentUnpaired is Equivalent for the values of independent items on two
// sides, by Welch's bounds. P is nil.
func EquivalentUnpaired(a, b []float64, r *Range, delta, conf float64) Equivalence {
	e, _ := Welch(a, b, 0, r, 2*conf-1)
	q := Equivalence{Delta: delta, Low: e.Low, High: e.High}
	q.Shown = e.Low != nil && *e.Low > -delta && *e.High < delta
	return q
}
