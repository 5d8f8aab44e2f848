package stat

import (
	"math"

	"gonogo/analysis/message"
)

// Kappa estimates Cohen's agreement beyond chance of two yes-or-no judgements, where X and Y are 0
// or 1: κ = 1 - D/E, D the share of pairs that differ and E the share that would if the two were
// independent (Cohen 1960, Educ. Psychol. Meas. 20:37). The interval is the jackknife over whole
// items with t(m-1) on Fisher's scale. If no pair differs its low end is 1 - q/E, where q is the
// exact bound on the share of items that would. It is unknown if both judgements always have the
// same value: they then agree by chance alone.
func Kappa(items [][]Pair, conf float64) Estimate {
	checkConf(conf)
	const method = "Cohen's kappa; jackknife by item on Fisher's scale"
	pairs, n := sortedPairs(items)
	m := len(pairs)
	sums := make([]moment, m)
	var total moment
	for i, item := range pairs {
		for _, p := range item {
			sums[i].add(p.X, p.Y)
		}
		total = total.plus(sums[i], 1)
	}
	differ, chance := total.disagreement()
	if m < 2 || chance == 0 {
		return unknown(m, n, method, needsYesAndNo.Text())
	}
	e := Estimate{Value: FiniteOrNil(1 - differ/chance), N: n, Items: m, Method: method, Warnings: []message.Text{}}
	if differ == 0 {
		_, q := ClopperPearson(0, float64(m), conf)
		e.Low, e.High = FiniteOrNil(max(-1, 1-q/chance)), FiniteOrNil(1)
		e.Method = "Cohen's kappa; exact bound on unseen disagreement"
		return e
	}
	deleted := make([]float64, 0, m)
	for _, s := range sums {
		if d, c := total.plus(s, -1).disagreement(); c > 0 {
			deleted = append(deleted, min(max(1-d/c, rounding-1), 1-rounding))
		}
	}
	if _, ok := e.jackknife(deleted, fisher, conf); !ok {
		e.Low, e.High = FiniteOrNil(-1), FiniteOrNil(1)
		e.warn(tooFewItems.With(ofItems(m)))
	}
	return e
}

// disagreement returns the share of 0/1 pairs that differ, and the share for independent ones with
// the same shares of 1.
func (s moment) disagreement() (differ, chance float64) {
	if s.n == 0 {
		return 0, 0
	}
	px, py := s.x/s.n, s.y/s.n
	return math.Max(0, px+py-2*s.xy/s.n), px*(1-py) + py*(1-px)
}
