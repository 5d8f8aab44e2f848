package formula_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGates(t *testing.T) {
	unit := func(string) (float64, float64) { return 0, 1 }
	judged := func(name string) (float64, float64) {
		if name == "core" {
			return 0, 1
		}
		return 1, 5
	}
	either := func(string) (float64, float64) { return -1, 1 }
	for _, c := range []struct {
		why, source string
		bounds      func(string) (float64, float64)
		want        []string
	}{
		{"a factor", "core * (0.7 + 0.3*style)", nil, []string{"core"}},
		{"a factor of every term", "0.7*core + 0.3*core*style", nil, []string{"core"}},
		{"two factors", "core*style", nil, []string{"core", "style"}},
		{"in order of appearance", "(style*core)^2", nil, []string{"style", "core"}},
		{"a sum has none", "0.5*core + 0.5*style", unit, nil},
		{"a name alone", "core", nil, []string{"core"}},
		{"a numerator", "core / (1 + style)", nil, []string{"core"}},
		{"a denominator is none: there is no value at all", "style / core", nil, []string{"style"}},
		{"a power", "core^0.5 * 2^style", nil, []string{"core"}},
		{"the power nothing is none", "core^0 * style", nil, []string{"style"}},
		{"a power that may be nothing is none", "core^style", unit, nil},
		{"a power that cannot be", "core^style", judged, []string{"core"}},
		{"an exponent is none", "2^core - 1 + style", unit, nil},
		{"functions that keep nothing nothing", "sqrt(core) * ceil(core) * style", nil, []string{"core", "style"}},
		{"a logarithm of one more", "log(1 + core) * (1 + style)", nil, []string{"core"}},
		{"min is none while the other may be negative", "min(core, style)", nil, nil},
		{"min is one when the other cannot be", "min(core, style)", unit, []string{"core", "style"}},
		{"nor when its form forbids it", "min(core, abs(style))", nil, []string{"core"}},
		{"an even power is not negative", "min(core, style^2)", nil, []string{"core"}},
		{"max is none", "max(core, style)", unit, nil},
		{"a penalty opens no gate but moves the floor", "core*style - 0.1*long", unit, nil},
		{"a constant floor that may not be the least", "2*core*style - 1", nil, nil},
		{"a constant floor that is the least", "2*core*style - 1", unit, []string{"core", "style"}},
		{"nothing is the greatest: none at all", "1 - core*style", unit, nil},
		{"values on both sides of nothing still give nothing", "core*style", either, []string{"core", "style"}},
		{"a floor that is not the least of values on both sides", "core*style + 1", either, nil},
		{"a part that is never nothing is none", "core*judge", judged, []string{"core"}},
		{"a step that closes", "floor(core) * style", unit, []string{"core", "style"}},
		{"a threshold", "max(core - 0.5, 0) * style", nil, []string{"core", "style"}},
		{"a guarded mean of two", "2*core*style / max(core + style, 1e-9)", unit, []string{"core", "style"}},
		{"a constant needs nobody", "0*core", nil, nil},
		{"a difference of equals is missed, on the safe side", "core*style + (long - long)", nil, nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			f := compile(t, c.source, "core", "judge", "long", "style")
			if d := cmp.Diff(c.want, f.Gates(c.bounds)); d != "" {
				t.Errorf("gates of %s (-want +got):\n%s", c.source, d)
			}
		})
	}
	f := compile(t, "core*style", "core", "style")
	odd := func(string) (float64, float64) { return math.NaN(), math.Inf(1) }
	if d := cmp.Diff([]string{"core", "style"}, f.Gates(odd)); d != "" {
		t.Errorf("bounds that are none count as unknown (-want +got):\n%s", d)
	}
}
