package limit

import "math"

// Sum adds up what rollouts took, such as money.
type Sum struct {
	N       int
	Total   float64
	Squares float64 // of the deviations from the mean, by Welford (1962), Technometrics 4(3)
}

// Add adds one.
func (s *Sum) Add(x float64) {
	was := s.Mean()
	s.N++
	s.Total += x
	s.Squares += (x - was) * (x - s.Mean())
}

// Mean is what one took; 0 of none.
func (s Sum) Mean() float64 { return s.Total / float64(max(s.N, 1)) }

// Plus returns both together (Chan, Golub and LeVeque 1983, The American
// Statistician 37(3)).
func (s Sum) Plus(o Sum) Sum {
	if s.N == 0 || o.N == 0 {
		return Sum{s.N + o.N, s.Total + o.Total, s.Squares + o.Squares}
	}
	d := o.Mean() - s.Mean()
	apart := d * d * float64(s.N) * float64(o.N) / float64(s.N+o.N)
	return Sum{s.N + o.N, s.Total + o.Total, s.Squares + o.Squares + apart}
}

// leastForecast is how many rollouts say something of the others.
const leastForecast = 5

// Forecast is what all will have taken when so many more are made, and the 95 %
// prediction interval of it; ok is false before enough are made to tell. It takes
// rollouts for independent: where those of one item are alike, and few items have
// been met yet, the interval is somewhat too narrow.
func (s Sum) Forecast(more int) (total, low, high float64, ok bool) {
	if s.N < leastForecast {
		return 0, 0, 0, false
	}
	n, m := float64(s.N), float64(max(more, 0))
	total = s.Total + m*s.Mean()
	half := student(n-1) * math.Sqrt(s.Squares/(n-1)*(m+m*m/n))
	return total, max(s.Total, total-half), total + half, true
}

// student is the 0.975 quantile of Student's t, by the first terms of its
// Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5): good to 1 % from 4
// degrees of freedom on.
func student(free float64) float64 {
	const z = 1.959963984540054
	z2 := z * z
	return z + z*(z2+1)/(4*free) + z*((5*z2+16)*z2+3)/(96*free*free) + z*(((3*z2+19)*z2+17)*z2-15)/(384*free*free*free)
}
