package chart

import "testing"

// At 30 % and 25 % the label of one threshold covered that of the other.
func TestLabelsOfCloseThresholdsAreApart(t *testing.T) {
	for _, c := range []struct {
		what         string
		high, low    float64
		below, aside bool
	}{
		{"far apart", 0.3, 0.08, false, false},
		{"close", 0.3, 0.25, true, false},
		{"close, with no room below", 0.12, 0.05, false, true},
	} {
		for _, swapped := range []bool{false, true} {
			high, low := rule{value: c.high}, rule{value: c.low}
			if a, b := &high, &low; swapped {
				keepApart(b, a)
			} else {
				keepApart(a, b)
			}
			if low.below != c.below || low.left != c.aside || high.below || high.left {
				t.Errorf("%s (swapped: %t): the lower label is below its line: %t, at the other end: %t", c.what, swapped, low.below, low.left)
			}
		}
	}
}
