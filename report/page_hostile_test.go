//go:build !race

package report

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// hostileTexts are texts that would run, ask or mislead where they are not mere
// text. Each is short enough to be shown whole.
var hostileTexts = []string{
	`<script>window.owned=1</script>`,
	`</script><script>window.owned=2</script>`,
	`"><img src=x onerror="window.owned=3">`,
	`'><svg/onload=window.owned=4>`,
	`javascript:window.owned=5`,
	`<a href="javascript:window.owned=6">x</a>`,
	`{{.}}${window.owned=7}<%= 7 %>`,
	`</style><style>*{background:url(http://h.test/8)}`,
	`<iframe src="http://h.test/9"></iframe>`,
	`<!--<script>`,
	`--></title></textarea></template>`,
	"\u202egpj.exe\u2066 \u200f\u0645\u0631\u062d\u0628\u0627",
	"nul\x00 esc\x1b[31m del\x7f",
	"line\u2028sep\u2029 next\u0085",
	"broken \xff\xfe utf-8",
	`\u003cscript\u003ewindow.owned=15\u003c/script\u003e`,
	`<form action=//h.test/16><button autofocus onfocus=window.owned=16>`,
	`" onmouseover=window.owned=17 x="`,
	`<meta http-equiv=refresh content=0;url=http://h.test/18>`,
	`<base href=http://h.test/19>`,
	`%3Cscript%3E %s %d %!v(PANIC=)`,
	`'; alert(21); '`,
	`]]><x:script xmlns:x="http://www.w3.org/1999/xhtml">window.owned=22</x:script>`,
	"🙈 \u202e 数据 👩\u200d💻",
}

// steering are fields whose text chooses what is drawn: they are hostile in
// every other page.
var steering = []string{"Class", "Quantity", "Model", "Bound", "Unit"}

// poison replaces every text that v holds by the next of list, and fills what
// is empty, so every part of a page has something to show.
func poison(v reflect.Value, list func() string, steered bool, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			if depth > 8 {
				return
			}
			v.Set(reflect.New(v.Type().Elem()))
		}
		poison(v.Elem(), list, steered, depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if !v.Field(i).CanSet() || !steered && slices.Contains(steering, name) && v.Field(i).String() != "" {
				continue
			}
			poison(v.Field(i), list, steered, depth+1)
		}
	case reflect.Slice:
		if v.Len() == 0 && depth < 8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			poison(v.Index(i), list, steered, depth+1)
		}
	case reflect.Map:
		poisonMap(v, list, steered, depth)
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(list())
		}
	case reflect.Int, reflect.Float64:
		if v.IsZero() && depth > 2 && v.CanFloat() {
			v.SetFloat(0.5)
		}
	}
}

// poisonMap poisons keys too, where they are mere text.
func poisonMap(v reflect.Value, list func() string, steered bool, depth int) {
	filled := reflect.MakeMap(v.Type())
	for _, k := range v.MapKeys() {
		key, value := reflect.New(k.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.Set(k)
		value.Set(v.MapIndex(k))
		if k.Kind() == reflect.String && k.Type() == reflect.TypeFor[string]() && (steered || !slices.Contains(analysis.ClassNames(), k.String())) {
			key.SetString(list())
		}
		poison(value, list, steered, depth+1)
		filled.SetMapIndex(key, value)
	}
	if !v.IsNil() || filled.Len() > 0 {
		v.Set(filled)
	}
}

// poisoned is a page every text of which is hostile, beginning with the n-th.
func poisoned(t *testing.T, n int) *RunPage {
	r, at := reporttest.Load(t, "audited"), n
	next := func() string {
		at++
		return fmt.Sprintf("%s %s %d", hostileTexts[at%len(hostileTexts)], hostileTexts[(at+5)%len(hostileTexts)], at) // ids must differ
	}
	for _, s := range r.Splits {
		s.Classes.Items = s.Classes.Items[:len(hostileTexts)]
	}
	for i := range r.Grader.Probes {
		r.Grader.Probes[i].Rewards = r.Grader.Probes[i].Rewards[:2]
	}
	poison(reflect.ValueOf(r).Elem(), next, n%2 == 1, 0)
	p := traced(r, 2)
	opt := p.Options
	opt.Name, opt.Version, opt.Dir, opt.Traces, opt.TracesLink = next(), next(), next(), next(), "javascript:window.owned=99"
	opt.Rollouts = func(yield func(collect.Counted) error) (rollout.Input, error) {
		for i, it := range r.Splits[rollout.Train].Classes.Items {
			rec := rollout.Record{Item: it.Item, Split: rollout.Train, Outcome: rollout.Outcome(next()), Error: next(), Line: i + 1}
			if err := yield(collect.Counted{Record: &rec}); err != nil {
				return rollout.Input{}, err
			}
		}
		return rollout.Input{}, nil
	}
	return NewRunPage(r, opt)
}

// TestLongHostileTextsStayTexts puts every hostile text through every field that a
// page tells of, and then uses all that the page offers.
func TestLongHostileTextsStayTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b := newTab(t)
	for n := range 3 {
		p := poisoned(t, 7*n)
		b.open(p)
		js[bool](b, `document.querySelectorAll("details").forEach((d) => { d.open = true; }) ?? true`)
		js[bool](b, `document.querySelectorAll("thead button, button.item, button.all").forEach((e) => e.click()) ?? document.querySelector("a[data-row]")?.click() ?? true`)
		js[bool](b, `document.querySelectorAll(".area").forEach((e) => { e.focus(); for (const key of ["Home", "ArrowRight", "End", "Enter"]) e.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true})); }) ?? true`)
		js[bool](b, `document.querySelectorAll("input").forEach((e) => { e.value = "<script>"; e.dispatchEvent(new Event("input")); }) ?? true`)
		if owned := js[string](b, `String(window.owned)`); owned != "undefined" {
			t.Errorf("page %d: the text number %s ran", n, owned)
		}
		if tags := js[[]string](b, `[...document.querySelectorAll("img, iframe, base, form, meta[http-equiv=refresh], object, embed, body > svg, svg[onload], [onerror], [onload], [onfocus], [onmouseover]")].map((e) => e.outerHTML.slice(0, 80))`); len(tags) > 0 {
			t.Errorf("page %d: texts became elements: %q", n, tags)
		}
		if links := js[[]string](b, `[...document.querySelectorAll("a")].map((a) => a.getAttribute("href")).filter((h) => !h.startsWith("#"))`); len(links) > 0 {
			t.Errorf("page %d: links lead to %q", n, links)
		}
		text := js[string](b, `document.body.textContent`)
		if !strings.Contains(text, "<script>window.owned=1</script>") {
			t.Errorf("page %d does not show a text as it is", n)
		}
		if at := strings.IndexAny(text, "\u202e\x00\u2028\u2029"); at >= 0 {
			where := js[[]string](b, `[...document.querySelectorAll("body *")].filter((e) => !e.children.length && /[\u202e\0\u2028\u2029]/.test(e.textContent)).map((e) => { const at = e.outerHTML.search(/[\u202e\0\u2028\u2029]/); return e.outerHTML.slice(0, 60) + " … " + e.outerHTML.slice(Math.max(0, at - 100), at + 20); })`)
			t.Errorf("page %d holds what steers: %q", n, where[:min(3, len(where))])
		}
		b.quiet()
	}
}
