package message

import (
	"math"
	"testing"
)

func TestDigitsAreThree(t *testing.T) {
	for _, c := range []struct {
		x    float64
		want string
	}{
		{0, "0"},
		{math.Copysign(0, -1), "0"},
		{1, "1"},
		{0.42, "0.42"},
		{0.4166, "0.417"},
		{0.05172, "0.0517"},
		{-0.5, "-0.5"},
		{12.34, "12.3"},
		{123.4, "123"},
		{1234, "1,230"},
		{1234567, "1,230,000"},
		{-1234.5, "-1,230"},
		{999.9, "1,000"},
		{0.0001234, "0.000123"},
		{1e-15, "0"},
		{3.7e-23, "0"},
		{0.000012345, "0.0000123"},
		{math.NaN(), "?"},
		{-1.234e99, "-1.23e+99"},
		{math.Inf(1), "?"},
	} {
		if got := Digits(c.x); got != c.want {
			t.Errorf("Digits(%v) = %q, want %q", c.x, got, c.want)
		}
	}
}

func TestPercentNeverRoundsToNoneOrAll(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{{0, "0 %"}, {1, "100 %"}, {0.05, "5 %"}, {0.917, "91.7 %"}, {0.9167, "91.7 %"}, {0.0004, "< 0.1 %"}, {0.9996, "> 99.9 %"}, {-0.0002, "0 %"}} {
		if got := Percent(c.share); got != c.want {
			t.Errorf("Percent(%v) = %q, want %q", c.share, got, c.want)
		}
	}
}

func TestIntervalSharesItsDecimals(t *testing.T) {
	p := func(x float64) *float64 { return &x }
	for what, c := range map[string]struct {
		value, low, high *float64
		want             string
	}{
		"zeros that carry meaning are kept":     {p(0.808), p(0.747), p(0.86), "0.808 [0.747, 0.860]"},
		"two digits stay two":                   {p(0.42), p(0.36), p(0.49), "0.42 [0.36, 0.49]"},
		"a zero is a zero":                      {p(0), p(0), p(0.0616), "0 [0, 0.0616]"},
		"a small end does not vanish":           {p(0.5), p(0.0004), p(0.9), "0.500 [0.0004, 0.900]"},
		"a value without interval":              {p(0.42), nil, nil, "0.42"},
		"an observed share has no interval":     {p(0.0125), p(0.0125), p(0.0125), "0.0125"},
		"an interval without a value":           {nil, p(0.1), p(0.25), "[0.10, 0.25]"},
		"nothing":                               {nil, nil, nil, ""},
		"thousands":                             {p(1234), p(999), p(2345), "1,230 [999; 2,350]"},
		"negative rewards":                      {p(-0.25), p(-1), p(0.5), "-0.25 [-1.00, 0.50]"},
		"half an interval is none":              {p(0.3), p(0.1), nil, "0.3"},
		"the value's digits are not overstated": {p(0.3471), p(0.0835), p(0.6258), "0.347 [0.084, 0.626]"},
	} {
		if got := Interval(c.value, c.low, c.high); got != c.want {
			t.Errorf("%s: got %q, want %q", what, got, c.want)
		}
	}
}

func TestNumbersWithTheirSignsAndUnits(t *testing.T) {
	for want, got := range map[string]string{
		"+0.10 [0.02, 0.18]": Difference(new(0.1), new(0.02), new(0.18)), "-0.1": Difference(new(-0.1), nil, nil), "0 [-0.1, 0.1]": Difference(new(1e-12), new(-0.1), new(0.1)), "0": Signed(1e-12), "+1e+16": Signed(1e16), "? %": Percent(math.NaN()), "–": Difference(nil, nil, nil),
		"9,990": Large(new(9990.0), nil, nil), "12.3 k": Large(new(12345.0), nil, nil), "1.23 [1.00, 1.50] M": Large(new(1.23e6), new(1e6), new(1.5e6)), "": Large(nil, nil, nil),
	} {
		if got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	if x, interval := Parts(new(0.5), new(0.4), new(0.6)); x != "0.5" || interval != "[0.4, 0.6]" {
		t.Errorf("the parts are %q and %q", x, interval)
	}
}
