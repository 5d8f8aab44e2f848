//go:build !race

package report

import (
	"io"
	"slices"
	"testing"
)

// TestTheComparisonInABrowser tries the page of thousands of items, and the
// hostile one: no error, no request, and table and pictures answer.
func TestTheComparisonInABrowser(t *testing.T) {
	b := newTab(t)
	if size := b.load(func(w io.Writer) error { return writeComparedHTML(w, comparison(t, "many")) }); size > 1_500_000 {
		t.Errorf("the page of 5,000 items has %d bytes", size)
	}
	b.quiet()
	for _, try := range []struct{ what, do, want string }{
		{"nothing", "0", "lookup"},
		{"the largest gain first", `document.querySelectorAll(".items th button")[2].click()`, "up"},
		{"items that fell", `(() => { const s = document.querySelector("select"); s.value = "down"; s.dispatchEvent(new Event("change")); })()`, "down"},
		{"a category, by its name", `(() => { const s = document.querySelector("input"); s.value = "sum"; s.dispatchEvent(new Event("input")); })()`, "sum"},
	} {
		js[int](b, `(%s, 0)`, raw(try.do))
		if first := js[[]string](b, `[...document.querySelectorAll(".items tbody tr:first-child td")].map((e) => e.textContent)`); !slices.Contains(first, try.want) {
			t.Errorf("%s: the first row is %q, want %s in it", try.what, first, try.want)
		}
	}
	if tip := b.point("#chart-paired_differences .area", 0.12, 0.6); tip == "" {
		t.Error("the picture says nothing under the pointer")
	}
	b.quiet()
	b.load(func(w io.Writer) error { return writeComparedHTML(w, comparison(t, "hostile")) })
	b.quiet()
	for _, scheme := range []string{"light", "dark"} {
		b.media("screen", scheme)
		for _, bad := range js[[]string](b, "%s", raw(contrast)) {
			t.Errorf("%s: %s", scheme, bad)
		}
	}
}
