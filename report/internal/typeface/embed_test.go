package typeface

import (
	"bytes"
	"math"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

func TestAnEmbeddedFontDrawsWhatItsSourceDraws(t *testing.T) {
	source := Builtin(Bold)
	runes := []rune("zA…Ωя é0B") // out of order, with an empty glyph
	data, err := Embed("Test", []*Face{source}, append(runes, 'A', '中', 0x1F600))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := sfnt.Parse(data)
	if err != nil {
		t.Fatalf("the font cannot be read: %v", err)
	}
	got := newFace(parsed)
	if got.Name != "Test" || parsed.NumGlyphs() != len(runes)+1 {
		t.Errorf("font %q of %d glyphs, want Test of %d", got.Name, parsed.NumGlyphs(), len(runes)+1)
	}
	for _, r := range runes {
		if !got.Has(r) || math.Abs(got.Advance(r)-source.Advance(r)) > 0.0005 {
			t.Errorf("%q: there %v, advance %v, want %v", r, got.Has(r), got.Advance(r), source.Advance(r))
		}
		a, _, errA := source.font.GlyphBounds(&source.buf, source.glyph(r).index, fixed.I(1000), font.HintingNone)
		b, _, errB := got.font.GlyphBounds(&got.buf, got.glyph(r).index, fixed.I(1000), font.HintingNone)
		if near := func(x, y fixed.Int26_6) bool { return x-y < 64 && y-x < 64 }; errA != nil || errB != nil ||
			!near(a.Min.X, b.Min.X) || !near(a.Min.Y, b.Min.Y) || !near(a.Max.X, b.Max.X) || !near(a.Max.Y, b.Max.Y) {
			t.Errorf("%q stands at %v, want %v", r, b, a)
		}
	}
	if got.Has('中') || got.Has(0x1F600) {
		t.Error("a sign that no face has is there")
	}
	again, _ := Embed("Test", []*Face{Builtin(Bold)}, []rune("0A…BΩzé я"))
	if !bytes.Equal(data, again) {
		t.Error("the order of the runes shows in the bytes")
	}
}

func TestAFontWithoutGlyphs(t *testing.T) {
	data, err := Embed("Empty", nil, []rune("abc"))
	if err != nil {
		t.Fatal(err)
	}
	if f, err := sfnt.Parse(data); err != nil || f.NumGlyphs() != 1 {
		t.Errorf("an empty font cannot be read: %v", err)
	}
}

// A sign comes from the first face that has it.
func TestFacesStandInForEachOther(t *testing.T) {
	latin, err := Embed("Latin", []*Face{Builtin(Regular)}, []rune("a"))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := sfnt.Parse(latin)
	if err != nil {
		t.Fatal(err)
	}
	both, err := Embed("Both", []*Face{newFace(parsed), Builtin(Mono)}, []rune("ab"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := sfnt.Parse(both)
	if err != nil {
		t.Fatal(err)
	}
	got := newFace(f)
	if a, b := got.Advance('a'), got.Advance('b'); math.Abs(a-Builtin(Regular).Advance('a')) > 0.001 || math.Abs(b-Builtin(Mono).Advance('b')) > 0.001 {
		t.Errorf("a is %v wide and b %v", a, b)
	}
}

// PostScript outlines are cubic: the quadratic curves must stay within half a
// unit of the em of them, and begin and end where they do.
func TestQuadraticsFollowACubic(t *testing.T) {
	for _, c := range [][4]point{
		{{0, 0, true}, {0, 560, true}, {440, 1000, true}, {1000, 1000, true}}, // a quarter of a circle
		{{0, 0, true}, {100, 900, true}, {900, -900, true}, {1000, 0, true}},  // an S
		{{0, 0, true}, {300, 0, true}, {700, 0, true}, {1000, 0, true}},       // a line
		{{5, 5, true}, {5, 5, true}, {5, 5, true}, {5, 5, true}},              // a point
	} {
		curve := quadratics(c[0], c[1], c[2], c[3])
		if last := curve[len(curve)-1]; last != c[3] {
			t.Errorf("%v ends at %v", c, last)
		}
		from := c[0]
		for i := 0; i < len(curve); i += 2 {
			for _, u := range []float64{0.25, 0.5, 0.75} {
				v := 1 - u
				x := v*v*from.x + 2*u*v*curve[i].x + u*u*curve[i+1].x
				y := v*v*from.y + 2*u*v*curve[i].y + u*u*curve[i+1].y
				if d := distance(c, x, y); d > 0.6 {
					t.Errorf("%v: piece %d of %d is %.2f away", c, i/2, len(curve)/2, d)
				}
			}
			from = curve[i+1]
		}
	}
}

// distance of a point from a cubic curve, by trying.
func distance(c [4]point, x, y float64) float64 {
	best := math.Inf(1)
	for i := range 4001 {
		t := float64(i) / 4000
		u := 1 - t
		px := u*u*u*c[0].x + 3*u*u*t*c[1].x + 3*u*t*t*c[2].x + t*t*t*c[3].x
		py := u*u*u*c[0].y + 3*u*u*t*c[1].y + 3*u*t*t*c[2].y + t*t*t*c[3].y
		best = math.Min(best, math.Hypot(px-x, py-y))
	}
	return best
}
