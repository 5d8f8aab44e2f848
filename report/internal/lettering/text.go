package lettering

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// box replaces a rune that cannot be drawn, so that the gap is visible.
const box = '□'

// Drawable returns s with a visible box in place of every rune that the fonts lack and every rune
// that controls layout (controls, direction marks, joiners, combining marks). Line ends and tabs
// become spaces.
func Drawable(s string, sty text.Style) string {
	fonts, _ := sty.Handler.(*Fonts)
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
			if !fonts.has(r, sty.Font) {
				r = box
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Fit returns s, cut with an ellipsis if it is wider than width. A quotation that is cut is closed.
func Fit(s string, sty text.Style, width vg.Length) string { return fit("", s, sty, width) }

// fit is Fit for the end of a text, of which before is the beginning.
func fit(before, s string, sty text.Style, width vg.Length) string {
	mark := "…"
	n, fits := fitting(s, mark, sty, width)
	if fits {
		return s
	}
	kept := before + s[:n]
	if strings.LastIndex(kept, "“") > strings.LastIndex(kept, "”") && strings.Contains(s[n:], "”") {
		mark = "…”"
		n, _ = fitting(s, mark, sty, width)
	}
	return strings.TrimRight(s[:n], " ") + mark
}

// beginning returns the part of a text that fits on a line; "" if all of it fits, or nothing.
func beginning(s string, sty text.Style, width vg.Length) string {
	n, fits := fitting(s, "", sty, width)
	if fits {
		return ""
	}
	return s[:n]
}

// fitting returns how many bytes of s fit in front of mark, and whether all of s fits without it.
func fitting(s, mark string, sty text.Style, width vg.Length) (n int, fits bool) {
	const longest = 400 // runes; measuring more would only take time
	runes := []rune(s)
	fits = len(runes) <= longest
	if !fits {
		runes = runes[:longest]
	}
	if fits && sty.Width(s) <= width {
		return len(s), true
	}
	lo, hi := 0, len(runes)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if sty.Width(string(runes[:mid])+mark) <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return len(string(runes[:lo])), false
}

// Wrap breaks s into at most maxLines lines no wider than width, at spaces, and between Chinese and
// Japanese characters where UAX #14 allows it. If the text is longer, the last line is cut with an
// ellipsis.
func Wrap(s string, sty text.Style, width vg.Length, maxLines int) []string {
	var lines []string
	line := ""
	words := unbroken(s)
	for i := 0; i < len(words); i++ {
		word := words[i]
		if line == "" && len(lines) < maxLines-1 { // a word longer than a line continues on the next
			if head := beginning(strings.TrimLeft(word, " "), sty, width); head != "" {
				lines = append(lines, head)
				words[i] = strings.TrimPrefix(strings.TrimLeft(word, " "), head)
				i--
				continue
			}
		}
		next := line + word
		if line == "" {
			next = strings.TrimLeft(word, " ")
		}
		if line == "" || sty.Width(next) <= width {
			line = next
			continue
		}
		if len(lines) == maxLines-1 {
			line += strings.Join(words[i:], "")
			break
		}
		lines = append(lines, Fit(line, sty, width))
		line = ""
		i--
	}
	if line != "" {
		lines = append(lines, fit(strings.Join(lines, ""), line, sty, width))
	}
	return lines
}

// unbroken returns the parts of s that stay on one line, each with the space before it. A number
// stays with its percent sign, and with the comparison sign before it.
func unbroken(s string) []string {
	var words []string
	for _, word := range strings.Fields(s) {
		if last := len(words) - 1; last >= 0 &&
			(strings.HasPrefix(word, "%") || strings.Trim(words[last], " ≤≥<>±") == "") {
			words[last] += " " + word
			continue
		}
		space := ""
		if len(words) > 0 {
			space = " "
		}
		for _, part := range parts(word) {
			words, space = append(words, space+part), ""
		}
	}
	return words
}

// parts breaks a word next to square characters, but not before the last of them: a single
// character makes a poor line.
func parts(word string) []string {
	if !strings.ContainsFunc(word, square) {
		return []string{word}
	}
	var list []string
	begin, state := 0, -1
	for rest := word; rest != ""; {
		var segment string
		segment, rest, _, state = uniseg.FirstLineSegmentInString(rest, state)
		end := len(word) - len(rest)
		before, _ := utf8.DecodeLastRuneInString(segment)
		after, _ := utf8.DecodeRuneInString(rest)
		if rest == "" || square(before) || square(after) {
			list = append(list, word[begin:end])
			begin = end
		}
	}
	if n := len(list); n > 1 && utf8.RuneCountInString(list[n-1]) == 1 {
		list = append(list[:n-2], list[n-2]+list[n-1])
	}
	return list
}

// square reports whether a character is as wide as it is high.
func square(r rune) bool { return r > 0x10ff && uniseg.StringWidth(string(r)) == 2 }
