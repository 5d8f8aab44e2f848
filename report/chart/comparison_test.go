package chart_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"

	"gonogo/analysis/compare"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// TestPicturesOfComparisons looks at every chart of every Comparison: that it
// says what it shows or why there is nothing, and that no text is cut or runs
// into another at any size.
func TestPicturesOfComparisons(t *testing.T) {
	for _, name := range reporttest.Comparisons() {
		for _, c := range chart.Comparisons() {
			of := reporttest.Compared(t, name)
			if c.Only != nil && !c.Only(of) {
				continue
			}
			f := chart.Render(c, of)
			if f.Title == "" || (f.Plot == nil) == (f.NoData == "") {
				t.Errorf("%s of %s: title %q, plot %v, no data %q", c.Name, name, f.Title, f.Plot != nil, f.NoData)
			}
			if f.Plot != nil && (!strings.Contains(f.Subtitle, "n = ") || len(f.Table.Head) == 0 || len(f.Table.Marks) == 0) {
				t.Errorf("%s of %s: subtitle %q names no n, or there is no table", c.Name, name, f.Subtitle)
			}
			for _, m := range f.Table.Marks {
				if len(m.Cells) != len(f.Table.Head) {
					t.Errorf("%s of %s: a row of %d cells under %d heads", c.Name, name, len(m.Cells), len(f.Table.Head))
				}
			}
			wellFormed(t, writeSVG(t, f))
			for _, size := range sizes {
				checkLayout(t, fmt.Sprintf("%s of %s at %v", c.Name, name, size), f, size.w, size.h*f.Height/chart.Height)
			}
		}
	}
}

func TestGoldenPicturesOfComparisons(t *testing.T) {
	all := chart.Comparisons()
	for _, one := range [][2]string{
		{"regressed", "quadrants"},
		{"regressed", "paired_differences"},
		{"regressed", "categories"},
		{"regressed", "reward_latency"},
		{"regressed", "failure_drift"},
		{"many", "quadrants"},
	} {
		sameComparison(t, one[0], all[slices.IndexFunc(all, func(c chart.Comparison) bool { return c.Name == one[1] })])
	}
}

func sameComparison(t *testing.T, name string, c chart.Comparison) {
	t.Helper()
	var b bytes.Buffer
	f := chart.Render(c, reporttest.Compared(t, name))
	if err := chart.WritePNG(&b, f, chart.Width, f.Height); err != nil {
		t.Fatal(err)
	}
	reporttest.SamePicture(t, filepath.Join("testdata", "compare."+name+"."+c.Name+".png"), b.Bytes(), *update)
}

// Groups that the picture leaves out stand in its table, each once and in order.
func TestTheTableHoldsTheGroupsBetweenTheEnds(t *testing.T) {
	c := reporttest.Compared(t, "regressed")
	sc := c.Splits[rollout.Eval]
	one := sc.Categories.Groups[0]
	for _, n := range []int{24, 25, 40} {
		sc.Categories.Groups = nil
		for i := range n {
			one.Group = fmt.Sprintf("g%02d", i)
			sc.Categories.Groups = append(sc.Categories.Groups, one)
		}
		all := chart.Comparisons()
		f := chart.Render(all[slices.IndexFunc(all, func(c chart.Comparison) bool { return c.Name == "categories" })], c)
		if len(f.Table.Marks) != n+1 {
			t.Fatalf("%d groups: %d rows, want %d and all items", n, len(f.Table.Marks), n)
		}
		drawn := 0
		for i, m := range f.Table.Marks {
			if i > 0 && m.Cells[0] != fmt.Sprintf("g%02d", i-1) {
				t.Errorf("%d groups: row %d is %s", n, i, m.Cells[0])
			}
			drawn += len(m.Dots)
		}
		if drawn != 25 {
			t.Errorf("%d groups: %d rows are drawn, want 12 of either end and all items", n, drawn)
		}
	}
}

// A Comparison that no analysis makes, but a file made elsewhere may hold.
func TestOddComparisonsDoNotBreakAPicture(t *testing.T) {
	for what, bend := range map[string]func(*compare.Comparison, *compare.Split){
		"no split that answers":  func(c *compare.Comparison, _ *compare.Split) { c.Split = nil },
		"a split that is null":   func(c *compare.Comparison, _ *compare.Split) { c.Splits[rollout.Eval] = nil },
		"no delta":               func(c *compare.Comparison, _ *compare.Split) { c.Delta = 0 },
		"no intervals":           func(_ *compare.Comparison, sc *compare.Split) { sc.Reward.Low, sc.Reward.High = nil, nil },
		"no value of the reward": func(_ *compare.Comparison, sc *compare.Split) { sc.Reward.Value = nil },
		"no changes":             func(_ *compare.Comparison, sc *compare.Split) { sc.Changes = nil },
		"all changes the same": func(_ *compare.Comparison, sc *compare.Split) {
			for i := range sc.Changes {
				sc.Changes[i].Change = 0
			}
		},
		"no cells": func(_ *compare.Comparison, sc *compare.Split) { sc.Quadrants.Cells = nil },
		"no group": func(_ *compare.Comparison, sc *compare.Split) { sc.Categories.Groups = nil },
		"many groups": func(_ *compare.Comparison, sc *compare.Split) {
			for range 3 {
				sc.Families.Groups = append(sc.Families.Groups, sc.Families.Groups...)
			}
		},
		"nothing beside the reward": func(_ *compare.Comparison, sc *compare.Split) { sc.Others = nil },
	} {
		c := reporttest.Compared(t, "regressed")
		bend(c, c.Splits[rollout.Eval])
		for _, one := range chart.Comparisons() {
			if one.Only != nil && !one.Only(c) {
				continue
			}
			f := chart.Render(one, c)
			checkLayout(t, one.Name+" with "+what, f, chart.Width, f.Height)
		}
	}
}

// marked is a comparison in which one detector marks more, another fewer.
func marked(t *testing.T) *compare.Comparison {
	t.Helper()
	c := reporttest.Compared(t, "regressed")
	_, sc, _ := chart.ComparedSplit(c)
	for _, h := range []struct {
		name, direction            string
		base, new, move, low, high float64
	}{{"reads_the_tests", "up", 0.05, 0.62, 0.57, 0.44, 0.7}, {"edits_the_grader", "unclear", 0.02, 0.03, 0.01, -0.02, 0.04}, {"prints_answers", "down", 0.2, 0.1, -0.1, -0.17, -0.03}} {
		sc.Hacks = append(sc.Hacks, analysis.Difference{
			Name: h.name, Direction: h.direction, Base: &h.base, New: &h.new,
			Estimate: stat.Estimate{Value: &h.move, Low: &h.low, High: &h.high, N: 932, Items: 60, Method: "mean over items; t(59) interval"},
		})
	}
	return c
}

func TestHacksOfAComparison(t *testing.T) {
	all := chart.Comparisons()
	hacks := all[slices.IndexFunc(all, func(c chart.Comparison) bool { return c.Name == "hacks" })]
	if hacks.Only(reporttest.Compared(t, "regressed")) {
		t.Error("where no detector read the runs there is nothing to show")
	}
	c := marked(t)
	f := chart.Render(hacks, c)
	if want := "By 1 of 3 detectors, more rollouts are marked as hacks than in the base run"; f.Title != want || len(f.Table.Marks) != 3 {
		t.Errorf("%q, %d rows, want %q", f.Title, len(f.Table.Marks), want)
	}
	checkLayout(t, "hacks", f, chart.Width, f.Height)
	var b bytes.Buffer
	if err := chart.WritePNG(&b, f, chart.Width, f.Height); err != nil {
		t.Fatal(err)
	}
	reporttest.SamePicture(t, filepath.Join("testdata", "compare.marked.hacks.png"), b.Bytes(), *update)
	c.Lang = message.Chinese
	drawnInChinese(t, "hacks", chart.Render(hacks, c))
}

// The pictures said "rollouts are faster" where the table beside them says that it cannot tell: the
// interval excludes 0, but among all quantities chance explains it.
func TestACaptionSaysNoMoreThanTheTable(t *testing.T) {
	for _, p := range []struct{ chart, quantity, fewer, more, neither string }{
		{"latency", "latency", "rollouts are faster", "rollouts take longer", "no clear change in speed"},
		{"quadrants", "tool_calls", "rollouts make fewer tool calls", "rollouts make more tool calls", "no clear change in tool calls"},
	} {
		for _, c := range []struct{ direction, change, want string }{
			{"down", "better", p.fewer},
			{"down", "changed", p.fewer},
			{"up", "worse", p.more},
			{"down", "unclear", p.neither},
			{"up", "unclear", p.neither},
			{"down", "same", p.neither},
			{"unclear", "unclear", p.neither},
		} {
			of := reporttest.Compared(t, "regressed")
			_, sc, _ := chart.ComparedSplit(of)
			i := slices.IndexFunc(sc.Others, func(d analysis.Difference) bool { return d.Name == p.quantity })
			sc.Others[i].Direction, sc.Others[i].Change = c.direction, c.change
			j := slices.IndexFunc(chart.Comparisons(), func(x chart.Comparison) bool { return strings.Contains(x.Name, p.chart) })
			if f := chart.Render(chart.Comparisons()[j], of); !strings.Contains(f.Title, c.want) {
				t.Errorf("%s, %s and %s: %q, want %q", p.chart, c.direction, c.change, f.Title, c.want)
			}
		}
	}
}
