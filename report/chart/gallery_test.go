package chart_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
)

// The gallery shows every chart with its own words. With -update it is written
// again, and with GONOGO_GALLERY=RESULT.JSON its pictures too: make golden gives
// it the result of the demo.
var (
	galleryPage     = filepath.Join("..", "..", "docs", "report.md")
	galleryPictures = filepath.Join("..", "..", "docs", "charts")
)

// The most that a picture of the gallery takes, and all of them.
const (
	pictureBytes = 60 << 10
	galleryBytes = 1 << 20
)

// plate is a picture of the gallery.
type plate struct{ name, doc, read, file string }

func plates[R any](list []chart.Spec[R], prefix string) []plate {
	var out []plate
	for _, c := range list {
		out = append(out, plate{c.Name, c.Doc, c.Read, prefix + c.Name + ".png"})
	}
	return out
}

// Those of one run, of its pilot, and of two runs.
func runPlates() []plate        { return plates(chart.Charts(), "") }
func pilotPlates() []plate      { return plates(chart.Pilots(), "") }
func comparisonPlates() []plate { return plates(chart.Comparisons(), "compare_") }

func TestGalleryShowsEveryChartInItsWords(t *testing.T) {
	old, err := os.ReadFile(galleryPage)
	if err != nil {
		t.Fatal(err)
	}
	page, err := gallery(string(old))
	if err != nil {
		t.Fatalf("%s: %v", galleryPage, err)
	}
	if *update {
		if err := os.WriteFile(galleryPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		if from := os.Getenv("GONOGO_GALLERY"); from != "" {
			drawGallery(t, from)
		}
	} else if string(old) != page {
		t.Error("docs/report.md does not say what the charts say of themselves: run make golden")
	}
	files, err := os.ReadDir(galleryPictures)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(runPlates(), pilotPlates(), comparisonPlates())
	for _, f := range files {
		if !slices.ContainsFunc(all, func(p plate) bool { return p.file == f.Name() }) {
			t.Errorf("docs/charts/%s belongs to no chart", f.Name())
		}
	}
	total := 0
	for _, p := range all {
		b, err := os.ReadFile(filepath.Join(galleryPictures, p.file))
		if err != nil {
			t.Errorf("%v: run make golden", err)
			continue
		}
		total += len(b)
		if m, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || m.Width != 1248 || len(b) > pictureBytes {
			t.Errorf("%s is %d wide and takes %d bytes, want 1248 and at most %d: %v", p.file, m.Width, len(b), pictureBytes, err)
		}
		if strings.Count(p.read, ".")+strings.Count(p.read, "!") != 1 || len(p.read) < 40 {
			t.Errorf("%s: %q is not one sentence on how to read it", p.name, p.read)
		}
	}
	if total > galleryBytes {
		t.Errorf("the pictures take %d bytes, want at most %d", total, galleryBytes)
	}
}

// gallery is the page with its charts as they are now.
func gallery(page string) (string, error) {
	const begin, end = "<!-- charts -->\n", "<!-- end -->"
	before, rest, begun := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		return "", errors.New("it has no place for the charts")
	}
	var b strings.Builder
	for _, p := range slices.Concat(runPlates(), pilotPlates(), comparisonPlates()) {
		name := strings.TrimSuffix(p.file, ".png")
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n![%s](charts/%s)\n\nHow to read it: %s\n", name, p.doc, strings.ReplaceAll(p.name, "_", " "), p.file, p.read)
	}
	return before + begin + b.String() + "\n" + end + after, nil
}

// drawGallery draws every chart of a Result, and those that it has nothing for
// of the Results of tests; then those of a comparison.
func drawGallery(t *testing.T, from string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	r := new(analysis.Result)
	if err := json.Unmarshal(data, r); err != nil {
		t.Fatal(err)
	}
	others := map[string]*analysis.Result{"variants": ranked(t), "endpoint_load": loaded(t), "families": grouped(t, 5), "noise": reporttest.Load(t, "audited")}
	if err := os.MkdirAll(galleryPictures, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, p := range runPlates() {
		f := chart.Render(chart.Charts()[i], r)
		if other := others[p.name]; f.Plot == nil && other != nil {
			f = chart.Render(chart.Charts()[i], other)
		}
		hang(t, p, f)
	}
	for i, p := range pilotPlates() {
		hang(t, p, chart.Render(chart.Pilots()[i], reporttest.LoadPilot(t, "rises")))
	}
	for i, p := range comparisonPlates() {
		hang(t, p, chart.Render(chart.Comparisons()[i], marked(t)))
	}
}

// hang writes a picture of the gallery, small.
func hang(t *testing.T, p plate, f chart.Figure) {
	t.Helper()
	if f.Plot == nil {
		t.Errorf("%s of the gallery has nothing to show: %s", p.name, f.NoData)
	}
	var b bytes.Buffer
	if err := chart.WritePNG(&b, f, chart.Width, f.Height); err != nil {
		t.Fatal(err)
	}
	small := fewColours(reporttest.Decode(t, b.Bytes()), 18)
	b.Reset()
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, small); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(galleryPictures, p.file), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fewColours draws m in the palette of the charts and its n most frequent
// other colours.
func fewColours(m image.Image, n int) *image.Paletted {
	type bucket struct{ r, g, b, n int }
	buckets := map[[3]uint8]*bucket{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(m.At(x, y)).(color.RGBA) }
	size := m.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			c := at(x, y)
			key := [3]uint8{c.R >> 4, c.G >> 4, c.B >> 4}
			if buckets[key] == nil {
				buckets[key] = new(bucket)
			}
			k := buckets[key]
			k.r, k.g, k.b, k.n = k.r+int(c.R), k.g+int(c.G), k.b+int(c.B), k.n+1
		}
	}
	list := make([]*bucket, 0, len(buckets))
	for _, k := range buckets {
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b *bucket) int {
		return slices.Compare([]int{b.n, a.r, a.g, a.b}, []int{a.n, b.r, b.g, b.b})
	})
	var colours color.Palette
	for _, c := range chart.Palette() {
		colours = append(colours, c.RGBA)
	}
	for _, k := range list[:min(n, len(list))] {
		colours = append(colours, color.RGBA{uint8(k.r / k.n), uint8(k.g / k.n), uint8(k.b / k.n), 255})
	}
	out := image.NewPaletted(image.Rect(0, 0, size.X, size.Y), colours)
	known := map[color.RGBA]uint8{}
	for y := range size.Y {
		for x := range size.X {
			c := at(x, y)
			i, ok := known[c]
			if !ok {
				i = uint8(colours.Index(c))
				known[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}
