package stat

import (
	"math"
	"testing"
)

// python3, with items as in TestMean: y = all rewards, p = 9/19, u = sums of y-p
// by item, se = (5/4·Σu²)^½/19 and the interval of TestMean at that se.
func TestPooled(t *testing.T) {
	e := Pooled(unequal, &unit, 0.95)
	nearEstimate(t, e, 9./19, 0.15700531923482872, 0.09989883232492965, 0.8723416127999327, 1e-9)
	// Weights n_i²/N²: (16·(1/12) + 0 + 16/16 + 4/4 + 25/25)/361.
	near(t, "fixed se", known(t, "fixed se", e.FixedSE), math.Sqrt((16./12+1+1+1)/361), 1e-12)
}

func TestPooledEqualsMeanWhenItemsAreEquallyLong(t *testing.T) {
	items := [][]float64{{0, 1}, {1, 1}, {0.5, 0.25}, {-1, 2}}
	same(t, "equal n", Pooled(items, nil, 0.9), Mean(items, nil, 0.9), 1e-12)
}

func TestFamilyMean(t *testing.T) {
	items := [][]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {}, {1, 1}}
	own := FamilyMean(items, []string{"a", "b", "c", "d", "x", "e"}, nil, 0.95)
	same(t, "families of one item", own, Mean(items, nil, 0.95), 1e-12)
	same(t, "items without a family are their own", FamilyMean(items, make([]string, 6), nil, 0.95), own, 0)

	// By hand: means 0 .5 1 .5 1, mean .6; family sums (-.6-.1) and (.4-.1+.4):
	// se = √(2/1·(.49+.49))/5 = .28.
	two := FamilyMean(items, []string{"a", "a", "b", "b", "z", "b"}, nil, 0.95)
	near(t, "value", *two.Value, 0.6, 1e-12)
	near(t, "se", known(t, "se", two.SE), 0.28, 1e-12)
	near(t, "high", known(t, "high", two.High), 0.6+12.706204736*0.28, 1e-6)

	one := FamilyMean(items, []string{"a", "a", "a", "a", "a", "a"}, &unit, 0.95)
	if one.SE != nil || *one.Low != 0 || *one.High != 1 || len(one.Warnings) != 1 {
		t.Errorf("one family: %+v, want the whole range and a warning", one)
	}
}

func TestRatioOfSums(t *testing.T) {
	// By hand: share 6/20; u = 1-.3·4, 0-.3·6, 5-.3·10, and no row for 0/0:
	// se = √(3/2·(.04+3.24+4))/20.
	e := RatioOfSums([]float64{1, 0, 5, 0}, []float64{4, 6, 10, 0}, 8, 0.95)
	near(t, "value", *e.Value, 0.3, 1e-12)
	near(t, "se", known(t, "se", e.SE), math.Sqrt(1.5*7.28)/20, 1e-12)
	if e.Items != 3 || e.N != 8 {
		t.Errorf("items, n = %d, %d, want 3, 8", e.Items, e.N)
	}
	if e := RatioOfSums([]float64{0, 0}, []float64{0, 0}, 4, 0.95); e.Known() || len(e.Warnings) != 1 {
		t.Errorf("share of nothing: %+v, want unknown with a warning", e)
	}
	never := RatioOfSums([]float64{0, 0, 0}, []float64{2, 2, 2}, 6, 0.95)
	_, high := ClopperPearson(0, 3, 0.95)
	near(t, "high of a share never seen", known(t, "high", never.High), high, 1e-12)
}

// 0.1 + 0.2 is more than 0.3 by the last digit.
func TestRatioOfEqualSumsIsNotAboveOne(t *testing.T) {
	e := RatioOfSums([]float64{0.1 + 0.2, 0.3, 0.1 + 0.2}, []float64{0.3, 0.3, 0.3}, 6, 0.95)
	if *e.Value > 1 || *e.Value > *e.High {
		t.Errorf("share is %.17g, at most %.17g", *e.Value, *e.High)
	}
}
