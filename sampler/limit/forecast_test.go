package limit

import (
	"math"
	"math/rand/v2"
	"testing"
)

func sumOf(xs ...float64) (s Sum) {
	for _, x := range xs {
		s.Add(x, nil)
	}
	return s
}

func TestForecast(t *testing.T) {
	// Mean 3, standard deviation sqrt(2.5); 10 more take 30, give or take t(0.975, 4)
	// = 2.7764 times sqrt(2.5·(10 + 100/5)) = 8.6603, or a factor exp(24.04/30) = 2.2289.
	total, low, high, ok := sumOf(1, 2, 3, 4, 5).Forecast(10)
	if !ok || total != 45 || math.Abs(low-(15+30/2.2289)) > 0.3 || math.Abs(high-(15+30*2.2289)) > 0.3 {
		t.Errorf("%v [%v, %v] %v", total, low, high, ok)
	}
	if _, _, _, ok := sumOf(1, 2, 3, 4).Forecast(10); ok {
		t.Error("4 tell nothing of the others")
	}
	var items [4]Part
	var s Sum
	for i := range 100 {
		s.Add(float64(i), &items[i%4])
	}
	if _, _, _, ok := s.Forecast(10); ok || s.Items != 4 || s.N != 100 {
		t.Errorf("%d rollouts of %d items tell nothing of the other items", s.N, s.Items)
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
			if s.Add(x, nil); i == first-1 {
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

// The rollouts of one item are made one after the other and cost alike: after
// some items the interval must hold what the others cost.
func TestForecastCoversItemsThatDiffer(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 5))
	const runs, items, samples = 200, 200, 8
	for _, first := range []int{10 * samples, 20*samples + 3, 150 * samples} {
		covered := 0
		for range runs {
			var s Sum
			sum := 0.0
			var low, high float64
			made := 0
			for range items {
				item, of := math.Exp(0.7*rng.NormFloat64()), new(Part)
				for range samples {
					x := item * math.Exp(0.3*rng.NormFloat64())
					sum += x
					s.Add(x, of)
					if made++; made == first {
						_, low, high, _ = s.Forecast(items*samples - first)
					}
				}
			}
			if low <= sum && sum <= high {
				covered++
			}
		}
		// Nominal 0.95; the skew of the items takes some of it. Rollouts taken for
		// independent would hold it in 0.5 of the runs.
		if share := float64(covered) / runs; share < 0.84 || share > 0.995 {
			t.Errorf("after %d rollouts the interval holds the total in %.3f of the runs", first, share)
		}
	}
}

func TestSumsAreAddedUp(t *testing.T) {
	whole, parts := sumOf(1, 5, 2, 8, 8, 0.5), sumOf(1, 5).Plus(Sum{}).Plus(sumOf(2, 8, 8, 0.5))
	all, low, high, _ := whole.Forecast(7)
	if all2, low2, high2, ok := parts.Forecast(7); !ok || whole.N != parts.N || math.Abs(all-all2)+math.Abs(low-low2)+math.Abs(high-high2) > 1e-9 {
		t.Errorf("%+v, and in parts %+v", whole, parts)
	}
}
