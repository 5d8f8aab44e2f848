package chart_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

func TestPilotPictures(t *testing.T) {
	for _, name := range reporttest.Pilots() {
		f := chart.Render(chart.Pilots()[0], reporttest.LoadPilot(t, name))
		var b bytes.Buffer
		if err := chart.WritePNG(&b, f, chart.Width, f.Height); err != nil {
			t.Fatal(err)
		}
		reporttest.SamePicture(t, filepath.Join("testdata", "pilot."+name+".png"), b.Bytes(), *update)
		for _, size := range sizes {
			checkLayout(t, fmt.Sprintf("%s at %v", name, size), f, size.w, size.h*f.Height/chart.Height)
		}
		wellFormed(t, writeSVG(t, f))
	}
}
