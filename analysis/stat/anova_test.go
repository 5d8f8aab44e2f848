package stat

import (
	"testing"

	"pgregory.net/rapid"
)

// Shrout & Fleiss (1979), table 2: six targets, four judges. They print
// BMS = 11.24, WMS = 6.26 and ICC(1,1) = .17.
var shroutFleiss = [][]float64{{9, 2, 5, 8}, {6, 1, 3, 2}, {8, 4, 6, 8}, {7, 1, 2, 6}, {10, 5, 6, 9}, {6, 2, 4, 7}}

func TestANOVA(t *testing.T) {
	within, between := ANOVA(shroutFleiss)
	near(t, "within", known(t, "within", within), 6.26, 0.005)
	near(t, "between", known(t, "between", between), (11.24-6.26)/4, 0.005)
	near(t, "icc", known(t, "icc", ICC(shroutFleiss, 0.95, 0, seeded(1)).Value), 0.17, 0.005)
}

// Items {1,2,3}, {4}, {2,6}, by hand: SSW = 2+0+8, df 3; pooled mean 3,
// SSB = 3·1+1·1+2·1 = 6, df 2; n0 = (6-14/6)/2 = 11/6; between = (3-10/3)·6/11.
func TestANOVAUnequal(t *testing.T) {
	within, between := ANOVA([][]float64{{1, 2, 3}, {4}, {}, {2, 6}})
	near(t, "within", known(t, "within", within), 10./3, 1e-12)
	near(t, "between", known(t, "between", between), -2./11, 1e-12)
}

func TestANOVANotEstimable(t *testing.T) {
	for about, items := range map[string][][]float64{
		"nothing":        nil,
		"single samples": {{1}, {2}, {3}},
	} {
		if within, between := ANOVA(items); within != nil || between != nil {
			t.Errorf("%s: %v, %v, want nil", about, within, between)
		}
	}
	within, between := ANOVA([][]float64{{1, 3}})
	near(t, "within of one item", known(t, "within", within), 2, 1e-12)
	if between != nil {
		t.Errorf("between one item = %g, want nil", *between)
	}
}

func TestICC(t *testing.T) {
	e := ICC(shroutFleiss, 0.95, 2000, seeded(7))
	if !(*e.Low <= *e.Value && *e.Value <= *e.High && *e.Low < *e.High) || e.SE == nil {
		t.Errorf("interval [%g, %g] around %g", *e.Low, *e.High, *e.Value)
	}
	same(t, "the same seed", ICC(shroutFleiss, 0.95, 2000, seeded(7)), e, 0)

	clipped := ICC([][]float64{{0, 1}, {1, 0}, {0, 1}, {0, 1}}, 0.95, 200, seeded(1))
	if *clipped.Value != 0 || len(clipped.Warnings) == 0 {
		t.Errorf("items without differences: %g, warnings %q", *clipped.Value, clipped.Warnings)
	}
	if *clipped.Low != 0 || *clipped.High != 1 {
		t.Errorf("resamples that agree give [%g, %g], want the whole range", *clipped.Low, *clipped.High)
	}
	if e := ICC(repeat([]float64{1, 1}, 5), 0.95, 200, seeded(1)); e.Known() || len(e.Warnings) != 1 {
		t.Errorf("no variance at all: %+v, want unknown", e)
	}
	if e := ICC(shroutFleiss, 0.95, 50, seeded(1)); e.Low != nil || len(e.Warnings) != 1 {
		t.Errorf("50 resamples: %+v, want no interval", e)
	}
}

func TestVarianceIgnoresAConstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rewardItems(t)
		moved := make([][]float64, len(items))
		for i, item := range items {
			for _, y := range item {
				moved[i] = append(moved[i], y+100)
			}
		}
		w1, b1 := ANOVA(items)
		w2, b2 := ANOVA(moved)
		same(t, "a constant added", Estimate{Value: w2, SE: b2}, Estimate{Value: w1, SE: b1}, 1e-9)
	})
}
