package lettering_test

import (
	"image/color"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gonogo/report/internal/lettering"

	"gonum.org/v1/plot/vg"
)

func TestFitAndWrapKeepToTheWidth(t *testing.T) {
	sty := lettering.Style(9, false, color.Black)
	for _, s := range []string{"", "short", strings.Repeat("word ", 400), strings.Repeat("x", 5000), strings.Repeat("é", 90)} {
		for _, width := range []float64{20, 100, 300} {
			if got := lettering.Fit(s, sty, vg.Length(width)); sty.Width(got) > vg.Length(width) {
				t.Errorf("Fit(%.10q, %v) is %v wide", s, width, sty.Width(got))
			}
			lines := lettering.Wrap(s, sty, vg.Length(width), 3)
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
	if got := lettering.Wrap("one two three", sty, 300, 1); len(got) != 1 || got[0] != "one two three" {
		t.Errorf("what fits is not touched, got %q", got)
	}
	if got := lettering.Wrap("one two three four", sty, 45, 1); len(got) != 1 || !strings.HasSuffix(got[0], "…") {
		t.Errorf("what does not fit ends in an ellipsis, got %q", got)
	}
}

func FuzzDrawable(f *testing.F) {
	for _, s := range []string{"plain", "σ ± – ≥ é", "中文 🎉", "\x1b[31m\a\x00", "\u202e\u200d\ufeff", "\xff\xfe", "a\nb\tc", "\u0301combining"} {
		f.Add(s)
	}
	sty := lettering.Style(9, false, color.Black)
	f.Fuzz(func(t *testing.T, s string) {
		got := lettering.Drawable(s, sty)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not valid UTF-8", got)
		}
		if utf8.RuneCountInString(got) != utf8.RuneCountInString(s) {
			t.Fatalf("%q has %d runes, %q %d: a rune vanished", s, utf8.RuneCountInString(s), got, utf8.RuneCountInString(got))
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }); i >= 0 {
			t.Fatalf("%q holds an unseen rune at %d", got, i)
		}
		if again := lettering.Drawable(got, sty); again != got {
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
		if got := lettering.Drawable(s, lettering.Style(9, false, color.Black)); got != want {
			t.Errorf("Drawable(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestACutQuotationIsClosed(t *testing.T) {
	sty := lettering.Style(9, false, color.Black)
	text := "the answer: “" + strings.Repeat("word ", 40) + "” and more"
	for what, got := range map[string]string{
		"on one line":         lettering.Fit(text, sty, 150),
		"begun a line before": strings.Join(lettering.Wrap(text, sty, 80, 3), " "),
	} {
		if !strings.HasSuffix(got, "…”") {
			t.Errorf("%s: %q does not close its quotation", what, got)
		}
	}
	for what, s := range map[string]string{
		"closed before the cut": "“one” " + strings.Repeat("word ", 40),
		"never closed":          "“" + strings.Repeat("word ", 40),
		"begun beyond the cut":  strings.Repeat("word ", 40) + "“one”",
	} {
		if got := lettering.Fit(s, sty, 150); strings.HasSuffix(got, "”") {
			t.Errorf("%s: %q", what, got)
		}
	}
}
