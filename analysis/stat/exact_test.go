package stat

import (
	"math"
	"testing"
)

// Expected values: /usr/bin/python3 -c "from scipy.stats import beta; x,n,a=3,10,.05;
// print(beta.ppf(a/2,x,n-x+1), beta.ppf(1-a/2,x+1,n-x))"
func TestClopperPearson(t *testing.T) {
	tests := []struct {
		about          string
		x, n, conf     float64
		wantLo, wantHi float64
	}{
		{"nothing tried, nothing known", 0, 0, 0.95, 0, 1},
		{"no success in ten", 0, 10, 0.95, 0, 0.3084971078187608},
		{"ten of ten mirrors none of ten", 10, 10, 0.95, 0.6915028921812392, 1},
		{"three of ten", 3, 10, 0.95, 0.0667395111777345, 0.6524528500599973},
		{"three of ten, more confident", 3, 10, 0.99, 0.03700722109623209, 0.7351139852871307},
		{"one of two", 1, 2, 0.95, 0.01257911709342506, 0.9874208829065749},
		{"an effective size near one", 0.3, 1.2, 0.95, 2.0249775324700735e-06, 0.9873231169045781},
		{"an effective size that is no integer", 5.5, 20.25, 0.95, 0.1010372984881672, 0.51202281803073},
		{"a large size", 50000, 100000, 0.95, 0.49689606249180285, 0.5031039375081972},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			lo, hi := ClopperPearson(test.x, test.n, test.conf)
			near(t, "lo", lo, test.wantLo, 1e-11)
			near(t, "hi", hi, test.wantHi, 1e-11)
		})
	}
}

func TestClopperPearsonHoldsAtTinyAndHugeSizes(t *testing.T) {
	for _, n := range []float64{1e-6, 1e-3, 0.02, 1, 30, 1e4, 1e7, hugeSize} {
		for _, p := range []float64{0, 1e-9, 1e-4, 0.3, 0.5, 0.999, 1} {
			lo, hi := ClopperPearson(p*n, n, 0.95)
			if !(0 <= lo && lo <= p && p <= hi && hi <= 1 && lo < hi) {
				t.Errorf("ClopperPearson(%g, %g) = [%g, %g]", p*n, n, lo, hi)
			}
		}
	}
}

// By hand: √(ln(2/0.05)/(2·100)) = √(3.688879/200) = 0.135810.
func TestHoeffding(t *testing.T) {
	lo, hi := Hoeffding(0.5, 100, Range{0, 1}, 0.95)
	near(t, "lo", lo, 0.5-0.135810, 1e-6)
	near(t, "hi", hi, 0.5+0.135810, 1e-6)
	lo, hi = Hoeffding(1.9, 100, Range{-2, 2}, 0.95)
	near(t, "lo on a range of width 4", lo, 1.9-4*0.135810, 1e-5)
	if hi != 2 {
		t.Errorf("hi = %g, want it cut at the range's end 2", hi)
	}
}

func TestMisuseOfExactIntervalsPanics(t *testing.T) {
	for name, misuse := range map[string]func(){
		"more successes than trials":   func() { ClopperPearson(3, 2, 0.95) },
		"NaN successes":                func() { ClopperPearson(math.NaN(), 2, 0.95) },
		"percent as confidence":        func() { ClopperPearson(1, 2, 95) },
		"no values":                    func() { Hoeffding(0.5, 0, Range{0, 1}, 0.95) },
		"variances of other items":     func() { ItemMeans([]float64{1, 2}, []float64{1}, 2, nil, 0.95, "") },
		"families of other items":      func() { FamilyMean([][]float64{{1}}, nil, nil, 0.95) },
		"k of nothing":                 func() { MaxOfK([]float64{1}, 0) },
		"k past n":                     func() { MinOfK([]float64{1}, 2) },
		"g past n":                     func() { Informative([]float64{1}, 2, 0) },
		"more successes than rollouts": func() { BetaBinomialFit([]int{3}, []int{2}) },
		"a percentile as a share":      func() { Quantile([]float64{1}, 95) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			misuse()
		})
	}
}
