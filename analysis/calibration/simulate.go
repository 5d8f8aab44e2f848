package calibration

import (
	"math"
	"math/rand/v2"
)

// Hardness draws an item's probability of success from Beta(0.6, 0.9), which has mean 0.4, by its
// two gamma parts.
func Hardness(rng *rand.Rand) float64 {
	gamma := func(a float64) float64 { // Marsaglia & Tsang (2000), with the boost for a < 1
		d := a + 1 - 1.0/3
		for {
			x := rng.NormFloat64()
			v := math.Pow(1+x/math.Sqrt(9*d), 3)
			if v > 0 && math.Log(rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
				return d * v * math.Pow(rng.Float64(), 1/a)
			}
		}
	}
	x, y := gamma(0.6), gamma(0.9)
	return x / (x + y)
}

// Sets returns the number of runs per cell of a simulation, and whether all cells are simulated.
func Sets() (sets int, full bool) {
	if !Full() {
		return 60, false
	}
	return 1000, true
}
