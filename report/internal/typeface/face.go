package typeface

import (
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font/liberation"
)

// Face is a font for use in one document; it is not safe for concurrent use.
type Face struct {
	Name string // the full name in the font

	font    *sfnt.Font
	trusted bool // glyphs need not be checked: the font is known to be sound
	buf     sfnt.Buffer
	glyphs  map[rune]glyph
}

type glyph struct {
	index   sfnt.GlyphIndex // 0 if the font has no glyph
	advance float64         // in em
}

// Style is the style of a builtin font.
type Style int

// The styles.
const (
	Regular Style = iota
	Bold
	Mono
)

// Builtin returns the Liberation font of a style.
func Builtin(s Style) *Face {
	f := newFace(builtin()[s])
	f.trusted = true
	return f
}

// builtin returns the parsed fonts by style; parsing them is expensive.
var builtin = sync.OnceValue(func() map[Style]*sfnt.Font {
	fonts := map[Style]*sfnt.Font{}
	for _, f := range liberation.Collection() {
		switch d := f.Font; {
		case d.Style != font.StyleNormal:
		case d.Variant == "Sans" && d.Weight == font.WeightNormal:
			fonts[Regular] = f.Face
		case d.Variant == "Sans" && d.Weight == font.WeightBold:
			fonts[Bold] = f.Face
		case d.Variant == "Mono" && d.Weight == font.WeightNormal:
			fonts[Mono] = f.Face
		}
	}
	return fonts
})

func newFace(f *sfnt.Font) *Face {
	face := &Face{font: f, glyphs: map[rune]glyph{}}
	face.Name, _ = f.Name(&face.buf, sfnt.NameIDFull)
	return face
}

// Font returns the parsed font.
func (f *Face) Font() *sfnt.Font { return f.font }

// Has reports whether the font has a readable glyph for r.
func (f *Face) Has(r rune) bool { return f.glyph(r).index != 0 }

// Advance returns the width of r, in em; 0 if the font lacks it.
func (f *Face) Advance(r rune) float64 { return f.glyph(r).advance }

// Width returns the width of a text, in em.
func (f *Face) Width(s string) float64 {
	w := 0.0
	for _, r := range s {
		w += f.glyph(r).advance
	}
	return w
}

func (f *Face) glyph(r rune) glyph {
	g, ok := f.glyphs[r]
	if ok {
		return g
	}
	if i, err := f.font.GlyphIndex(&f.buf, r); err == nil && i != 0 {
		if a, err := f.font.GlyphAdvance(&f.buf, i, f.ppem(), font.HintingNone); err == nil {
			g = glyph{i, float64(a) / float64(f.ppem())}
		}
	}
	f.glyphs[r] = g
	if g.index != 0 && !f.trusted {
		if _, err := f.contours(r); err != nil {
			g = glyph{}
			f.glyphs[r] = g
		}
	}
	return g
}

// ppem returns the size at which one unit of the font is one pixel.
func (f *Face) ppem() fixed.Int26_6 { return fixed.I(int(f.font.UnitsPerEm())) }
