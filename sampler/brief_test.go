package sampler_test

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"gonogo/sampler/endpoint"
)

func TestBrief(t *testing.T) {
	for why, row := range map[string]struct{ text, want string }{
		"one line of several":            {" a\n\tb  c ", "a b c"},
		"nothing of blanks":              {" \n ", ""},
		"500 bytes stay":                 {strings.Repeat("x", 500), strings.Repeat("x", 500)},
		"501 are cut":                    {strings.Repeat("x", 501), strings.Repeat("x", 500) + "…"},
		"blanks at the end do not count": {strings.Repeat("x", 500) + "  ", strings.Repeat("x", 500)},
		"a cut lies between characters":  {strings.Repeat("x", 499) + "éé", strings.Repeat("x", 499) + "…"},
		"a cut lies between words":       {strings.Repeat("x", 499) + " yy", strings.Repeat("x", 499) + " …"},
	} {
		if got := endpoint.Brief(row.text); got != row.want || !utf8.ValidString(got) {
			t.Errorf("%s: %q, want %q", why, got, row.want)
		}
	}
}

// The words of a long answer are not listed to show the first of them: that would
// take eight times the answer.
func TestBriefTakesNoMemoryForLongTexts(t *testing.T) {
	text := strings.Repeat("a ", 4<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	endpoint.Brief(text)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("8 MB of text take %d bytes", n)
	}
}
