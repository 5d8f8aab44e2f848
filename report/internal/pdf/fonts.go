package pdf

import (
	"image/color"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"gonogo/report/internal/typeface"
)

// Style is how text looks.
type Style struct {
	Face  typeface.Style
	Size  float64
	Color color.RGBA
}

// leading is the height of a line, in the size of its text.
const leading = 1.32

// hole stands for a rune that cannot be drawn.
const hole = '□'

// openBox is how reports write a space that a reader could miss, and dot how it is used
// if no font has that.
const openBox, dot = '␣', '·'

// largest is the largest rune that fpdf bears: it panics on the next.
const largest = 0xFFFE

// fonts are the builtin faces by style, and those of the machine behind them,
// which act as one.
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

// beyond is the place of the faces behind the builtin ones, where pieces name
// a face.
const beyond = int(typeface.Mono) + 1

// face is the place of the face that draws r in a style; false when there is
// none.
func (f *fonts) face(r rune, s typeface.Style) (int, bool) {
	switch {
	case f.builtin[s].Has(r):
		return int(s), true
	case f.builtin[typeface.Regular].Has(r):
		return int(typeface.Regular), true
	}
	return beyond, slices.ContainsFunc(f.fallback(), func(f *typeface.Face) bool { return f.Has(r) })
}

// behind are the faces of a place.
func (f *fonts) behind(place int) []*typeface.Face {
	if place == beyond {
		return f.fallback()
	}
	return f.builtin[place : place+1]
}

// advance is how wide r is in a face, in em. PDF viewers know widths in
// thousandths, and so does this.
func (f *fonts) advance(r rune, place int) float64 {
	for _, face := range f.behind(place) {
		if face.Has(r) {
			return float64(int(face.Advance(r)*1000+0.5)) / 1000
		}
	}
	return 0
}

// drawable returns s with everything that cannot be shown as a box: broken
// UTF-8, what steers instead of shows, and what no font has. Line ends and tabs
// become spaces.
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

// width is how wide a drawable text is, in points.
func (f *fonts) width(s string, sty Style) float64 {
	w := 0.0
	for _, r := range s {
		place, _ := f.face(r, sty.Face)
		w += f.advance(r, place)
	}
	return w * sty.Size
}
