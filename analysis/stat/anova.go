package stat

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonogo/analysis/message"
)

// ANOVA returns the variance components of the one-way random-effects model with unequal numbers of
// rewards per item (Searle, Casella & McCulloch 1992, Variance Components, §3.6): within = MSW,
// between = (MSB-MSW)/n0 with n0 = (N - Σn_i²/N)/(m-1). between may be negative, which means that
// items differ less than sampling alone would make them.
//
// An item with one reward does not contribute to within. within is nil unless some item has two;
// between is then nil too, and with fewer than two items.
func ANOVA(items [][]float64) (within, between *float64) {
	s := summarize(items)
	var p parts
	for i := range s.ns {
		p.add(s.ns[i], s.means[i], s.devs[i])
	}
	return p.components()
}

// parts are the sums behind the analysis of variance. Means are relative to the first one added, to
// avoid cancellation.
type parts struct {
	m            int
	n, squares   float64 // Σn_i, Σn_i²
	dev          float64 // Σ within-item squared deviations
	origin       float64
	sum, sumOfSq float64 // Σn_i·(ȳ_i-origin), Σn_i·(ȳ_i-origin)²
}

func (p *parts) add(n int, mean, dev float64) {
	if p.m == 0 {
		p.origin = mean
	}
	w, d := float64(n), mean-p.origin
	p.m++
	p.n += w
	p.squares += w * w
	p.dev += dev
	p.sum += w * d
	p.sumOfSq += w * d * d
}

func (p *parts) components() (within, between *float64) {
	dfWithin := p.n - float64(p.m)
	if dfWithin < 1 {
		return nil, nil
	}
	msw := p.dev / dfWithin
	if p.m < 2 {
		return FiniteOrNil(msw), nil
	}
	dfBetween := float64(p.m - 1)
	msb := max(0, p.sumOfSq-p.sum*p.sum/p.n) / dfBetween
	n0 := (p.n - p.squares/p.n) / dfBetween
	return FiniteOrNil(msw), FiniteOrNil((msb - msw) / n0)
}

// icc returns between/(between+within) with a negative between taken as 0.
func (p *parts) icc() (value float64, clipped, ok bool) {
	within, between := p.components()
	if between == nil {
		return 0, false, false
	}
	b := max(0, *between)
	if b+*within <= 0 {
		return 0, false, false
	}
	return b / (b + *within), *between < 0, true
}

// ICC estimates the intraclass correlation of one-way random effects, the share of the reward's
// variance between items: ICC(1,1) of Shrout & Fleiss (1979, Psychol. Bull. 86:420), with the
// components of ANOVA. A negative between component counts as 0, with a warning.
//
// The interval is the percentile interval over boot resamples of whole items (Davison & Hinkley
// 1997, Bootstrap Methods, §3.8), because F intervals need normal rewards; SE is the spread of the
// resamples. The same source state gives the same interval. Cost: O(rewards + boot · items).
func ICC(items [][]float64, conf float64, boot int, src rand.Source) Estimate {
	checkConf(conf)
	const method = "one-way ANOVA ICC(1,1) (Shrout & Fleiss 1979); percentile interval, items resampled"
	s := summarize(items)
	m := len(s.ns)
	var all parts
	for i := range s.ns {
		all.add(s.ns[i], s.means[i], s.devs[i])
	}
	value, clipped, ok := all.icc()
	if !ok {
		return unknown(m, s.total, method, needsDifferRewards.Text())
	}
	e := Estimate{Value: FiniteOrNil(value), N: s.total, Items: m, Method: method, Warnings: []message.Text{}}
	if clipped {
		e.warn(negativeVariance.Text())
	}
	e.percentiles(s.resampledICC(boot, src), conf)
	return e
}

// resampledICC returns, in ascending order, the ICC of each resample of items that has one.
func (s summary) resampledICC(boot int, src rand.Source) []float64 {
	rng := rand.New(src)
	m := len(s.ns)
	draws := make([]float64, 0, max(0, boot))
	for range boot {
		var p parts
		for range m {
			i := rng.IntN(m)
			p.add(s.ns[i], s.means[i], s.devs[i])
		}
		if v, _, ok := p.icc(); ok {
			draws = append(draws, v)
		}
	}
	slices.Sort(draws)
	return draws
}

// percentiles sets the interval and SE of a share from sorted resamples.
func (e *Estimate) percentiles(draws []float64, conf float64) {
	if len(draws) < fewestDraws {
		e.warn(fewResamples.With(resamples(len(draws))))
		return
	}
	tail := (1 - conf) / 2
	low := min(quantile(draws, tail), *e.Value)
	high := max(quantile(draws, 1-tail), *e.Value)
	if high-low <= rounding {
		e.Low, e.High = FiniteOrNil(unit.Lo), FiniteOrNil(unit.Hi)
		e.warn(sameResamples.Text())
		return
	}
	_, dev := moments(draws)
	e.Low, e.High, e.SE = FiniteOrNil(low), FiniteOrNil(high), FiniteOrNil(math.Sqrt(dev/float64(len(draws)-1)))
}
