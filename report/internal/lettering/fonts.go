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

// Fonts are what the texts of pictures are measured and drawn with: the
// Liberation fonts, and behind them others for what those lack, such as
// Chinese. They are a text.Handler of one document, not for several
// goroutines. The nil Fonts are the Liberation fonts alone.
type Fonts struct {
	behind  func() []*typeface.Face
	other   bool // callers that draw have their own fonts: no rune becomes a box
	missing map[rune]bool
}

// NewFonts returns fonts with others behind them, which are asked for once,
// when a text needs them.
func NewFonts(behind func() []*typeface.Face) *Fonts {
	return &Fonts{behind: sync.OnceValue(behind), missing: map[rune]bool{}}
}

// External returns fonts for text that another program draws with its own fonts:
// every rune is passed on, and one that no font here has gets a typical width.
func (f *Fonts) External() *Fonts {
	out := NewFonts(func() []*typeface.Face { return nil })
	if f != nil {
		out.behind = f.behind
	}
	out.other = true
	return out
}

// Missing lists the runes that were asked for and that no font has, in order.
func (f *Fonts) Missing() []rune {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.missing))
}

// Style is the house's text style in these fonts.
func (f *Fonts) Style(size vg.Length, strong bool, c color.Color) text.Style {
	sty := Style(size, strong, c)
	sty.Handler = f.Handler()
	return sty
}

// Handler draws texts in these fonts.
func (f *Fonts) Handler() text.Handler {
	if f == nil {
		return plot.DefaultTextHandler
	}
	return f
}

// run is a part of a text that one font draws.
type run struct {
	text string
	face *typeface.Face // nil: the builtin one
}

// runs parts a text by the fonts that draw it.
func (f *Fonts) runs(s string, of font.Font) []run {
	var list []run
	begin, now := 0, (*typeface.Face)(nil)
	for i, r := range s {
		face, _ := f.face(r, of)
		if face != now && i > begin {
			list = append(list, run{s[begin:i], now})
			begin = i
		}
		now = face
	}
	return append(list, run{s[begin:], now})
}

// has reports whether r can be drawn, and keeps what cannot.
func (f *Fonts) has(r rune, of font.Font) bool {
	if f == nil {
		return builtin(r, of)
	}
	_, ok := f.face(r, of)
	if !ok && !f.other {
		f.missing[r] = true
	}
	return ok || f.other && unicode.IsGraphic(r)
}

// face is the font that draws r: nil is the builtin one; false when none does.
func (f *Fonts) face(r rune, of font.Font) (*typeface.Face, bool) {
	if r < 0x7f || builtin(r, of) {
		return nil, true
	}
	for _, face := range f.behind() {
		if face.Has(r) {
			return face, true
		}
	}
	return nil, false
}

// builtin reports whether the Liberation font has r.
func builtin(r rune, of font.Font) bool {
	// A nil buffer is allowed; 0 is the glyph "not there".
	i, err := font.DefaultCache.Lookup(of, of.Size).Face.GlyphIndex(nil, r)
	return err == nil && i != 0
}

// width is how wide a run is drawn.
func (f *Fonts) width(r run, of font.Font) vg.Length {
	if r.face != nil {
		return vg.Length(r.face.Width(r.text)) * of.Size
	}
	face := font.DefaultCache.Lookup(of, of.Size)
	if !f.other {
		return face.Width(r.text)
	}
	assumed := vg.Length(0)
	known := strings.Map(func(c rune) rune {
		if c < 0x7f || builtin(c, of) {
			return c
		}
		assumed += vg.Length(uniseg.StringWidth(string(c))) / 2 * of.Size // Chinese is set in squares
		return -1
	}, r.text)
	return face.Width(known) + assumed
}

// plain is the handler of texts that the builtin fonts draw.
func (f *Fonts) plain() text.Plain { return text.Plain{Fonts: font.DefaultCache} }

// Cache implements text.Handler, like those that follow. Lines of all fonts are
// as high as those of Liberation.
func (f *Fonts) Cache() *font.Cache { return font.DefaultCache }

func (f *Fonts) Extents(of font.Font) font.Extents { return f.plain().Extents(of) }

func (f *Fonts) Lines(txt string) []string { return f.plain().Lines(txt) }

func (f *Fonts) Box(txt string, of font.Font) (width, height, depth vg.Length) {
	for _, r := range f.runs(txt, of) {
		width += f.width(r, of)
	}
	e := f.Extents(of)
	return width, e.Ascent, e.Descent
}

// Draw draws the runs of a line side by side; what another program draws stays
// whole.
func (f *Fonts) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	if txt == "" {
		return
	}
	runs := f.runs(txt, sty.Font)
	if f.other {
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
		// a font of the machine has no bold: its letters get an edge
		if r.face != nil && sty.Font.Weight > 0 && pixels(c) {
			c.FillString(face, vg.Point{X: x + sty.Font.Size*0.045, Y: y}, r.text)
		}
		x += f.width(r, sty.Font)
	}
}

// pixels reports whether letters become pixels here, and nowhere else.
func pixels(c vg.Canvas) bool {
	if d, ok := c.(*draw.Canvas); ok {
		c = d.Canvas
	}
	_, ok := c.(*vgimg.Canvas)
	return ok
}

// bold is font.WeightBold of golang.org/x/image.
const bold = 3

// Style returns the house's sans text style, anchored at its left top.
func Style(size vg.Length, strong bool, c color.Color) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if strong {
		f.Weight = bold
	}
	return text.Style{Color: c, Font: f, XAlign: draw.XLeft, YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}
