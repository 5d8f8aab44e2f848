package chart

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// box stands for a rune that cannot be drawn: a visible gap, never a silent
// one.
const box = '□'

// Drawable returns s with every rune that the font lacks, and every rune that
// would steer instead of show (controls, direction marks, joiners), replaced
// by a visible box. Line ends and tabs become spaces.
func Drawable(s string, sty text.Style) string {
	face := font.DefaultCache.Lookup(sty.Font, sty.Font.Size)
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		switch {
		case r == utf8.RuneError && size <= 1:
			r = box
		case r == '\n' || r == '\t' || r == '\r':
			r = ' '
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Mn, unicode.Me):
			r = box
		default:
			// A nil buffer is allowed; 0 is the glyph "not there".
			if i, err := face.Face.GlyphIndex(nil, r); err != nil || i == 0 {
				r = box
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Fit returns s cut, with an ellipsis, to be no wider than width.
func Fit(s string, sty text.Style, width vg.Length) string {
	const longest = 400 // runes: measuring more would only cost time
	runes := []rune(s)
	if len(runes) > longest {
		runes = runes[:longest]
		s = string(runes) + "…"
	}
	if sty.Width(s) <= width {
		return s
	}
	lo, hi := 0, len(runes)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if sty.Width(string(runes[:mid])+"…") <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return strings.TrimRight(string(runes[:lo]), " ") + "…"
}

// Wrap breaks s at spaces into lines no wider than width, at most max of
// them; the last is cut with an ellipsis when words are left over.
func Wrap(s string, sty text.Style, width vg.Length, max int) []string {
	var lines []string
	line := ""
	words := unbroken(s)
	for i, word := range words {
		next := word
		if line != "" {
			next = line + " " + word
		}
		if line == "" || sty.Width(next) <= width {
			line = next
			continue
		}
		if len(lines) == max-1 {
			line += " " + strings.Join(words[i:], " ")
			break
		}
		lines = append(lines, Fit(line, sty, width))
		line = word
	}
	if line != "" {
		lines = append(lines, Fit(line, sty, width))
	}
	return lines
}

// unbroken are the words of s; a number stays with its percent sign.
func unbroken(s string) []string {
	var words []string
	for _, word := range strings.Fields(s) {
		if last := len(words) - 1; last >= 0 && strings.HasPrefix(word, "%") {
			words[last] += " " + word
			continue
		}
		words = append(words, word)
	}
	return words
}
