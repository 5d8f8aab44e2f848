package judge_test

import (
	"math"
	"testing"

	"gonogo/analysis"
)

// pass^k is C(c,k)/C(n,k) of c right rollouts of n, averaged over items, and pass@k 1 - C(n-c,k)/C(n,k).
// Right is the top of the range, or the pass threshold.
func TestAllOfKAreRight(t *testing.T) {
	rewards := [][]float64{{1, 1, 0.5, 0}, {1, 1, 1, 1}}
	half := 0.5
	for _, c := range []struct {
		name      string
		threshold *float64
		all, some [3]float64 // at k = 1, 2, 4
	}{
		{"the top of the range", nil, [3]float64{0.75, (1./6 + 1) / 2, 0.5}, [3]float64{0.75, (5./6 + 1) / 2, 1}},
		{"a threshold", &half, [3]float64{0.875, (3./6 + 1) / 2, 0.5}, [3]float64{0.875, 1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, sr := extrapolated(t, 2, 4, func(s *analysis.Settings) { s.PassThreshold = c.threshold },
				func(i, j int) float64 { return rewards[i][j] })
			for i, k := range []int{1, 2, 4} {
				for _, one := range []struct {
					name string
					of   []analysis.AtK
					want float64
				}{{"pass^k", sr.PassAll, c.all[i]}, {"pass@k", sr.PassAt, c.some[i]}} {
					found := false
					for _, e := range one.of {
						if e.K == k {
							found = math.Abs(*e.Value-one.want) < 1e-12 && (e.Low == nil || *e.Low <= one.want && one.want <= *e.High)
						}
					}
					if !found {
						t.Errorf("%s at %d: %+v, want %g", one.name, k, one.of, one.want)
					}
				}
			}
		})
	}
}
