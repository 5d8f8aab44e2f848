package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuantileDifference(t *testing.T) {
	src := func(seed uint64) rand.Source { return rand.NewPCG(seed, 1) }
	t.Run("a tail that is gone", func(t *testing.T) {
		var base, new [][]float64
		for i := range 50 {
			base = append(base, []float64{5, 5, 5, 20 + float64(i%3)})
			new = append(new, []float64{5, 5, 5, 5})
		}
		e, p := QuantileDifference(base, new, true, 0.95, 0.95, 999, src(1))
		if *e.Value != 5-22 || *e.High >= 0 || *p > 0.01 {
			t.Errorf("%v [%v, %v], p %v", *e.Value, *e.Low, *e.High, *p)
		}
		if e, p := QuantileDifference(base, new, true, 0.5, 0.95, 999, src(1)); *e.Low != 0 || *e.High != 0 || *p != 1 {
			t.Errorf("median: [%v, %v], p %v", *e.Low, *e.High, *p)
		}
	})
	t.Run("few items have no interval", func(t *testing.T) {
		x := [][]float64{{1, 2}, {3}, {4}}
		if e, p := QuantileDifference(x, x, true, 0.5, 0.95, 999, src(1)); *e.Value != 0 || e.Low != nil || p != nil {
			t.Errorf("%+v, p %v", e, p)
		}
		if e, p := QuantileDifference(nil, x, false, 0.5, 0.95, 999, src(1)); e.Value != nil || p != nil {
			t.Errorf("nothing: %+v, p %v", e, p)
		}
	})
	// The true P90 of new minus base is known: both exponential, of mean 2 and 1, so that
	// it is ln 10 x (2 - 1). Items shift their values, the same in both runs.
	t.Run("coverage", func(t *testing.T) {
		const sets = 300
		for _, paired := range []bool{true, false} {
			held, r := 0, rand.New(rand.NewPCG(7, 7))
			for set := range sets {
				base, new := make([][]float64, 60), make([][]float64, 60)
				for i := range base {
					for range 4 {
						base[i], new[i] = append(base[i], r.ExpFloat64()), append(new[i], 2*r.ExpFloat64())
					}
				}
				e, _ := QuantileDifference(base, new, paired, 0.9, 0.95, 299, src(uint64(set)))
				if *e.Low <= math.Ln10 && math.Ln10 <= *e.High {
					held++
				}
			}
			if share := float64(held) / sets; share < 0.91 || share > 0.985 {
				t.Errorf("paired %v: %.3f of the intervals hold the truth", paired, share)
			}
		}
	})
	t.Run("values that count several times", func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 3))
		for range 500 {
			items, times := make([][]float64, 1+r.IntN(30)), []int(nil)
			var all []float64
			for i := range items {
				for range r.IntN(4) {
					items[i] = append(items[i], float64(r.IntN(20)))
				}
				times = append(times, r.IntN(4))
				for range times[i] {
					all = append(all, items[i]...)
				}
			}
			slices.Sort(all)
			p, want := r.Float64(), 0.0
			if len(all) > 0 {
				want = quantile(all, p)
			}
			if got := weighted(items).quantile(times, p); math.Abs(got-want) > 1e-12 {
				t.Fatalf("p %v of %v, %v times: %v, want %v", p, items, times, got, want)
			}
		}
	})
}
