package chart_test

import (
	"bytes"
	"flag"
	"path/filepath"
	"testing"

	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

var update = flag.Bool("update", false, "write the golden pictures anew; then look at them")

func TestGoldenPictures(t *testing.T) {
	for _, c := range chart.Charts() {
		compare(t, "go", c)
	}
	for name, picked := range map[string]string{"negative": "variance", "large": "variance", "all_missing": "best_of_k", "beyond": "informative", "audited": "grader_audit", "hostile": "failures"} {
		for _, c := range chart.Charts() {
			if c.Name == picked {
				compare(t, name, c)
			}
		}
	}
}

func compare(t *testing.T, name string, c chart.Chart) {
	t.Helper()
	var b bytes.Buffer
	f := chart.Render(c, reporttest.Load(t, name))
	if err := chart.WritePNG(&b, f, chart.Width, f.Height); err != nil {
		t.Fatal(err)
	}
	reporttest.SamePicture(t, filepath.Join("testdata", name+"."+c.Name+".png"), b.Bytes(), *update)
}
