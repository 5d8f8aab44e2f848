package analysis

import (
	"testing"
)

func TestABoundIsJudgedByItsWholeInterval(t *testing.T) {
	b := func(low, high float64) Bound { v := (low + high) / 2; return Bound{&v, &low, &high} }
	tests := []struct {
		name          string
		b             Bound
		least, atMost Status
	}{
		{"wholly above", b(0.2, 0.3), Pass, Fail},
		{"wholly below", b(0.01, 0.05), Fail, Pass},
		{"across", b(0.05, 0.2), Unknown, Unknown},
		{"touching from above passes", b(0.1, 0.2), Pass, Unknown},
		{"nothing known", Bound{}, Unknown, Unknown},
	}
	for _, test := range tests {
		if got := test.b.AtLeast(0.1); got != test.least {
			t.Errorf("%s: at least 0.1 is %s, want %s", test.name, got, test.least)
		}
		if got := test.b.AtMost(0.1); got != test.atMost {
			t.Errorf("%s: at most 0.1 is %s, want %s", test.name, got, test.atMost)
		}
	}
}
