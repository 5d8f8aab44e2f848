//go:build !race

package report

import (
	"io"
	"slices"
	"testing"

	"gonogo/report/internal/html"
)

// TestLongTheComparisonInABrowser tries the page of thousands of items, and the
// hostile one: no error, no request, and table and pictures answer.
func TestLongTheComparisonInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b := newTab(t)
	if size := b.load(func(w io.Writer) error { return html.Write(w, comparison(t, "many").Doc()) }); size > 1_500_000 {
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
	tip := ""
	for _, x := range []float64{0.12, 0.3, 0.5, 0.7, 0.9} { // somewhere stands an item
		tip += b.point("#chart-paired_differences .area", x, 0.6)
	}
	if tip == "" {
		t.Error("the picture says nothing under the pointer")
	}
	b.quiet()
	b.load(func(w io.Writer) error { return html.Write(w, comparison(t, "hostile").Doc()) })
	b.quiet()
	tryContrast(b, nil)
}

// TestLongAComparisonShutsNobodyOut has axe-core look at pages of both languages.
func TestLongAComparisonShutsNobodyOut(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b, axe := newAxe(t)
	for _, p := range []*ComparisonPage{comparison(t, "regressed"), chineseComparison(t, "regressed")} {
		b.load(func(w io.Writer) error { return html.Write(w, p.Doc()) })
		axe()
		b.quiet()
	}
}

// TestLongTheChineseComparisonInABrowser tries what the page looks up by words.
func TestLongTheChineseComparisonInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b, p := newTab(t), chineseComparison(t, "regressed")
	b.load(func(w io.Writer) error { return html.Write(w, p.Doc()) })
	js[bool](b, `(() => { const s = document.querySelector("select"); s.value = %s; return s.dispatchEvent(new Event("change")); })()`, p.w.Directions[-1])
	class := js[[]string](b, `[...document.querySelectorAll(".items tbody tr")].map((e) => e.cells[1].className)`)
	if len(class) == 0 || slices.ContainsFunc(class, func(c string) bool { return c != "c-down" }) {
		t.Errorf("items that fell are shown as %q", class)
	}
	b.quiet()
}
