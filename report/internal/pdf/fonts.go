package pdf

import (
	"image/color"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"gonogo/report/internal/typeface"
)

// Style is the look of text.
type Style struct {
	Face  typeface.Style
	Size  float64
	Color color.RGBA
}

// leading is the height of a line, as a multiple of the text size.
const leading = 1.32

// hole replaces a rune that cannot be drawn.
const hole = '□'

// openBox is how reports write a space that a reader could miss; dot replaces it if no font has it.
const openBox, dot = '␣', '·'

// largest is the largest rune that fpdf supports: it panics on larger ones.
const largest = 0xFFFE

// fonts are the builtin faces by style, and the fallback faces, which act as one.
type fonts struct {
	builtin  []*typeface.Face
	fallback func() []*typeface.Face
	missing  map[rune]bool
}

func newFonts(fallback func() []*typeface.Face) *fonts {
	if fallback == nil {
		fallback = func() []*typeface.Face { return nil }
	}
	f := &fonts{fallback: sync.OnceValue(fallback), missing: map[rune]bool{}}
	for _, s := range []typeface.Style{typeface.Regular, typeface.Bold, typeface.Mono} {
		f.builtin = append(f.builtin, typeface.Builtin(s))
	}
	return f
}

// beyond is the place of the fallback faces. A place is a number for a face: the style of a builtin
// one, or beyond.
const beyond = int(typeface.Mono) + 1

// face returns the place of the face that draws r in a style; false if no face does.
func (f *fonts) face(r rune, s typeface.Style) (int, bool) {
	switch {
	case f.builtin[s].Has(r):
		return int(s), true
	case f.builtin[typeface.Regular].Has(r):
		return int(typeface.Regular), true
	}
	return beyond, slices.ContainsFunc(f.fallback(), func(f *typeface.Face) bool { return f.Has(r) })
}

// faces returns the faces of a place.
func (f *fonts) faces(place int) []*typeface.Face {
	if place == beyond {
		return f.fallback()
	}
	return f.builtin[place : place+1]
}

// advance returns the width of r in the face of a place, in em, rounded to thousandths as in a PDF.
func (f *fonts) advance(r rune, place int) float64 {
	for _, face := range f.faces(place) {
		if face.Has(r) {
			return float64(int(face.Advance(r)*1000+0.5)) / 1000
		}
	}
	return 0
}

// drawable returns s with a box in place of everything that cannot be shown: broken UTF-8, control
// and format characters, and runes that no font has. Line ends and tabs become spaces.
func (f *fonts) drawable(s string, style typeface.Style) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f
	}
	if plain {
		return s
	}
	out := make([]rune, 0, len(s))
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		switch {
		case r == utf8.RuneError && size <= 1:
			r = hole
		case r == '\n' || r == '\t' || r == '\r':
			r = ' '
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
			r = hole
		default:
			switch _, ok := f.face(r, style); {
			case !ok && r == openBox:
				r = dot
			case !ok || r > largest:
				f.missing[r] = true
				r = hole
			}
		}
		out = append(out, r)
	}
	return string(out)
}

// width returns the width of a drawable text, in points.
func (f *fonts) width(s string, sty Style) float64 {
	w := 0.0
	for _, r := range s {
		place, _ := f.face(r, sty.Face)
		w += f.advance(r, place)
	}
	return w * sty.Size
}
