//go:build !race

package report

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// The promise: 5,000 items of 16 rollouts are at hand within two seconds, in a
// file of at most ten megabytes. A machine that is busy with other tests is
// given more, but not the deep tests; the figure is told.
const (
	interactiveMS = 2000
	largestPage   = 10_000_000
)

func patience() float64 {
	if os.Getenv("GONOGO_DEEP") != "" {
		return 1
	}
	return 5
}

func TestLongDeepLargePagesAreQuicklyAtHand(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b := newTab(t)
	p := traced(reporttest.Load(t, "large"), 16)
	size := b.open(p)
	took := js[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
	t.Logf("5,000 items × 16: %.1f MB, interactive after %.0f ms", float64(size)/1e6, took)
	if size > largestPage {
		t.Errorf("the page has %d bytes, want at most %d", size, largestPage)
	}
	if took > interactiveMS*patience() {
		t.Errorf("the page was interactive after %.0f ms, want %d", took, interactiveMS)
	}
	if n := js[int](b, `document.querySelectorAll("*").length`); n > 12_000 {
		t.Errorf("the page has %d elements: rows are to come as they are asked for", n)
	}
	rows := itemRows(p)
	// The picture draws neighbours together; the pointer finds each item.
	b.point("#chart-variance .area", 0.5, 0.5)
	axes := js[[]float64](b, `(() => { const s = JSON.parse(document.querySelector("#chart-variance script").textContent), r = document.querySelector("#chart-variance .plot").getBoundingClientRect(); return [r.left + r.width * s.items[0] / 100, r.width * s.items[1] / 100, r.top + r.height / 2]; })()`)
	for _, i := range []int{7, 2500, 4993} {
		b.move(axes[0]+axes[1]*(float64(i)+0.5), axes[2])
		got := strings.Fields(b.tip())[0]
		at := -1
		for k, r := range rows {
			if r[0] == got {
				at = k
			}
		}
		if at < i-6 || at > i+6 { // a pixel is five items wide, and pointers stand on pixels
			t.Errorf("at item %d the page tells of item %d, %q", i, at, got)
		}
	}
	spent := js[float64](b, `(() => { const a = document.querySelector("#chart-variance .area"), r = a.getBoundingClientRect(), t = performance.now(); for (let i = 0; i < 100; i++) a.dispatchEvent(new PointerEvent("pointermove", {clientX: r.left + r.width * (0.15 + i * 0.008), clientY: r.top + r.height / 2})); return (performance.now() - t) / 100; })()`)
	t.Logf("the picture of 5,000 items answers in %.2f ms", spent)
	if spent > 16*patience() {
		t.Errorf("the picture answers in %.1f ms, want less than a frame", spent)
	}
	sorting := js[float64](b, `(() => { const t = performance.now(); for (const h of document.querySelectorAll("[data-items=train] thead button")) h.click(); return performance.now() - t; })()`)
	t.Logf("sorting by each of its %d columns takes %.0f ms", len(english.Columns), sorting)
	b.quiet()
}

// TestLongDeepTheLargestPageIsAtHand opens as many items as a page carries, 20,000 of 8
// rollouts: at hand within a second and a half.
func TestLongDeepTheLargestPageIsAtHand(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	const most = 1500
	b := newTab(t)
	p := traced(many(t, 20_000), 8)
	size := b.open(p)
	took := js[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
	t.Logf("20,000 items × 8: %.1f MB, interactive after %.0f ms", float64(size)/1e6, took)
	if took > most*patience() {
		t.Errorf("the page was interactive after %.0f ms, want %d", took, most)
	}
	b.quiet()
}

// TestLongDeepPagesOfAnySize loads what is too small, too large or not there.
func TestLongDeepPagesOfAnySize(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b := newTab(t)
	older := reporttest.Load(t, "go")
	s := older.Splits[rollout.Train]
	s.Reward.Histogram, s.Tools.Histogram, s.BestOf, s.Signal, older.Grader = analysis.Histogram{}, analysis.Histogram{}, nil, nil, nil
	beyond := 20_100
	if os.Getenv("GONOGO_DEEP") != "" {
		beyond = 100_000
	}
	for _, test := range []struct {
		name string
		page *RunPage
		says string
	}{
		{"nothing at all", NewRunPage(&analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.Undecided}}, Options{}), english.NoFindings},
		{"one item", traced(reporttest.Load(t, "one_item"), 1), "1 item"},
		{"no reward", traced(reporttest.Load(t, "all_missing"), 2), "no rollout has a reward"},
		{"an older result without what charts show", NewRunPage(older, options()), english.NothingToShow},
		{"ids of ten thousand signs, from right to left", traced(long(t), 2), "مرحبا"},
		{"no rollouts at hand", page(t, "tiny"), "6 items"},
		{"more items than a page carries", NewRunPage(many(t, beyond), options()), "20,000"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b.TB = t
			if size := b.open(test.page); size > largestPage {
				t.Errorf("the page has %d bytes", size)
			}
			if text := js[string](b, `document.querySelector("main").textContent`); !strings.Contains(text, test.says) {
				t.Errorf("the page does not say %q", test.says)
			}
			js[bool](b, `document.querySelectorAll("th:nth-child(-n+2) button, button.item, button.all").forEach((e) => e.click()) ?? true`)
			if wide := js[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
				t.Errorf("the page is %d pixels wider than the window", wide)
			}
			b.quiet()
		})
	}
}

// long is a result whose items have endless names.
func long(t *testing.T) *analysis.Result {
	r := reporttest.Load(t, "cautious")
	items := r.Splits[rollout.Train].Classes.Items
	for i := range items {
		items[i].Item = fmt.Sprintf("%d مرحبا %s %d", i, strings.Repeat("عالم", 2500), i)
	}
	r.Findings[0].Items = []string{items[0].Item}
	return r
}

// many is a result of n items.
func many(t *testing.T, n int) *analysis.Result {
	r := reporttest.Load(t, "go")
	s := r.Splits[rollout.Train]
	some := s.Classes.Items
	items := make([]analysis.ItemResult, n)
	for i := range items {
		items[i] = some[i%len(some)]
		items[i].Item = fmt.Sprintf("item-%06d", i)
	}
	s.Classes.Items = items
	return r
}
