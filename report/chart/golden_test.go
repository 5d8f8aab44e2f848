package chart_test

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

var update = flag.Bool("update", false, "write the golden pictures anew; then look at them")

// TestGoldenPictures compares pictures at a quarter of their size, in grey:
// that is small to keep, does not mind the last bit of an edge, and shows what
// a grey print shows.
func TestGoldenPictures(t *testing.T) {
	for _, c := range chart.Charts() {
		compare(t, "go", c)
	}
	for name, picked := range map[string]string{"negative": "variance", "large": "variance", "all_missing": "best_of_k", "beyond": "informative", "hostile": "failures"} {
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
	if err := chart.WritePNG(&b, chart.Render(c, reporttest.Load(t, name)), chart.Width, chart.Height); err != nil {
		t.Fatal(err)
	}
	got := quarter(decode(t, b.Bytes()))
	path := filepath.Join("testdata", name+"."+c.Name+".png")
	if *update {
		var out bytes.Buffer
		if err := png.Encode(&out, got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update)", err)
	}
	want := decode(t, data)
	if want.Bounds() != got.Bounds() {
		t.Errorf("%s: size is %v, want %v", path, got.Bounds(), want.Bounds())
		return
	}
	if mean, worst := difference(got, want); mean > 0.3 || worst > 60 {
		t.Errorf("%s: grey differs by %.2f on average and %.0f at most, of 255: if it should, run with -update and look", path, mean, worst)
	}
}

func decode(t *testing.T, b []byte) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// quarter is m in grey, each four by four pixels averaged into one.
func quarter(m image.Image) *image.Gray {
	w, h := m.Bounds().Dx()/4, m.Bounds().Dy()/4
	out := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			sum := 0
			for i := range 16 {
				sum += int(color.GrayModel.Convert(m.At(4*x+i%4, 4*y+i/4)).(color.Gray).Y)
			}
			out.SetGray(x, y, color.Gray{Y: uint8(sum / 16)})
		}
	}
	return out
}

func difference(a, b image.Image) (mean, worst float64) {
	r := a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			d := math.Abs(float64(color.GrayModel.Convert(a.At(x, y)).(color.Gray).Y) - float64(color.GrayModel.Convert(b.At(x, y)).(color.Gray).Y))
			mean += d
			worst = math.Max(worst, d)
		}
	}
	return mean / float64(r.Dx()*r.Dy()), worst
}
