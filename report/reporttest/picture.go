package reporttest

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"testing"
)

// SamePicture compares a PNG with the golden one at path, both at a quarter of their size and in
// grey: that keeps golden files small, tolerates rounding at edges, and is what a grey print shows.
// With update it writes the golden one instead.
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
		t.Errorf(
			"%s: grey differs by %.2f on average and %.0f at most, of 255: if it should, run with -update and look",
			path, mean, worst)
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

// quarter returns m in grey, with each block of four by four pixels averaged into one.
func quarter(m image.Image) *image.Gray {
	full := image.NewRGBA(m.Bounds())
	draw.Draw(full, full.Bounds(), m, m.Bounds().Min, draw.Src)
	w, h := m.Bounds().Dx()/4, m.Bounds().Dy()/4
	out := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			sum := 0
			for i := range 4 {
				row := full.Pix[(4*y+i)*full.Stride+16*x:][:16]
				for k := 0; k < 16; k += 4 {
					sum += 299*int(row[k]) + 587*int(row[k+1]) + 114*int(row[k+2]) // luma according to ITU-R BT.601
				}
			}
			out.Pix[y*out.Stride+x] = uint8(sum / 16000)
		}
	}
	return out
}

// difference compares two pictures of the same size, want converted to grey, and returns the mean
// and the largest difference of a pixel.
func difference(got *image.Gray, want image.Image) (mean, worst float64) {
	grey := image.NewGray(want.Bounds())
	draw.Draw(grey, grey.Bounds(), want, want.Bounds().Min, draw.Src)
	for i, p := range got.Pix {
		d := math.Abs(float64(p) - float64(grey.Pix[i]))
		mean += d
		worst = math.Max(worst, d)
	}
	return mean / float64(len(got.Pix)), worst
}
