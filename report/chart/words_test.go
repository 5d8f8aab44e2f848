package chart_test

import (
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/vg"

	"gonogo/report/chart"
)

func TestNumberHasThreeSignificantDigits(t *testing.T) {
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
		{1e-15, "1e-15"},
		{math.NaN(), "?"},
		{-1.234e99, "-1.23e+99"},
		{math.Inf(1), "?"},
	} {
		if got := chart.Number(c.x); got != c.want {
			t.Errorf("Number(%v) = %q, want %q", c.x, got, c.want)
		}
	}
}

func TestPercentNeverRoundsToNoneOrAll(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{{0, "0 %"}, {1, "100 %"}, {0.05, "5 %"}, {0.917, "91.7 %"}, {0.9167, "91.7 %"}, {0.0004, "< 0.1 %"}, {0.9996, "> 99.9 %"}, {-0.0002, "0 %"}} {
		if got := chart.Percent(c.share); got != c.want {
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
		if got := chart.Interval(c.value, c.low, c.high); got != c.want {
			t.Errorf("%s: got %q, want %q", what, got, c.want)
		}
	}
}

func TestFitAndWrapKeepToTheWidth(t *testing.T) {
	sty := chart.Style(9, false, chart.Ink)
	for _, s := range []string{"", "short", strings.Repeat("word ", 400), strings.Repeat("x", 5000), strings.Repeat("é", 90)} {
		for _, width := range []float64{20, 100, 300} {
			if got := chart.Fit(s, sty, vg.Length(width)); sty.Width(got) > vg.Length(width) {
				t.Errorf("Fit(%.10q, %v) is %v wide", s, width, sty.Width(got))
			}
			lines := chart.Wrap(s, sty, vg.Length(width), 3)
			if len(lines) > 3 {
				t.Errorf("Wrap(%.10q, %v) has %d lines, want at most 3", s, width, len(lines))
			}
			for _, l := range lines {
				if sty.Width(l) > vg.Length(width) {
					t.Errorf("Wrap(%.10q, %v): line %q is %v wide", s, width, l, sty.Width(l))
				}
			}
		}
	}
	if got := chart.Wrap("one two three", sty, 300, 1); len(got) != 1 || got[0] != "one two three" {
		t.Errorf("what fits is not touched, got %q", got)
	}
	if got := chart.Wrap("one two three four", sty, 45, 1); len(got) != 1 || !strings.HasSuffix(got[0], "…") {
		t.Errorf("what does not fit ends in an ellipsis, got %q", got)
	}
}

func FuzzDrawable(f *testing.F) {
	for _, s := range []string{"plain", "σ ± – ≥ é", "中文 🎉", "\x1b[31m\a\x00", "\u202e\u200d\ufeff", "\xff\xfe", "a\nb\tc", "\u0301combining"} {
		f.Add(s)
	}
	sty := chart.Style(9, false, chart.Ink)
	f.Fuzz(func(t *testing.T, s string) {
		got := chart.Drawable(s, sty)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not valid UTF-8", got)
		}
		if utf8.RuneCountInString(got) != utf8.RuneCountInString(s) {
			t.Fatalf("%q has %d runes, %q %d: a rune vanished", s, utf8.RuneCountInString(s), got, utf8.RuneCountInString(got))
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }); i >= 0 {
			t.Fatalf("%q holds an unseen rune at %d", got, i)
		}
		if again := chart.Drawable(got, sty); again != got {
			t.Fatalf("drawable text %q becomes %q", got, again)
		}
		sty.Width(got)
	})
}

func TestDrawableKeepsWhatTheFontHas(t *testing.T) {
	for s, want := range map[string]string{
		"mean ± 1 σ – ≥ 0.5 é": "mean ± 1 σ – ≥ 0.5 é",
		"中文 ok":                "□□ ok",
		"a\x1b[31mb":           "a□[31mb",
		"tab\there":            "tab here",
	} {
		if got := chart.Drawable(s, chart.Style(9, false, chart.Ink)); got != want {
			t.Errorf("Drawable(%q) = %q, want %q", s, got, want)
		}
	}
}
