package chart_test

import (
	"bytes"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"gonogo/analysis"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

var update = flag.Bool("update", false, "write the golden pictures again; then look at them")

func TestLongGoldenPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	for _, c := range chart.Charts() {
		samePicture(t, "go", c, reporttest.Load(t, "go"))
	}
	for name, picked := range map[string]string{"negative": "variance", "large": "variance", "all_missing": "best_of_k", "beyond": "informative", "audited": "grader_audit", "hostile": "failures"} {
		samePicture(t, name, chartNamed(t, picked), reporttest.Load(t, name))
	}
	samePicture(t, "audited", chartNamed(t, "informative"), reporttest.Load(t, "audited")) // net of grader noise
}

// samePicture compares the picture of a Result with the golden one.
func samePicture(t *testing.T, name string, c chart.Chart, r *analysis.Result) chart.Figure {
	t.Helper()
	var b bytes.Buffer
	f := chart.Render(c, r)
	if err := chart.WritePNG(&b, f, chart.Width, f.Height); err != nil {
		t.Fatal(err)
	}
	reporttest.SamePicture(t, filepath.Join("testdata", name+"."+c.Name+".png"), b.Bytes(), *update)
	return f
}

// chartNamed finds a chart.
func chartNamed(t *testing.T, name string) chart.Chart {
	t.Helper()
	all := chart.Charts()
	i := slices.IndexFunc(all, func(c chart.Chart) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("there is no chart %s", name)
	}
	return all[i]
}

// checkPicture compares the picture of a Result with the golden one, and looks at
// its layout at all sizes.
func checkPicture(t *testing.T, name, of string, r *analysis.Result) {
	t.Helper()
	f := samePicture(t, name, chartNamed(t, of), r)
	for _, size := range sizes {
		checkLayout(t, fmt.Sprintf("%s at %v", of, size), f, size.w, size.h*f.Height/chart.Height)
	}
}
