package stat

import "math"

// Spending returns how much of an error alpha may be spent once the share t, in (0, 1], of all
// information is available. It rises in t and is alpha at 1.
type Spending func(alpha, t float64) float64

// KimDeMets spends α·t²: less than Pocock's boundaries early on, and less than O'Brien & Fleming's
// late (Kim & DeMets 1987, Biometrika 74:149, the power family with ρ = 2). alpha is one-sided.
func KimDeMets(alpha, t float64) float64 { return alpha * t * t }

// Boundaries returns, for looks at rising shares of all information, the z values at which a
// two-sided test of level alpha may stop: under no effect, the probability of crossing any of them
// up to a look is what spend grants each side by then (Lan & DeMets 1983). Later looks do not
// change the boundaries of earlier ones, and looks may be at any shares.
//
// The sums behind looks are assumed to grow by independent increments: the correlation of looks at
// s < t is √(s/t). Estimates whose error shrinks more slowly than the information grows, such as
// the error between items, are more similar from look to look and cross less often. A boundary is
// infinite if nothing is left to spend. It is integrated on a grid (Armitage, McPherson & Rowe
// 1969, JRSS A 132:235). Cost: O(len(times)), some milliseconds in all.
func Boundaries(alpha float64, times []float64, spend Spending) []float64 {
	out := make([]float64, len(times))
	var path walk
	spent := 0.0
	for i, t := range times {
		share := 2 * spend(alpha/2, math.Min(t, 1))
		out[i] = path.boundary(t, share-spent)
		spent = math.Max(spent, share)
		path = path.kept(t, out[i])
	}
	return out
}

// Crossing returns the probability that |Z| reaches the boundary at any of the
// looks under no effect.
func Crossing(times, boundaries []float64) float64 {
	var path walk
	sum := 0.0
	for i, t := range times {
		sum += path.crossing(t, boundaries[i])
		path = path.kept(t, boundaries[i])
	}
	return sum
}

// walk is the position of a Brownian motion that has not crossed yet: its density at the points of
// a grid, times their weights. The zero value is at 0 at time 0.
type walk struct {
	time    float64
	at      []float64
	weights []float64
}

// gridSteps is even, for Simpson's rule. 240 steps leave errors below 1e-6.
const gridSteps = 240

// farthestZ is a boundary that is never reached.
const farthestZ = 8.5

// boundary finds the z that the walk crosses at t with probability p.
func (w walk) boundary(t, p float64) float64 {
	if p <= w.crossing(t, farthestZ) {
		return math.Inf(1)
	}
	low, high := 0.0, farthestZ
	for range 40 {
		middle := (low + high) / 2
		if w.crossing(t, middle) > p {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// crossing returns the probability of |Z| >= z at time t.
func (w walk) crossing(t, z float64) float64 {
	if math.IsInf(z, 1) {
		return 0
	}
	if w.at == nil {
		return 2 * above(z)
	}
	step, edge := math.Sqrt(t-w.time), z*math.Sqrt(t)
	sum := 0.0
	for i, x := range w.at {
		sum += w.weights[i] * (above((edge-x)/step) + above((edge+x)/step))
	}
	return sum
}

// kept returns the walk at t, given that it has not crossed z.
func (w walk) kept(t, z float64) walk {
	edge := math.Min(z, farthestZ) * math.Sqrt(t)
	width := 2 * edge / gridSteps
	next := walk{time: t, at: make([]float64, gridSteps+1), weights: make([]float64, gridSteps+1)}
	step := math.Sqrt(t - w.time)
	for i := range next.at {
		x := -edge + float64(i)*width
		density := bell(x / step)
		if w.at != nil {
			density = 0
			for j, from := range w.at {
				density += w.weights[j] * bell((x-from)/step)
			}
		}
		simpson := 2.0 + 2*float64(i%2)
		if i == 0 || i == gridSteps {
			simpson = 1
		}
		next.at[i], next.weights[i] = x, density/step*simpson*width/3
	}
	return next
}

// bell returns the density of a standard normal.
func bell(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }

// above returns the probability that a standard normal is above z, exact in the tail.
func above(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// ConfidenceAt returns the two-sided confidence of an interval that extends z standard errors on
// either side.
func ConfidenceAt(z float64) float64 { return 1 - 2*above(z) }
