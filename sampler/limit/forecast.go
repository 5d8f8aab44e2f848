package limit

import "math"

// Sum adds up what rollouts used, such as money.
type Sum struct {
	N     int
	Items int // number of items of these rollouts
	Total float64

	// Sums over the items of T², NT and N², for an item with N rollouts that used T in total.
	TT, NT, NN float64
}

// Part is what the rollouts of one item have used so far.
type Part struct {
	N     int
	Total float64
}

// Add adds a rollout to the sum and to part, the rollouts of its item; nil stands for a new item.
func (s *Sum) Add(x float64, part *Part) {
	if part == nil {
		part = new(Part)
	}
	if part.N == 0 {
		s.Items++
	}
	s.count(*part, -1)
	part.N++
	part.Total += x
	s.count(*part, 1)
	s.N++
	s.Total += x
}

func (s *Sum) count(p Part, sign float64) {
	n := float64(p.N)
	s.TT += sign * p.Total * p.Total
	s.NT += sign * n * p.Total
	s.NN += sign * n * n
}

// Mean returns the mean use of a rollout; 0 without rollouts.
func (s Sum) Mean() float64 { return s.Total / float64(max(s.N, 1)) }

// Plus returns the sum of both, assuming that they have no items in common.
func (s Sum) Plus(o Sum) Sum {
	return Sum{s.N + o.N, s.Items + o.Items, s.Total + o.Total, s.TT + o.TT, s.NT + o.NT, s.NN + o.NN}
}

// leastForecast is the number of items whose rollouts are enough for a forecast.
const leastForecast = 5

// Forecast returns what all rollouts will have used once more more are made, with its 95 %
// prediction interval; ok is false before enough are made. The rollouts of one item are alike, and
// a run makes them one after the other, so the uncertainty comes from how much the items differ
// (the ratio estimator of cluster sampling, Cochran 1977, Sampling Techniques, 9A). The interval of
// the rest is a factor, by the delta method on its logarithm: the rest is positive and skewed.
func (s Sum) Forecast(more int) (total, low, high float64, ok bool) {
	if s.Items < leastForecast {
		return 0, 0, 0, false
	}
	n, k, m, mean := float64(s.N), float64(s.Items), float64(max(more, 0)), s.Mean()
	total = s.Total + m*mean
	// The variance of the items' sums around the mean use of as many rollouts, per rollout.
	variance := max(0, s.TT-2*mean*s.NT+mean*mean*s.NN) / n * k / (k - 1)
	half := student(k-1) * math.Sqrt(variance*(m+m*m/n))
	rest := total - s.Total
	if rest <= 0 {
		return total, total, total, true
	}
	factor := math.Exp(half / rest)
	return total, s.Total + rest/factor, s.Total + rest*factor, true
}

// student returns the 0.975 quantile of Student's t, by the first terms of its Cornish-Fisher
// expansion (Abramowitz and Stegun 26.7.5), accurate to 1 % from 4 degrees of freedom on.
func student(free float64) float64 {
	const z = 1.959963984540054
	z2 := z * z
	return z + z*(z2+1)/(4*free) + z*((5*z2+16)*z2+3)/(96*free*free) + z*(((3*z2+19)*z2+17)*z2-15)/(384*free*free*free)
}
