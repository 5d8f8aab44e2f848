package block

import (
	"math"
	"testing"
)

func TestAGaugeHoldsAllItsNumbers(t *testing.T) {
	p := func(x float64) *float64 { return &x }
	for what, c := range map[string]struct {
		value, low, high, threshold *float64
		share                       bool
		want                        *Gauge
	}{
		"a share ends at 1":              {p(0.8), p(0.7), p(0.9), p(0.1), true, &Gauge{0.8, 0.7, 0.9, 0.1}},
		"small ones fill the line":       {p(0.01), p(0), p(0.02), p(0.01), true, &Gauge{0.01 / 0.023, 0, 0.02 / 0.023, 0.01 / 0.023}},
		"no interval is one place":       {p(2), nil, nil, p(4), false, &Gauge{2 / 4.6, 2 / 4.6, 2 / 4.6, 4 / 4.6}},
		"a negative value is on it":      {p(-1), nil, nil, p(1), false, &Gauge{0, 0, 0, 2 / 2.3}},
		"no threshold, no line":          {p(1), nil, nil, nil, false, nil},
		"nothing but zeros has no line":  {p(0), nil, nil, p(0), false, nil},
		"what is endless cannot be seen": {p(1), p(0), p(math.Inf(1)), p(1), false, nil},
	} {
		got := GaugeOf(c.value, c.low, c.high, c.threshold, c.share)
		if (got == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", what, got, c.want)
			continue
		}
		if got != nil && math.Abs(got.Value-c.want.Value)+math.Abs(got.Low-c.want.Low)+math.Abs(got.High-c.want.High)+math.Abs(got.Threshold-c.want.Threshold) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, *got, *c.want)
		}
	}
}
