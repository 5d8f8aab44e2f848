//go:build !race

package report

import (
	"testing"

	"gonogo/report/reporttest"
)

// TestLongTextsKeepTheirPlaceInAnyFont shows pages in a font that is wider than the
// one the pictures' texts are measured by: each text still takes the room it
// was given, along its own line where that is turned, and would not without its
// length.
func TestLongTextsKeepTheirPlaceInAnyFont(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b := newTab(t)
	for what, p := range map[string]*RunPage{
		"English": traced(reporttest.Load(t, "audited"), 4),
		"Chinese": NewRunPage(chinese(t, "audited"), options()),
		"large":   page(t, "large"),
	} {
		b.open(p)
		js[bool](b, `document.head.appendChild(document.createElement("style")).sheet.insertRule("figure svg text{font-family:monospace!important}") >= 0`)
		if n := js[int](b, `document.querySelectorAll("figure svg text").length`); n < 50 {
			t.Errorf("%s: the pictures have %d texts", what, n)
		}
		const off = `[...document.querySelectorAll("figure svg text")].filter((e) => !(Math.abs(e.getBBox().width - room.get(e)) < 0.6)).map((e) => e.textContent + ": " + e.getBBox().width + " instead of " + room.get(e))`
		const room = `(() => { window.room = new Map([...document.querySelectorAll("figure svg text")].map((e) => [e, Number(e.getAttribute("textLength"))])); return true; })()`
		js[bool](b, room)
		for _, wrong := range js[[]string](b, off) {
			t.Errorf("%s: %s", what, wrong)
		}
		js[bool](b, `[...document.querySelectorAll("figure svg text")].every((e) => e.removeAttribute("textLength") ?? true)`)
		if n := len(js[[]string](b, off)); n < 20 {
			t.Errorf("%s: without their lengths %d texts stand otherwise: the font is not another one", what, n)
		}
		b.quiet()
	}
}
