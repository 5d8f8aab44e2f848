package limit

import (
	"math"
	"math/rand/v2"
	"testing"
)

func sumOf(xs ...float64) (s Sum) {
	for _, x := range xs {
		s.Add(x)
	}
	return s
}

func TestForecast(t *testing.T) {
	// Mean 3, standard deviation sqrt(2.5); 10 more: 45 in all, give or take
	// t(0.975, 4) = 2.7764 times sqrt(2.5·(10 + 100/5)) = 8.6603.
	total, low, high, ok := sumOf(1, 2, 3, 4, 5).Forecast(10)
	if !ok || total != 45 || math.Abs(low-(45-24.05)) > 0.3 || math.Abs(high-(45+24.05)) > 0.3 {
		t.Errorf("%v [%v, %v] %v", total, low, high, ok)
	}
	if _, _, _, ok := sumOf(1, 2, 3, 4).Forecast(10); ok {
		t.Error("4 tell nothing of the others")
	}
	if total, low, high, _ := sumOf(2, 2, 2, 2, 2).Forecast(0); total != 10 || low != 10 || high != 10 {
		t.Errorf("nothing is left to make: %v [%v, %v]", total, low, high)
	}
	if _, low, _, _ := sumOf(0, 0, 0, 0, 50).Forecast(1); low < 50 {
		t.Errorf("%v: less than was spent", low)
	}
}

func TestStudent(t *testing.T) {
	// Tables of Student's t, 0.975: Abramowitz and Stegun, table 26.10.
	for free, want := range map[float64]float64{4: 2.776, 5: 2.571, 10: 2.228, 30: 2.042, 1e6: 1.960} {
		if got := student(free); math.Abs(got-want) > 0.01*want {
			t.Errorf("%g degrees of freedom: %.3f, want %.3f", free, got, want)
		}
	}
}

func TestForecastCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	const runs, first, all = 2000, 20, 200
	covered := 0
	for range runs {
		var s Sum
		sum := 0.0
		var total, low, high float64
		for i := range all {
			x := math.Exp(0.5 * rng.NormFloat64()) // rollouts cost so, somewhat skewed
			sum += x
			if s.Add(x); i == first-1 {
				total, low, high, _ = s.Forecast(all - first)
			}
		}
		if _ = total; low <= sum && sum <= high {
			covered++
		}
	}
	// Nominal 0.95; the skew takes some of it. Standard error 0.005.
	if share := float64(covered) / runs; share < 0.92 || share > 0.97 {
		t.Errorf("the interval holds the total in %.3f of the runs", share)
	}
}

func TestSumsAreAddedUp(t *testing.T) {
	whole, parts := sumOf(1, 5, 2, 8, 8, 0.5), sumOf(1, 5).Plus(Sum{}).Plus(sumOf(2, 8, 8, 0.5))
	if whole.N != parts.N || math.Abs(whole.Total-parts.Total) > 1e-12 || math.Abs(whole.Squares-parts.Squares) > 1e-9 {
		t.Errorf("%+v, and in parts %+v", whole, parts)
	}
}
