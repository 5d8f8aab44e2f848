//go:build !race

package report

import (
	"io"
	"strings"
	"testing"

	"gonogo/analysis/history"
	"gonogo/analysis/message"
)

// TestLongTheHistoryInABrowser tries pages of few nights and many, of names that
// nobody gives, and of all that a night can show in every language: no error and no request, nobody shut out, every
// heading that is linked there, and contrast in light and dark.
func TestLongTheHistoryInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b, axe := newAxe(t)
	for what, h := range map[string]*history.History{
		"no night": nightsOf(0, dated), "one night": nightsOf(1, dated), "twelve nights": nightsOf(12, dated), "four months": nightsOf(120, dated),
		"all kinds": nightsOfAllKinds(), "names that nobody gives": nightsOf(12, func(i int) string { return hostileName + strings.Repeat("x", i) }),
	} {
		for _, l := range message.Languages() {
			if what != "all kinds" && l != (message.Language{}) {
				continue // that takes long and says nothing more
			}
			h.Lang = l
			p := NewHistoryPage(h, Options{Version: "1.2.3"})
			b.load(func(w io.Writer) error { return writeHTML(w, p) })
			axe()
			b.quiet()
			if lang := js[string](b, `document.documentElement.lang`); lang != l.Tag() {
				t.Errorf("%s: the page is in %q, want %q", what, lang, l.Tag())
			}
			if lost := js[[]string](b, `[...document.querySelectorAll("nav a")].filter((a) => !document.querySelector(a.hash)).map((a) => a.hash)`); len(lost) > 0 {
				t.Errorf("%s: links lead nowhere: %q", what, lost)
			}
			if wide := js[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
				t.Errorf("%s: the page is %d pixels wider than the window", what, wide)
			}
			if len(h.Series) > 0 {
				tryContrast(b, nil)
			}
		}
	}
}
