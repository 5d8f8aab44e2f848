package chart_test

import (
	"fmt"
	"testing"
	"time"

	"gonogo/analysis/history"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/report/internal/lettering"
	"gonogo/report/reporttest"
)

func TestEveryChartOfAComparisonIsSaidAndDrawnInChinese(t *testing.T) {
	l := message.Chinese.OnMissing(func(_, english string) { t.Errorf("the catalogue lacks %q", english) })
	for _, name := range reporttest.Comparisons() {
		of := reporttest.Compared(t, name)
		of.Lang = l
		for _, c := range chart.Comparisons() {
			if c.Only == nil || c.Only(of) {
				drawnInChinese(t, c.Name+" of "+name, chart.Render(c, of))
			}
		}
	}
}

// drawnInChinese asks for a title, a doc and a legend in Chinese, and for texts
// that are neither cut nor run into others.
func drawnInChinese(t *testing.T, what string, f chart.Figure) {
	t.Helper()
	complete := len(message.Untranslated()) == 0
	if complete && (!han(f.Alt()) || !han(f.Doc)) {
		t.Errorf("%s is %q, %q", what, f.Alt(), f.Doc)
	}
	for _, e := range f.Legend {
		if complete && !han(e.Label) {
			t.Errorf("%s: the legend says %q", what, e.Label)
		}
	}
	f.Fonts = (*lettering.Fonts)(nil).External()
	for _, size := range sizes {
		checkLayout(t, fmt.Sprintf("%s at %v", what, size), f, size.w, size.h*f.Height/chart.Height)
	}
}

func TestEveryChartOfAHistoryIsSaidAndDrawnInChinese(t *testing.T) {
	var nights []history.Night
	for i := range 40 {
		reward := 0.6 + 0.01*float64(i%3)
		made := map[string]string{"grader": "one"}
		if i >= 25 {
			reward -= 0.2
			made["grader"], made["job.suffix"] = "two", "b"
		}
		nights = append(nights, history.Night{
			Name: fmt.Sprint(i), Time: time.Date(2026, 11, 1+i, 2, 0, 0, 0, time.UTC), Split: "eval", RewardRange: [2]float64{0, 1}, Good: i != 30, Made: made,
			Values: map[string]history.Value{history.Reward: {Value: reward, SE: stat.FiniteOrNil(0.01), Low: stat.FiniteOrNil(reward - 0.02), High: stat.FiniteOrNil(reward + 0.02), N: 80}, "latency": {Value: 3, N: 80}},
			Items:  []history.ItemMean{{ID: "q", Mean: 0.5, N: 8}},
		})
	}
	nights[35].Items = []history.ItemMean{{ID: "other", Mean: 0.5, N: 8}}
	h := history.Analyze(nights, history.DefaultOptions())
	l := message.Chinese.OnMissing(func(_, english string) {
		if !han(english) { // what was said before
			t.Errorf("the catalogue lacks %q", english)
		}
	})
	h.Lang = l
	if len(h.Changes) == 0 {
		t.Fatal("nothing changed")
	}
	for _, c := range chart.Histories(h, func(name string) string { return "序列 " + name }) {
		drawnInChinese(t, c.Name, chart.Render(c, h))
	}
}
