//go:build !race

package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// traced is a page whose items have n rollouts each at hand: sample j of the
// i-th item earned (i + j) % 5 quarters.
func traced(r *analysis.Result, n int) *RunPage {
	opt := options()
	opt.Traces, opt.TracesLink = "my run/rollouts.jsonl", "../rollouts.jsonl"
	opt.Rollouts = func(yield func(collect.Counted) error) (rollout.Input, error) {
		line := 0
		for _, split := range rollout.Splits() {
			if r.Splits[split] == nil {
				continue
			}
			for i, it := range sortedItems(r.Splits[split].Classes.Items) {
				for j := range n {
					line++
					score := float64((i+j)%5) / 4
					rec := rollout.Record{Item: it.Item, Split: split, Sample: j, Outcome: rollout.Graded, Line: line, Calls: make([]rollout.Call, j)}
					if err := yield(collect.Counted{Record: &rec, Score: &score}); err != nil {
						return rollout.Input{}, err
					}
				}
			}
		}
		return rollout.Input{}, nil
	}
	return NewRunPage(r, opt)
}

// bars lists the bars of a picture as the browser drew them, in its
// coordinates: the first of their colour is the legend's.
const bars = `[...document.querySelectorAll("#chart-NAME svg path")].filter((p) => p.getAttribute("style").includes("--sky")).slice(1).map((p) => { const r = p.getBoundingClientRect(); return [r.left, r.right, r.top, r.bottom]; })`

// TestLongThePageInABrowser tries one page with all that is on it: it loads
// without an error and without a request, and answers to pointer and keys.
func TestLongThePageInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b := newTab(t)
	p := traced(reporttest.Load(t, "cautious"), 4)
	b.open(p)
	b.quiet()
	js[bool](b, `document.querySelectorAll("details.part, details.skipped").forEach((d) => { d.open = true; }) ?? true`)
	steps := []struct {
		name string
		try  func(*tab, *RunPage)
	}{
		{"the item table sorts", trySorting},
		{"the item table filters", tryFiltering},
		{"findings open by keyboard", tryFindings},
		{"a bar tells its item", tryVariance},
		{"other pictures tell their numbers", tryPictures},
		{"pictures are read with the arrow keys", tryArrows},
		{"an item shows its rollouts", tryRollouts},
		{"text has contrast in light and dark", tryContrast},
		{"paper has it all", tryPaper},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			b.TB = t
			step.try(b, p)
			b.quiet()
		})
	}
}

// TestLongAClickOnACategoryFiltersTheItems presses the mouse on a row of the rewards by
// category.
func TestLongAClickOnACategoryFiltersTheItems(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	r := reporttest.Load(t, "go")
	items := r.Splits[rollout.Train].Classes.Items
	for i := range items {
		items[i].Category = []string{"sums", "dates", "names"}[i%3]
	}
	b := newTab(t)
	b.open(NewRunPage(r, options()))
	js[bool](b, `document.querySelectorAll("details.part").forEach((d) => { d.open = true; }) ?? true`)
	row := js[[]string](b, `[...document.querySelectorAll("#chart-categories details.numbers tbody tr")].map((e) => e.cells[0].textContent)`)
	// The picture has a row for each, from top to bottom.
	for i, category := range row {
		at := js[[]float64](b, `new Promise((done) => { const f = document.querySelector("#chart-categories"), p = JSON.parse(f.querySelector("script").textContent).places[%d]; f.scrollIntoView({block: "center"}); requestAnimationFrame(() => requestAnimationFrame(() => { const r = f.querySelector(".plot").getBoundingClientRect(); done([r.left + r.width * p[4] / 100, r.top + r.height * (p[1] + p[3]) / 200]); })); })`, i)
		b.must(chromedp.Do(b.ctx, chromedp.MouseClickXY(at[0], at[1])))
		ids, says := shown(b)
		if want := len(items) / 3; len(ids) != min(want, 50) || says != fmt.Sprintf("%d of %d shown", want, want) {
			t.Errorf("a click on %s shows %d rows, %q, want %d", category, len(ids), says, want)
		}
		if got := js[string](b, `document.querySelector("[data-items=train] input").value`); got != category {
			t.Errorf("a click on %s filters by %q", category, got)
		}
	}
	if len(row) != 3 {
		t.Errorf("the picture has rows of %q", row)
	}
	b.quiet()
}

// shown lists the ids of the rows in sight, and what the table says of them.
func shown(b *tab) (ids []string, says string) {
	b.Helper()
	return js[[]string](b, `[...document.querySelectorAll("[data-items=train] tbody button.item")].map((e) => e.textContent)`),
		js[string](b, `document.querySelector("[data-items=train] output").textContent`)
}

func trySorting(b *tab, p *RunPage) {
	rows := itemRows(p)
	heading := func(i int) {
		js[bool](b, `document.querySelectorAll("[data-items=train] thead button")[%d].focus() ?? true`, i)
		b.keys(kb.Enter)
	}
	column := func(i int) []string {
		return js[[]string](b, `[...document.querySelectorAll("[data-items=train] tbody tr")].map((e) => e.cells[%d].textContent)`, i)
	}
	heading(3)
	got, sorted := column(3), slices.Clone(rows)
	slices.Reverse(sorted) // they stand by their mean already
	if got[0] != sorted[0][3] || got[len(got)-1] != sorted[len(sorted)-1][3] {
		b.Errorf("by mean, from the top: %s to %s, want %s to %s", got[0], got[len(got)-1], sorted[0][3], sorted[len(sorted)-1][3])
	}
	if dir := js[string](b, `document.querySelectorAll("[data-items=train] th")[3].getAttribute("aria-sort")`); dir != "descending" {
		b.Errorf("the heading says it sorts %q", dir)
	}
	heading(3)
	if got := column(3); got[0] != rows[0][3] {
		b.Errorf("by mean, from the bottom: %s first, want %s", got[0], rows[0][3])
	}
	heading(0)
	if got := column(0); !slices.IsSorted(got) {
		b.Errorf("by id: %v", got)
	}
}

func tryFiltering(b *tab, p *RunPage) {
	rows := itemRows(p)
	part := rows[3][0][len(rows[3][0])-1:]
	want, mixed := 0, 0
	for _, r := range rows {
		if strings.Contains(r[0], part) {
			want++
			mixed += b2i(r[1] == p.Words.Classes[analysis.Mixed])
		}
	}
	js[bool](b, `document.querySelector("[data-items=train] input").focus() ?? true`)
	b.keys(part)
	ids, says := shown(b)
	if len(ids) != want || says != fmt.Sprintf("%d of %d shown", want, want) || want == len(rows) {
		b.Errorf("filtered by %q: %d rows, %q, want %d", part, len(ids), says, want)
	}
	js[bool](b, `document.querySelector("[data-items=train] select").focus() ?? true`)
	b.keys("mix")
	if ids, says := shown(b); len(ids) != mixed || mixed == want {
		b.Errorf("mixed ones of them: %d rows, %q, want %d", len(ids), says, mixed)
	}
	js[bool](b, `document.querySelector("[data-items=train] input").focus() ?? true`)
	b.keys("<no such item>")
	if text := js[string](b, `document.querySelector("[data-items=train] tbody").textContent`); text != english.Page.NoMatch {
		b.Errorf("where nothing is found the table says %q", text)
	}
	js[bool](b, `(() => { const box = document.querySelector("[data-items=train]"), i = box.querySelector("input"), s = box.querySelector("select"); i.value = s.value = ""; i.dispatchEvent(new Event("input")); return true; })()`)
	if ids, says := shown(b); len(ids) != len(rows) || says != fmt.Sprintf("%d items", len(rows)) {
		b.Errorf("without a filter: %d rows, %q", len(ids), says)
	}
}

func tryFindings(b *tab, p *RunPage) {
	open := func() int { return js[int](b, `document.querySelectorAll("details.finding[open]").length`) }
	before := open()
	if before != 0 {
		b.Errorf("%d findings are open before one opens any", before)
	}
	js[bool](b, `[...document.querySelectorAll("details.quiet")].find(d => d.textContent.includes(%s)).querySelector("summary").focus() ?? true`, p.Words.Why)
	b.keys(kb.Enter)
	if got := open(); got != before+1 {
		b.Errorf("after Enter %d findings are open, want %d", got, before+1)
	}
	if text := js[string](b, `document.querySelector("details.quiet[open]").innerText`); !strings.Contains(text, p.Words.Why) || !strings.Contains(text, p.Words.Page.Evidence) {
		b.Errorf("an open finding says %q, want why and evidence", text)
	}
	b.keys(kb.Enter)
	js[bool](b, `document.querySelector("button.all").focus() ?? true`)
	b.keys(" ")
	if got := open(); got != len(p.Findings) {
		b.Errorf("the button opened %d of %d", got, len(p.Findings))
	}
	b.keys(" ")
	js[bool](b, `document.querySelectorAll("details.finding:not(.quiet)").forEach((f) => { f.open = true; }) ?? true`)
	// An item named by a finding leads to its row, its rollouts open.
	js[bool](b, `document.querySelector("a[data-row]").focus() ?? true`)
	name := js[string](b, `document.activeElement.textContent`)
	b.keys(kb.Enter)
	if got := js[string](b, lead); got != name+"true" {
		b.Errorf("the item %q of a finding leads to %q", name, got)
	}
}

// lead is the item whose rollouts have the focus, and whether they are open.
const lead = `(() => { const b = document.activeElement.closest("tr").previousElementSibling.querySelector("button"); return b.textContent + b.getAttribute("aria-expanded"); })()`

func tryVariance(b *tab, p *RunPage) {
	b.point("#chart-variance .area", 0.5, 0.5)
	drawn, rows := js[[][]float64](b, "%s", raw(strings.Replace(bars, "NAME", "variance", 1))), itemRows(p)
	if len(drawn) != len(rows) {
		b.Fatalf("%d bars are drawn, want one for each of %d items", len(drawn), len(rows))
	}
	for _, i := range []int{0, 1, len(rows) / 2, len(rows) - 1} {
		b.move((drawn[i][0]+drawn[i][1])/2, drawn[len(rows)-1][2]+20)
		r := rows[i]
		label, w := p.Words.Columns, p.Words.Page
		want := fmt.Sprintf("%s %s %s %s %s %s %s", r[0], label[1].Label, r[1], label[2].Label, r[2], label[3].Label, r[3])
		rewards := w.Rewards + " " + strings.Join([]string{quarter(i), quarter(i + 1), quarter(i + 2), quarter(i + 3)}, " ")
		if got := b.tip(); !strings.HasPrefix(got, want) || !strings.Contains(got, rewards) {
			b.Errorf("over bar %d the page says %q, want %q and %q", i, got, want, rewards)
		}
		// The dot stands where the bar ends, which is the item's mean.
		top := js[float64](b, `(() => { const r = document.querySelector("#chart-variance .dot").getBoundingClientRect(); return (r.top + r.bottom) / 2; })()`)
		if d := top - drawn[i][2]; d > 1.5 || d < -1.5 {
			b.Errorf("the dot of bar %d stands %.1f pixels from its end", i, d)
		}
	}
	b.move(5, 5)
	if got := b.tip(); got != "" {
		b.Errorf("away from the picture the page still says %q", got)
	}
}

func quarter(n int) string { return message.Digits(float64(n%5) / 4) }

func tryPictures(b *tab, p *RunPage) {
	s := p.Result.Splits[p.Split]
	b.point("#chart-rewards .area", 0.5, 0.5)
	drawn := js[[][]float64](b, "%s", raw(strings.Replace(bars, "NAME", "rewards", 1)))
	counts := s.Reward.Histogram.Counts
	if h := s.Reward.Histogram; len(h.Values) > 0 { // a bar for each value
		counts = h.ValueCounts
	}
	for i, n := range counts {
		b.move((drawn[i][0]+drawn[i][1])/2, drawn[0][3]-4)
		if got, want := b.tip(), fmt.Sprintf("rollouts %s share", message.Whole(n)); !strings.Contains(got, want) {
			b.Errorf("over bar %d of the rewards the page says %q, want %q", i, got, want)
		}
		if i > 3 {
			break
		}
	}
	for _, f := range p.Figures {
		if f.Plot == nil {
			continue
		}
		area := "#chart-" + f.Name + " .area"
		b.point(area, 0, 0)
		js[bool](b, `document.querySelector(%s).focus() ?? true`, area)
		b.keys(kb.End)
		read := b.tip()
		at := js[[]float64](b, `(() => { const r = document.querySelector(%s).getBoundingClientRect(); return [(r.left + r.right) / 2, (r.top + r.bottom) / 2]; })()`, "#chart-"+f.Name+" .place")
		b.keys(kb.Escape)
		b.move(at[0], at[1])
		if got := b.tip(); got == "" || read == "" {
			b.Errorf("the picture %s says %q to keys and %q to the pointer", f.Name, read, got)
		}
	}
	last, _ := s.BestAt(p.Result.GroupSize)
	js[bool](b, `document.querySelector("#chart-best_of_k .area").focus() ?? true`)
	for range last.K - 1 {
		b.keys(kb.ArrowRight)
	}
	want := fmt.Sprintf("k %d: best of k %s", last.K, message.Interval(last.Value, last.Low, last.High))
	if got := js[string](b, `document.activeElement.getAttribute("aria-valuetext")`); !strings.HasPrefix(got, want) {
		b.Errorf("at the group size best of k says %q, want %q", got, want)
	}
}

func tryArrows(b *tab, p *RunPage) {
	rows := itemRows(p)
	js[bool](b, `(document.activeElement.blur(), document.querySelector("#chart-variance .area").focus()) ?? true`)
	at := func() string { return js[string](b, `document.activeElement.getAttribute("aria-valuetext")`) }
	for _, press := range []struct {
		keys string
		want int
	}{{kb.Home, 0}, {kb.ArrowRight + kb.ArrowRight, 2}, {kb.End, len(rows) - 1}, {kb.ArrowRight, len(rows) - 1}, {kb.ArrowLeft, len(rows) - 2}} {
		b.keys(press.keys)
		if got, want := at(), rows[press.want][0]+": class "; !strings.HasPrefix(got, want) {
			b.Errorf("after %q the picture reads %q, want %q", press.keys, got, want)
		}
	}
	b.keys(kb.Escape)
	if got := b.tip(); got != "" {
		b.Errorf("after Escape the page still says %q", got)
	}
	b.keys(kb.Home + kb.Enter)
	if got := js[string](b, lead); got != rows[0][0]+"true" {
		b.Errorf("Enter leads to %q, want the item %q", got, rows[0][0])
	}
}

func tryRollouts(b *tab, p *RunPage) {
	i := 2
	js[bool](b, `document.querySelector("[data-items=train] tr[data-row='%d'] button").focus() ?? true`, i)
	if js[string](b, `document.activeElement.getAttribute("aria-expanded")`) == "true" {
		b.keys(kb.Enter)
	}
	b.keys(kb.Enter)
	text := strings.Join(strings.Fields(js[string](b, `document.activeElement.closest("tr").nextElementSibling.innerText`)), " ")
	first := 4*i + 1
	for j := range 4 {
		if want := fmt.Sprintf("%d %s %s %d %d", j, quarter(i+j), p.Words.Page.Outcomes[rollout.Graded], j, first+j); !strings.Contains(text, want) {
			b.Errorf("the rollouts of %s read %q, want %q", itemRows(p)[i][0], text, want)
		}
	}
	if want := fmt.Sprintf("sed -n '%dp;%dp;%dp;%dp' 'my run/rollouts.jsonl'", first, first+1, first+2, first+3); !strings.Contains(text, want) {
		b.Errorf("the rollouts read %q, want the command %q", text, want)
	}
	b.keys(kb.Enter)
	if js[bool](b, `document.activeElement.closest("tr").nextElementSibling.querySelector("table") !== null`) {
		b.Error("the rollouts do not close again")
	}
}

// contrast lists the texts whose colour is too near to what they stand on.
const contrast = `(() => {
  const parse = (c) => c.match(/[\d.]+/g).map(Number);
  const light = (c) => c.slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0.99) return c; } return [255, 255, 255]; };
  const bad = [];
  for (const e of document.querySelectorAll("main *")) {
    if (e.closest("svg") || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility()) continue;
    const a = light(parse(getComputedStyle(e).color)), g = light(ground(e));
    const ratio = (Math.max(a, g) + 0.05) / (Math.min(a, g) + 0.05);
    if (ratio < 4.5) bad.push(e.tagName + "." + e.className + " " + ratio.toFixed(2) + ": " + e.textContent.slice(0, 40));
  }
  return bad;
})()`

func tryContrast(b *tab, _ *RunPage) {
	grounds := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.media("screen", scheme)
		for _, bad := range js[[]string](b, "%s", raw(contrast)) {
			b.Errorf("%s: %s", scheme, bad)
		}
		grounds[js[string](b, `getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector("figure svg path")).fill`)] = true
	}
	b.media("", "")
	if len(grounds) != 2 {
		b.Errorf("light and dark look the same: %v", grounds)
	}
}

// raw is an expression that js does not quote.
type raw string

var pdfPage = regexp.MustCompile(`/Type ?/Page\b`)

func tryPaper(b *tab, p *RunPage) {
	b.media("print", "dark")
	defer b.media("", "")
	hidden := js[[]string](b, `[...document.querySelectorAll("header p, .finding h3, .finding .body p, figure svg, figcaption, h2")].filter((e) => !e.checkVisibility({contentVisibilityAuto: true}) || e.getBoundingClientRect().height === 0).filter((e) => !e.parentElement.closest("details:not(.finding, .part, .skipped)")).map((e) => e.textContent.slice(0, 60))`)
	if len(hidden) > 0 {
		b.Errorf("%d texts would not be printed: %q", len(hidden), hidden)
	}
	if n := js[int](b, `[...document.querySelectorAll("nav, input, .area, .tip, button.all")].filter((e) => e.checkVisibility()).length`); n > 0 {
		b.Errorf("%d controls would be printed", n)
	}
	if n := js[int](b, `[...document.querySelectorAll("[data-items=train] tr[data-row]")].filter((e) => e.checkVisibility()).length`); n > 50 || n < 45 {
		b.Errorf("%d items would be printed", n)
	}
	if ground := js[string](b, `getComputedStyle(document.body).backgroundColor`); ground != "rgb(255, 255, 255)" {
		b.Errorf("paper is %s in dark mode", ground)
	}
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4)))
	b.must(err)
	if n := len(pdfPage.FindAll(pdf, -1)); n < 4 || n > 30 {
		b.Errorf("it prints on %d pages", n)
	}
}
