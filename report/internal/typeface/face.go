package typeface

import (
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font/liberation"
)

// Face is one font, as one document uses it: it is not for several goroutines.
type Face struct {
	Name string // of the font, as it calls itself

	font   *sfnt.Font
	tried  bool // it is known to be sound: glyphs are taken at their word
	buf    sfnt.Buffer
	glyphs map[rune]glyph
}

type glyph struct {
	index   sfnt.GlyphIndex // 0 when the font has none
	advance float64         // in em
}

// Style is one of the styles that are always there.
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
	f.tried = true
	return f
}

// builtin are the parsed fonts by style; parsing them is the dear part.
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

// Font is the parsed font.
func (f *Face) Font() *sfnt.Font { return f.font }

// Has reports whether the font has a glyph for r that can be read.
func (f *Face) Has(r rune) bool { return f.glyph(r).index != 0 }

// Advance is how wide r is, in em; 0 for a rune the font lacks.
func (f *Face) Advance(r rune) float64 { return f.glyph(r).advance }

// Width is how wide a text is, in em.
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
	if g.index != 0 && !f.tried {
		if _, err := f.contours(r); err != nil {
			g = glyph{}
			f.glyphs[r] = g
		}
	}
	return g
}

// ppem is the size at which a unit of the font is one pixel.
func (f *Face) ppem() fixed.Int26_6 { return fixed.I(int(f.font.UnitsPerEm())) }
