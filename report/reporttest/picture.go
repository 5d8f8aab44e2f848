package reporttest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"testing"
)

// SamePicture compares a PNG with the golden one at path, both at a quarter of
// their size and in grey: that is small to keep, does not mind the last bit of
// an edge, and is what a grey print shows. With update it writes the golden
// one instead.
func SamePicture(t testing.TB, path string, data []byte, update bool) {
	t.Helper()
	got := quarter(Decode(t, data))
	if update {
		var out bytes.Buffer
		if err := png.Encode(&out, got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update)", err)
	}
	want := Decode(t, golden)
	if want.Bounds() != got.Bounds() {
		t.Errorf("%s: size is %v, want %v", path, got.Bounds(), want.Bounds())
		return
	}
	if mean, worst := difference(got, want); mean > 0.3 || worst > 60 {
		t.Errorf("%s: grey differs by %.2f on average and %.0f at most, of 255: if it should, run with -update and look", path, mean, worst)
	}
}

// Decode reads a PNG.
func Decode(t testing.TB, b []byte) image.Image {
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
