package chart_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/report/chart"
	"gonogo/report/internal/lettering"
	"gonogo/report/reporttest"
)

// drawnResults are the frozen Results, and those that have what they lack.
func drawnResults(t *testing.T) map[string]*analysis.Result {
	all := map[string]*analysis.Result{
		"nothing": {}, "ranked": ranked(t), "loaded": loaded(t), "costly": costly(t), "grouped": grouped(t, 5), "shifted": shifted(t), "probed": audited(t, 60),
		"tooled": tooled(t, 30, func(i int) string { return "工具" + string(rune('一'+i)) }),
	}
	for _, name := range reporttest.Names() {
		all[name] = reporttest.Load(t, name)
	}
	return all
}

func TestEveryChartOfARunIsSaidInChinese(t *testing.T) {
	lacking := map[string]bool{}
	strict := message.Chinese.OnMissing(func(_, english string) { lacking[english] = true })
	for name, r := range drawnResults(t) {
		r.Lang = strict
		for _, c := range chart.Charts() {
			f := chart.Render(c, r)
			texts(f, chart.Width, f.Height)
			if alt := f.Alt(); len(message.Untranslated()) == 0 && (!han(alt) || !han(f.Doc) || f.Doc == c.Doc) {
				t.Errorf("%s of %s is %q, %q", c.Name, name, alt, f.Doc)
			}
			for _, e := range f.Legend {
				if !han(e.Label) && len(message.Untranslated()) == 0 && c.Name != "endpoint_load" { // names of endpoints
					t.Errorf("%s of %s: the legend says %q", c.Name, name, e.Label)
				}
			}
		}
	}
	for _, english := range slices.Sorted(maps.Keys(lacking)) {
		t.Errorf("the catalogue lacks %q", english)
	}
}

func han(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= '一' && r <= '龥' })
}

// The fonts are those of no machine: Chinese stands in squares in all of them.
func TestNoChineseTextIsCutOrRunsIntoAnother(t *testing.T) {
	for name, r := range drawnResults(t) {
		r.Lang = message.Chinese
		for _, c := range chart.Charts() {
			for _, size := range sizes {
				f := chart.Render(c, r)
				f.Fonts = (*lettering.Fonts)(nil).External()
				h := size.h * f.Height / chart.Height
				checkLayout(t, fmt.Sprintf("%s of %s at %v × %v", c.Name, name, size.w, h), f, size.w, h)
			}
		}
	}
}
