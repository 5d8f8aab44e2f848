package chart_test

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// grouped is a Result whose items, from the lowest mean to the highest, are dealt to
// categories in runs, one item to the last; families are four items each.
func grouped(t *testing.T, categories int) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "go")
	items := r.Splits[rollout.Train].Classes.Items
	for i := range items {
		items[i].Category = fmt.Sprintf("kind-%02d", i*categories/(len(items)-1))
		items[i].Family = fmt.Sprintf("family_%d", i/4)
	}
	return r
}

func TestCategoriesPicture(t *testing.T) {
	checkPicture(t, "grouped", "categories", grouped(t, 5))
}

func TestCategoriesInWords(t *testing.T) {
	c := chartNamed(t, "categories")
	r := grouped(t, 5)
	f := chart.Render(c, r)
	if !strings.HasPrefix(f.Title, "Of 5 categories, kind-") || !strings.Contains(f.Subtitle, "1 category of fewer than 3 items left out") || len(f.Table.Marks) != 5 || !f.Table.Filter {
		t.Errorf("%q, %q, %d rows", f.Title, f.Subtitle, len(f.Table.Marks))
	}
	for i, m := range f.Table.Marks {
		if !strings.Contains(m.Cells[2], "[") {
			t.Errorf("row %d has no interval: %q", i, m.Cells)
		}
		if i > 0 && m.Dots[0].X < f.Table.Marks[i-1].Dots[0].X {
			t.Errorf("row %d earns less than the one before", i)
		}
	}
	// Of many the ends are drawn, and the table has all.
	many := chart.Render(chartNamed(t, "families"), r)
	if want := len(r.Splits[rollout.Train].Classes.Items) / 4; len(many.Table.Marks) != want || !strings.Contains(many.Subtitle, fmt.Sprintf("%d families between these in the table only", want-24)) {
		t.Errorf("%d rows under %q", len(many.Table.Marks), many.Subtitle)
	}
	checkLayout(t, "many families", many, chart.Width, many.Height)
	if c.Only(reporttest.Load(t, "go")) || !c.Only(r) || c.Only(grouped(t, 1)) {
		t.Error("a report has a place for categories exactly where there are two or more to compare")
	}
}

// Where all categories earn the same, none earns least or most.
func TestCategoriesThatEarnTheSame(t *testing.T) {
	r := grouped(t, 5)
	items := r.Splits[rollout.Train].Classes.Items
	for i := range items {
		items[i].Mean = stat.FiniteOrNil(0)
	}
	if got, want := chart.Render(chartNamed(t, "categories"), r).Title, "Each of 5 categories earns 0"; got != want {
		t.Errorf("the title is %q, want %q", got, want)
	}
}
