package pdf

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// line is one line of a paragraph.
type line struct {
	pieces []piece
	width  float64
	height float64
}

// piece is text of one style and one face.
type piece struct {
	text  string
	style Style
	place int // of the face
	width float64
}

// ops draws the line with its top left corner at x, y.
func (l line) ops(x, y float64) []op {
	var list []op
	for _, p := range l.pieces {
		const ascent = 0.905 // of Liberation, in em
		baseline := y + (l.height-p.style.Size*1.117)/2 + p.style.Size*ascent
		list = append(list, &text{x: x, y: baseline, piece: p})
		x += p.width
	}
	return list
}

// longest limits the text of one span, in bytes: many pages.
const longest = 64 << 10

// wrap breaks a paragraph into lines no wider than width, where UAX #14 allows it. A word wider
// than that is broken between grapheme clusters. most limits the number of lines if it is above 0.
func (f *fonts) wrap(spans []Span, width float64, most int) []line {
	all, ends := "", []int(nil)
	for _, s := range spans {
		if len(s.Text) > longest {
			s.Text = s.Text[:longest] + "…"
		}
		all += f.drawable(s.Text, s.Style.Face)
		ends = append(ends, len(all))
	}
	b := breaker{fonts: f, spans: spans, all: all, ends: ends, width: width, most: most}
	return b.lines()
}

// breaker breaks one paragraph.
type breaker struct {
	*fonts
	spans []Span
	all   string
	ends  []int // offsets in all at which the spans end
	width float64
	most  int

	from, to int     // the current line
	filled   float64 // its width
	done     []line
}

func (b *breaker) lines() []line {
	if w := b.measure(0, len(b.all)); w <= b.width { // most texts fit on one line
		b.to = len(b.all)
		b.end()
		return b.done
	}
	state, n := -1, 0
	for rest := b.all; rest != ""; {
		segment, after, must, next := uniseg.FirstLineSegmentInString(rest, state)
		rest, state, n = after, next, n+len(segment)
		if text := strings.TrimRight(segment, " "); strings.HasPrefix(rest, "%") || text == "≤" || text == "≥" {
			continue // a number stays with its signs
		}
		segment, n = b.all[len(b.all)-len(rest)-n:len(b.all)-len(rest)], 0
		if !b.add(len(segment)) {
			return b.done
		}
		if must && rest != "" && !b.end() {
			return b.done
		}
	}
	b.end()
	return b.done
}

// add adds n bytes to the current line, or to lines below it. It returns false if no more lines are
// allowed.
func (b *breaker) add(n int) bool {
	end := b.to + n
	trimmed := b.to + len(strings.TrimRight(b.all[b.to:end], " "))
	if b.filled+b.measure(b.to, trimmed) <= b.width {
		b.take(end)
		return true
	}
	if b.to > b.from && !b.end() {
		return false
	}
	for b.measure(b.to, trimmed) > b.width { // wider than a line
		cut := b.to
		for state, w := -1, 0.0; cut < trimmed; {
			var cluster string
			cluster, _, _, state = uniseg.FirstGraphemeClusterInString(b.all[cut:trimmed], state)
			if w += b.measure(cut, cut+len(cluster)); w > b.width && cut > b.to {
				break
			}
			cut += len(cluster)
		}
		b.take(cut)
		if !b.end() {
			return false
		}
	}
	b.take(end)
	return true
}

func (b *breaker) take(end int) {
	b.filled += b.measure(b.to, end)
	b.to = end
}

// measure returns the width of part of the paragraph.
func (b *breaker) measure(from, to int) float64 {
	w, begin := 0.0, 0
	for i, end := range b.ends {
		if lo, hi := max(from, begin), min(to, end); lo < hi {
			w += b.fonts.width(b.all[lo:hi], b.spans[i].Style)
		}
		begin = end
	}
	return w
}

// end ends the current line. It returns false if that was the last line allowed; if text is left
// over, that line ends with an ellipsis.
func (b *breaker) end() bool {
	last := b.most > 0 && len(b.done) == b.most-1
	to := b.from + len(strings.TrimRight(b.all[b.from:b.to], " "))
	var l line
	begin := 0
	for i, end := range b.ends {
		if lo, hi := max(b.from, begin), min(to, end); lo < hi {
			l.pieces = append(l.pieces, b.pieces(visual(b.all[lo:hi]), b.spans[i].Style)...)
		}
		l.height = max(l.height, b.spans[i].Style.Size*leading)
		begin = end
	}
	for _, p := range l.pieces {
		l.width += p.width
	}
	if last && strings.TrimSpace(b.all[b.to:]) != "" {
		l = b.cut(l, b.width)
	}
	b.done = append(b.done, l)
	b.from, b.filled = b.to, 0
	return !last
}

// cut shortens a line so that an ellipsis fits behind it.
func (b *breaker) cut(l line, width float64) line {
	const mark = "…"
	for len(l.pieces) > 0 {
		last := &l.pieces[len(l.pieces)-1]
		w := b.fonts.width(mark, last.style)
		if l.width+w <= width || last.text == "" && len(l.pieces) == 1 {
			more := b.pieces(mark, last.style)
			l.pieces, l.width = append(l.pieces, more...), l.width+w
			return l
		}
		if last.text == "" {
			l.pieces = l.pieces[:len(l.pieces)-1]
			continue
		}
		_, size := utf8.DecodeLastRuneInString(last.text)
		last.text = last.text[:len(last.text)-size]
		l.width -= last.width
		last.width = 0
		for _, r := range last.text {
			last.width += b.advance(r, last.place) * last.style.Size
		}
		l.width += last.width
	}
	return l
}

// pieces splits a drawable text by the faces that draw it.
func (f *fonts) pieces(s string, sty Style) []piece {
	var list []piece
	for _, r := range s {
		place, _ := f.face(r, sty.Face)
		if n := len(list); n == 0 || list[n-1].place != place {
			list = append(list, piece{style: sty, place: place})
		}
		p := &list[len(list)-1]
		p.text += string(r)
		p.width += f.advance(r, place) * sty.Size
	}
	return list
}

// fit returns a single line of at most width, cut if necessary.
func (f *fonts) fit(s string, sty Style, width float64) line {
	lines := f.wrap([]Span{{s, sty}}, width, 1)
	if len(lines) == 0 {
		return line{height: sty.Size * leading}
	}
	return lines[0]
}
