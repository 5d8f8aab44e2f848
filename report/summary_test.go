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

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/report/block"
	"gonogo/report/chart"
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

// The longest notes of four tiles stand on the card whole, above what follows.
func TestTilesShowAllOfTheirNotes(t *testing.T) {
	var rec recorder.Canvas
	p := fresh(t, "go")
	c := &card{Canvas: draw.Crop(draw.NewCanvas(&rec, cardWidth, cardHeight), 24, -24, 14, -16), fonts: p.letters(), doc: p.Doc(), y: 400}
	note := "by a grader that failed its audit; 1,200 items, 9,600 rollouts; share of groups of 16 whose rewards differ: " +
		"training learns only from these; net of grader noise"
	tile := block.Tile{Label: "Informative groups", Value: "52.4 %", Interval: "[37.3 %, 100 %]", About: note, Known: true, Doubted: true}
	c.tiles(block.Tiles{tile, tile, tile, tile})
	c.text(c.Min.X, c.Max.X, "What follows", 10, true, chart.Ink, 1)
	checkCard(t, "long notes", rec)
	var said []string
	for _, a := range rec.Actions {
		if a, ok := a.(*recorder.FillString); ok {
			said = append(said, a.String)
		}
	}
	if got := strings.Count(strings.Join(said, " "), note); got != 4 {
		t.Errorf("%d of 4 notes are whole: %q", got, said)
	}
}

// Where there is no room for all gates, the card lists those that were checked.
func TestTheCardListsTheCheckedGates(t *testing.T) {
	var rec recorder.Canvas
	p := fresh(t, "go")
	var list block.Findings
	for i := range 30 {
		f := block.Finding{Label: "PASS", Name: "checked", Tone: block.Pass}
		if i >= 20 {
			f = block.Finding{Label: "SKIPPED", Name: "left out", Tone: block.Skipped}
		}
		list = append(list, f)
	}
	doc := &block.Doc{Rest: []block.Section{{Blocks: []block.Block{list}}}}
	c := &card{Canvas: draw.NewCanvas(&rec, cardWidth, cardHeight), fonts: p.letters(), doc: doc, y: 110}
	c.gates()
	var shown, left int
	for _, a := range rec.Actions {
		if a, ok := a.(*recorder.FillString); ok {
			shown += b2i(a.String == "checked")
			left += b2i(a.String == "left out")
		}
	}
	if shown != 20 || left != 0 {
		t.Errorf("%d checked gates and %d others are listed, want 20 and 0", shown, left)
	}
}

// The lazy reward is that of the audited items: where it is above the model's, its tile has what
// the model earns on these.
func TestTheLazyRewardNamesItsItems(t *testing.T) {
	r := reporttest.Load(t, "go")
	r.Grader = &analysis.Grader{
		Guessable: &stat.Estimate{Value: stat.FiniteOrNil(0.7), Items: 40}, GuessableAnswer: "```\n12.4 %\n```",
		GuessableGain: &stat.Estimate{Value: stat.FiniteOrNil(0.25)},
	}
	tiles := mainNumbers(r, &english)
	if got, want := tiles[len(tiles)-1].About, "40 items of the audit, on which the model earns 0.45; what one answer earns if it is "+
		"given to every item: “``` / 12.4 % / ```”"; got != want {
		t.Errorf("the tile says %q, want %q", got, want)
	}
	r.Grader.GuessableGain.Value = stat.FiniteOrNil(-0.1)
	tiles = mainNumbers(r, &english)
	if got := tiles[len(tiles)-1].About; !strings.HasPrefix(got, "40 items of the audit; what") {
		t.Errorf("below the model's the tile says %q", got)
	}
}
