//go:build !race

package report

import (
	"io"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"gonogo/report/internal/html"
	"gonogo/report/reporttest"
)

// Before a reader opens anything a page is at most six screens, and on a phone it is
// as wide as the phone: no picture is cut, no table goes beyond its edge but in a box
// that scrolls.
func TestLongThePageIsSixScreensAndFitsAPhone(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	const screen, most = 900, 6
	b := newTab(t)
	pages := map[string]func(io.Writer) error{
		"compared": func(w io.Writer) error { return html.Write(w, comparison(t, "regressed").Doc()) },
		"nights":   func(w io.Writer) error { return html.Write(w, NewHistoryPage(nightsOf(12, dated), Options{}).Doc()) },
	}
	for _, name := range reporttest.Names() {
		pages[name] = func(w io.Writer) error { return html.Write(w, page(t, name).Doc()) }
	}
	for name, write := range pages {
		b.load(write)
		call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1400, Height: screen, DeviceScaleFactor: 1})
		if h := js[float64](b, `document.documentElement.scrollHeight`); h > most*screen {
			t.Errorf("%s: %.1f screens", name, h/screen)
		}
		call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 844, DeviceScaleFactor: 2, Mobile: true})
		js[bool](b, `document.querySelectorAll("details").forEach((d) => { d.open = true; }) ?? true`)
		for _, wide := range js[[]string](b, `[...document.querySelectorAll("main *")].filter((e) => !e.closest(".items, .byitem, .numbers") && e.getBoundingClientRect().right > 391).map((e) => e.tagName + "." + e.getAttribute("class") + " " + e.textContent.slice(0, 40)).slice(0, 3)`) {
			t.Errorf("%s: on a phone %q is cut", name, wide)
		}
	}
	b.quiet()
}
