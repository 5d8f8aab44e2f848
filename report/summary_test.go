package report

import (
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gonogo/report/block"
	"gonogo/report/reporttest"
)

func TestSummaryIsSixteenToNine(t *testing.T) {
	data := write(t, "summary", page(t, "cautious"))
	if size := reporttest.Decode(t, data).Bounds().Size(); size.X != 1600 || size.Y != 900 {
		t.Errorf("summary is %v, want 1600 × 900", size)
	}
	reporttest.SamePicture(t, filepath.Join("testdata", "cautious.summary.png"), data, *update)
}

// TestSummaryCutsAndOverlapsNothing notes where each level text stands.
func TestSummaryCutsAndOverlapsNothing(t *testing.T) {
	for _, name := range reporttest.Names() {
		var rec recorder.Canvas
		drawCard(draw.NewCanvas(&rec, cardWidth, cardHeight), page(t, name))
		checkCard(t, name, rec)
	}
}

// A wide range and its interval share a third of the card; a build between releases has
// a long version.
func TestSummaryOfLongNumbersCutsNothing(t *testing.T) {
	var rec recorder.Canvas
	p := fresh(t, "go")
	p.Version = "v0.0.0-20261124105158-46e205f9c15d"
	c := &card{Canvas: draw.Crop(draw.NewCanvas(&rec, cardWidth, cardHeight), 24, -24, 14, -16), fonts: p.letters(), doc: p.Doc(), y: 400}
	tile := block.Tile{Label: "Informative groups", Value: "52.4 % – 100 %", Interval: "[37.3 %, 100 %]", About: "groups that teach", Known: true}
	c.tiles(block.Tiles{tile, tile, tile})
	c.foot()
	checkCard(t, "long numbers", rec)
	if got := p.footer(); !strings.Contains(got, " 46e205f9c15d on ") {
		t.Errorf("the footer is %q", got)
	}
}

// cutShort matches an interval and a date that lost their end.
var cutShort = regexp.MustCompile(`^(\[[-0-9., %–]*|Made by.*)…$`)

// checkCard looks at where the texts of a card stand.
func checkCard(t *testing.T, name string, rec recorder.Canvas) {
	t.Helper()
	type box struct {
		text           string
		x0, x1, y0, y1 float64
	}
	var boxes []box
	for _, action := range rec.Actions {
		a, ok := action.(*recorder.FillString)
		if !ok {
			continue
		}
		face := font.DefaultCache.Lookup(a.Font, a.Size)
		b := box{a.String, float64(a.Point.X), float64(a.Point.X + face.Width(a.String)), float64(a.Point.Y), float64(a.Point.Y) + 0.72*float64(a.Size)}
		if b.x0 < 0 || b.y0 < 0 || b.x1 > float64(cardWidth) || b.y1 > float64(cardHeight) {
			t.Errorf("%s: %q reaches outside the card", name, b.text)
		}
		if cutShort.MatchString(b.text) {
			t.Errorf("%s: %q is cut", name, b.text)
		}
		for _, o := range boxes {
			if math.Min(b.x1, o.x1)-math.Max(b.x0, o.x0) > 1 && math.Min(b.y1, o.y1)-math.Max(b.y0, o.y0) > 1 {
				t.Errorf("%s: %q and %q overlap", name, b.text, o.text)
			}
		}
		boxes = append(boxes, b)
	}
	if len(boxes) < 8 {
		t.Errorf("%s: only %d texts on the card", name, len(boxes))
	}
}
