package lettering

import (
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/rivo/uniseg"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"gonogo/report/internal/typeface"
)

// Fonts measure and draw the texts of pictures: the Liberation fonts, and fallback fonts for runes
// that those lack, such as Chinese. They are a text.Handler for one document and not safe for
// concurrent use. Nil Fonts are the Liberation fonts only.
type Fonts struct {
	fallback func() []*typeface.Face
	external bool // another program draws with its own fonts: no rune becomes a box
	missing  map[rune]bool
}

// NewFonts returns fonts that use the faces of fallback, which is called at most once, when a text
// needs them.
func NewFonts(fallback func() []*typeface.Face) *Fonts {
	return &Fonts{fallback: sync.OnceValue(fallback), missing: map[rune]bool{}}
}

// External returns fonts for text that another program draws with its own fonts: every graphic rune
// is passed on, and one that no font here has is measured with a typical width.
func (f *Fonts) External() *Fonts {
	out := NewFonts(func() []*typeface.Face { return nil })
	if f != nil {
		out.fallback = f.fallback
	}
	out.external = true
	return out
}

// Missing lists the runes that were needed and that no font has, in order.
func (f *Fonts) Missing() []rune {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.missing))
}

// Style returns the house text style in these fonts.
func (f *Fonts) Style(size vg.Length, strong bool, c color.Color) text.Style {
	sty := Style(size, strong, c)
	sty.Handler = f.Handler()
	return sty
}

// Handler returns a handler that draws texts in these fonts.
func (f *Fonts) Handler() text.Handler {
	if f == nil {
		return plot.DefaultTextHandler
	}
	return f
}

// run is a part of a text that a single font draws.
type run struct {
	text string
	face *typeface.Face // nil: the builtin one
}

// runs splits a text by the fonts that draw it.
func (f *Fonts) runs(s string, fnt font.Font) []run {
	var list []run
	begin, now := 0, (*typeface.Face)(nil)
	for i, r := range s {
		face, _ := f.face(r, fnt)
		if face != now && i > begin {
			list = append(list, run{s[begin:i], now})
			begin = i
		}
		now = face
	}
	return append(list, run{s[begin:], now})
}

// has reports whether r can be drawn, and adds it to missing if not.
func (f *Fonts) has(r rune, fnt font.Font) bool {
	if f == nil {
		return builtin(r, fnt)
	}
	_, ok := f.face(r, fnt)
	if !ok && !f.external {
		f.missing[r] = true
	}
	return ok || f.external && unicode.IsGraphic(r)
}

// face returns the font that draws r, nil for the builtin one, and false if none does.
func (f *Fonts) face(r rune, fnt font.Font) (*typeface.Face, bool) {
	if r < 0x7f || builtin(r, fnt) {
		return nil, true
	}
	for _, face := range f.fallback() {
		if face.Has(r) {
			return face, true
		}
	}
	return nil, false
}

// builtin reports whether the Liberation font has r.
func builtin(r rune, fnt font.Font) bool {
	// A nil buffer is allowed; 0 is the glyph for missing ones.
	i, err := font.DefaultCache.Lookup(fnt, fnt.Size).Face.GlyphIndex(nil, r)
	return err == nil && i != 0
}

// width returns the width of a run as drawn.
func (f *Fonts) width(r run, fnt font.Font) vg.Length {
	if r.face != nil {
		return vg.Length(r.face.Width(r.text)) * fnt.Size
	}
	face := font.DefaultCache.Lookup(fnt, fnt.Size)
	if !f.external {
		return face.Width(r.text)
	}
	assumed := vg.Length(0)
	known := strings.Map(func(c rune) rune {
		if c < 0x7f || builtin(c, fnt) {
			return c
		}
		assumed += vg.Length(uniseg.StringWidth(string(c))) / 2 * fnt.Size // Chinese characters are squares
		return -1
	}, r.text)
	return face.Width(known) + assumed
}

// plain returns the handler of texts in the builtin fonts.
func (f *Fonts) plain() text.Plain { return text.Plain{Fonts: font.DefaultCache} }

// Cache implements text.Handler, as do the methods below. Lines have the height of Liberation lines
// in every font.
func (f *Fonts) Cache() *font.Cache { return font.DefaultCache }

func (f *Fonts) Extents(fnt font.Font) font.Extents { return f.plain().Extents(fnt) }

func (f *Fonts) Lines(txt string) []string { return f.plain().Lines(txt) }

func (f *Fonts) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	for _, r := range f.runs(txt, fnt) {
		width += f.width(r, fnt)
	}
	e := f.Extents(fnt)
	return width, e.Ascent, e.Descent
}

// Draw draws the runs of a line side by side; text for another program is drawn in one piece.
func (f *Fonts) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	if txt == "" {
		return
	}
	runs := f.runs(txt, sty.Font)
	if f.external {
		runs = []run{{text: txt}}
	}
	width, ascent, descent := f.Box(txt, sty.Font)
	c.SetColor(sty.Color)
	if sty.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(sty.Rotation)
	}
	sin, cos := math.Sincos(sty.Rotation)
	x := pt.Y*vg.Length(sin) + pt.X*vg.Length(cos) + vg.Length(sty.XAlign)*width
	y := pt.Y*vg.Length(cos) - pt.X*vg.Length(sin) + vg.Length(sty.YAlign)*(ascent+descent) - ascent + sty.Font.Size
	for _, r := range runs {
		face := font.DefaultCache.Lookup(sty.Font, sty.Font.Size)
		if r.face != nil {
			face.Face = r.face.Font()
		}
		c.FillString(face, vg.Point{X: x, Y: y}, r.text)
		// a system font has no bold face: drawing it twice makes its letters thicker
		if r.face != nil && sty.Font.Weight > 0 && pixels(c) {
			c.FillString(face, vg.Point{X: x + sty.Font.Size*0.045, Y: y}, r.text)
		}
		x += f.width(r, sty.Font)
	}
}

// pixels reports whether c draws into pixels.
func pixels(c vg.Canvas) bool {
	switch c := c.(type) {
	case *draw.Canvas:
		return pixels(c.Canvas)
	case draw.Canvas: // inside that of draw.New
		return pixels(c.Canvas)
	case *vgimg.Canvas:
		return true
	}
	return false
}

// bold is font.WeightBold of golang.org/x/image.
const bold = 3

// Style returns the house sans-serif text style, anchored at the top left.
func Style(size vg.Length, strong bool, c color.Color) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if strong {
		f.Weight = bold
	}
	return text.Style{Color: c, Font: f, XAlign: draw.XLeft, YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}
