package stat

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonogo/analysis/message"

	"gonum.org/v1/gonum/stat/distuv"
)

// Alpha estimates Krippendorff's agreement of several raters on the interval scale, α = 1 - D/E: D
// is the mean squared difference of two ratings of the same output, E that of any two ratings at
// all (Krippendorff 2004, Content Analysis, ch. 11). For ratings 0 and 1 it is also the nominal α.
// items[i] holds the outputs of item i, each with all its ratings; an output with one rating
// carries no information and is left out.
//
// The interval resamples whole items (Hayes & Krippendorff 2007, Commun. Methods Meas. 1:77,
// resample outputs) and widens the percentiles according to their number (see expanded). If no
// ratings of one output differ, its low end is 1 - q·R²/E, where q is the exact bound on the share
// of items that would and R the spread of the ratings. The same source state gives the same
// interval. Cost: O(ratings + boot · items).
func Alpha(items [][][]float64, conf float64, boot int, src rand.Source) Estimate {
	checkConf(conf)
	const method = "Krippendorff's alpha, interval scale; percentile interval, items resampled"
	parts, spread := alphaParts(items)
	m, n := len(parts), 0
	var total alphaPart
	for _, p := range parts {
		total.add(p)
		n += p.outputs
	}
	value, ok := total.alpha()
	if m < 2 || !ok {
		return unknown(m, n, method, needsTwoRaters.Text())
	}
	e := Estimate{Value: FiniteOrNil(value), N: n, Items: m, Method: method, Warnings: []message.Text{}}
	if total.observed <= rounding*total.squares {
		_, q := ClopperPearson(0, float64(m), conf)
		e.Value, e.Low, e.High = FiniteOrNil(1), FiniteOrNil(max(-1, 1-q*spread*spread/total.expected())), FiniteOrNil(1)
		e.Method = "Krippendorff's alpha, interval scale; exact bound on unseen disagreement"
		return e
	}
	rng := rand.New(src)
	var draws []float64
	for range boot {
		var again alphaPart
		for range m {
			again.add(parts[rng.IntN(m)])
		}
		if a, ok := again.alpha(); ok {
			draws = append(draws, a)
		}
	}
	slices.Sort(draws)
	e.Low, e.High = FiniteOrNil(-1), FiniteOrNil(1)
	if len(draws) < fewestDraws {
		e.warn(fewResamplesRange.With(resamples(len(draws))))
		return e
	}
	tail := expanded(conf, m)
	e.Low, e.High = FiniteOrNil(min(value, quantile(draws, tail))), FiniteOrNil(max(value, quantile(draws, 1-tail)))
	return e
}

// fewestDraws is the minimum number of resamples for percentiles.
const fewestDraws = 100

// expanded returns the tail probability at which the percentiles of resamples of m items are read:
// that of the normal distribution at √(m/(m-1))·t(m-1), since resamples of m are too narrow by the
// first factor and do not account for the second (Hesterberg 2015, Am. Stat. 69:371, §5.3).
func expanded(conf float64, m int) float64 {
	z := math.Sqrt(float64(m)/float64(m-1)) * tQuantile(conf, m-1)
	return distuv.UnitNormal.CDF(-z)
}

// alphaPart is the contribution of one item to α.
type alphaPart struct {
	outputs         int
	n, sum, squares float64 // ratings of outputs with at least two
	observed        float64 // Σ over outputs of Σ squared deviations · 2n/(n-1)
}

func alphaParts(items [][][]float64) (parts []alphaPart, spread float64) {
	var all []float64
	for _, outputs := range items {
		for _, ratings := range outputs {
			if len(ratings) > 1 {
				all = append(all, ratings...)
			}
		}
	}
	if len(all) == 0 {
		return nil, 0
	}
	slices.Sort(all)
	origin, _ := moments(all)
	for _, outputs := range items {
		var p alphaPart
		for _, ratings := range outputs {
			if len(ratings) < 2 {
				continue
			}
			ratings = slices.Clone(ratings)
			slices.Sort(ratings)
			_, dev := moments(ratings)
			k := float64(len(ratings))
			p.outputs++
			p.observed += 2 * k / (k - 1) * dev
			for _, v := range ratings {
				p.n, p.sum, p.squares = p.n+1, p.sum+(v-origin), p.squares+(v-origin)*(v-origin)
			}
		}
		if p.outputs > 0 {
			parts = append(parts, p)
		}
	}
	return parts, all[len(all)-1] - all[0]
}

func (p *alphaPart) add(o alphaPart) {
	p.outputs += o.outputs
	p.n, p.sum, p.squares, p.observed = p.n+o.n, p.sum+o.sum, p.squares+o.squares, p.observed+o.observed
}

// expected is the mean squared difference of two of all ratings.
func (p alphaPart) expected() float64 {
	return 2 * (p.squares - p.sum*p.sum/p.n) / (p.n - 1)
}

func (p alphaPart) alpha() (float64, bool) {
	if p.n < 2 {
		return 0, false
	}
	expected := p.expected()
	if expected <= rounding*p.squares/p.n || expected <= 0 {
		return 0, false
	}
	return 1 - p.observed/p.n/expected, true
}
