package stat_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gonogo/analysis/stat"
)

// The boundaries of O'Brien & Fleming (1979) spend hardly anything early (Lan &
// DeMets 1983, α*_1).
func obrienFleming(alpha, t float64) float64 {
	return 2 * distuv.UnitNormal.Survival(distuv.UnitNormal.Quantile(1-alpha/2)/math.Sqrt(t))
}

// Pocock's boundaries are nearly the same at every look (Lan & DeMets 1983,
// α*_2).
func pocock(alpha, t float64) float64 { return alpha * math.Log(1+(math.E-1)*t) }

func evenly(looks int) []float64 {
	times := make([]float64, looks)
	for i := range times {
		times[i] = float64(i+1) / float64(looks)
	}
	return times
}

// The constants of Jennison & Turnbull (2000), Group Sequential Methods, tables
// 2.1 (Pocock) and 2.3 (O'Brien & Fleming), for a two-sided level of 0.05.
func TestCrossingAgainstJennisonAndTurnbull(t *testing.T) {
	tests := []struct {
		looks              int
		pocock, obrienLast float64
	}{
		{1, 1.960, 1.960},
		{2, 2.178, 1.977},
		{3, 2.289, 2.004},
		{4, 2.361, 2.024},
		{5, 2.413, 2.040},
		{10, 2.555, 2.087},
	}
	for _, test := range tests {
		times := evenly(test.looks)
		flat, falling := make([]float64, test.looks), make([]float64, test.looks)
		for i, at := range times {
			flat[i], falling[i] = test.pocock, test.obrienLast/math.Sqrt(at)
		}
		for name, z := range map[string][]float64{"Pocock": flat, "O'Brien-Fleming": falling} {
			if got := stat.Crossing(times, z); math.Abs(got-0.05) > 1e-4 {
				t.Errorf("%s, %d looks: crosses with probability %.5f, want 0.05", name, test.looks, got)
			}
		}
	}
}

// The boundaries of Lan & DeMets' two spending functions at even looks, level
// 0.05 on two sides, as the programs ld98 (Reboussin, DeMets, Kim & Lan 2000,
// Control. Clin. Trials 21:190) and ldbounds print them.
func TestBoundariesAgainstLd98(t *testing.T) {
	tests := []struct {
		name  string
		spend stat.Spending
		want  []float64
	}{
		{"O'Brien-Fleming, 2 looks", obrienFleming, []float64{2.9626, 1.9686}},
		{"O'Brien-Fleming, 3 looks", obrienFleming, []float64{3.7103, 2.5114, 1.9930}},
		{"O'Brien-Fleming, 4 looks", obrienFleming, []float64{4.3326, 2.9631, 2.3590, 2.0141}},
		{"O'Brien-Fleming, 5 looks", obrienFleming, []float64{4.8769, 3.3569, 2.6803, 2.2898, 2.0310}},
		{"Pocock, 5 looks", pocock, []float64{2.4380, 2.4268, 2.4101, 2.3966, 2.3859}},
	}
	for _, test := range tests {
		got := stat.Boundaries(0.05, evenly(len(test.want)), test.spend)
		for i, want := range test.want {
			if math.Abs(got[i]-want) > 2e-3 {
				t.Errorf("%s: the boundaries are %.4f, want %.4f", test.name, got, test.want)
				break
			}
		}
	}
}

func TestBoundariesSpendTheWholeErrorAndNoMore(t *testing.T) {
	for name, times := range map[string][]float64{
		"even": evenly(7), "uneven": {0.1, 0.11, 0.5, 1}, "one": {1}, "a look past the end": {0.5, 1, 1.2},
	} {
		z := stat.Boundaries(0.05, times, stat.KimDeMets)
		if got := stat.Crossing(times, z); math.Abs(got-0.05) > 1e-6 {
			t.Errorf("%s looks: %.7f is spent at %.3f, want 0.05", name, got, z)
		}
	}
	if z := stat.Boundaries(0.05, []float64{0.5, 1, 1.2}, stat.KimDeMets); !math.IsInf(z[2], 1) {
		t.Errorf("with nothing left to spend the boundary is %g", z[2])
	}
}

func TestConfidenceAtABoundary(t *testing.T) {
	for _, conf := range []float64{0.95, 0.99} {
		if got := stat.ConfidenceAt(distuv.UnitNormal.Quantile((1 + conf) / 2)); math.Abs(got-conf) > 1e-12 {
			t.Errorf("at the quantile of %g it is %g", conf, got)
		}
	}
}
