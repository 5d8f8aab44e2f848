package chart_test

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// tooled is a Result whose rollouts call n tools, each the next one, itself
// and the first.
func tooled(t *testing.T, n int, name func(i int) string) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "go")
	u := &r.Splits[rollout.Train].Tools
	u.ByTool, u.Bigrams = map[string]analysis.ToolStat{}, map[string]int{}
	for i := range n {
		u.ByTool[name(i)] = analysis.ToolStat{Calls: 100 + 7*i, Errors: i, Malformed: 3, Failed: i % 3, P95: stat.FiniteOrNil(0.25)}
		u.Bigrams[name(i)+">"+name((i+1)%n)] += 40
		u.Bigrams[name(i)+">"+name(i)] += 30 + i
		u.Bigrams[name(i)+">"+name(0)] += 5
	}
	return r
}

func TestToolPictures(t *testing.T) {
	some := tooled(t, 6, func(i int) string { return fmt.Sprintf("tool_%c", 'a'+i) })
	checkPicture(t, "tooled", "calls_by_tool", some)
	checkPicture(t, "tooled", "tool_bigrams", some)
}

// TestManyAndOddToolsKeepTheirRows draws more tools than a picture has rows
// for, and names that are hard to draw.
func TestManyAndOddToolsKeepTheirRows(t *testing.T) {
	hostile := func(i int) string {
		return []string{"a>b", "a", "b>c", "</script>", "搜索\x1b[2J", "", strings.Repeat("long_", 3000), "\u202etool"}[i%8] + strings.Repeat("'", i/8)
	}
	for what, r := range map[string]*analysis.Result{
		"many": tooled(t, 300, func(i int) string { return fmt.Sprintf("server.with.a.long.name/tool-%03d", i) }),
		"odd":  tooled(t, 11, hostile),
		"one":  tooled(t, 1, func(int) string { return "search" }),
	} {
		total := 0
		for _, s := range r.Splits[rollout.Train].Tools.ByTool {
			total += s.Calls
		}
		for _, name := range []string{"calls_by_tool", "tool_bigrams"} {
			f := chart.Render(chartNamed(t, name), r)
			if f.Plot == nil {
				t.Errorf("%s of %s: %s", name, what, f.NoData)
				continue
			}
			wellFormed(t, writeSVG(t, f))
			checkLayout(t, name+" of "+what+" tools", f, chart.Width, f.Height)
			if f.Height > 2*chart.Width {
				t.Errorf("%s of %s is %v high", name, what, f.Height)
			}
			if name == "calls_by_tool" && !strings.Contains(f.Subtitle, message.Whole(total)+" calls") {
				t.Errorf("%s: %q, want all %d calls", what, f.Subtitle, total)
			}
		}
	}
	odd := chart.Render(chartNamed(t, "tool_bigrams"), tooled(t, 3, hostile)).Table
	pairs := map[string]bool{}
	for _, m := range odd.Marks {
		pairs[m.Cells[0]+" then "+m.Cells[1]] = true
	}
	if !pairs["a>b then a"] || !pairs["a then b>c"] || !pairs["b>c then a>b"] {
		t.Errorf("names with a > of their own are taken apart wrongly: %v", pairs)
	}
}

func TestToolChartsSayWhatIsMissing(t *testing.T) {
	for what, c := range map[string]struct {
		bend func(u *analysis.ToolUse)
		want string
	}{
		"no trace":       {func(u *analysis.ToolUse) { *u = analysis.ToolUse{} }, "no trace"},
		"no second call": {func(u *analysis.ToolUse) { u.Bigrams = nil }, "second tool call"},
	} {
		r := tooled(t, 3, func(i int) string { return string(rune('a' + i)) })
		c.bend(&r.Splits[rollout.Train].Tools)
		if f := chart.Render(chartNamed(t, "tool_bigrams"), r); f.Plot != nil || !strings.Contains(f.NoData, c.want) {
			t.Errorf("%s: %q, want %q", what, f.NoData, c.want)
		}
	}
}
