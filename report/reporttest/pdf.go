package reporttest

import (
	"bytes"
	"compress/zlib"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"gonogo/report/internal/typeface"
)

// PDFPage is the text of a page, read back from a PDF of gonogo.
type PDFPage struct {
	Width, Height float64
	Texts         []PDFText
	Lines         PDFBox // encloses all lines and areas
}

// PDFText is a piece of text and its approximate bounding box.
type PDFText struct {
	Text string
	Box  PDFBox
}

// PDFBox is a box in points from the bottom left corner of the page.
type PDFBox struct{ X0, Y0, X1, Y1 float64 }

func (b *PDFBox) grow(x, y float64) {
	*b = PDFBox{math.Min(b.X0, x), math.Min(b.Y0, y), math.Max(b.X1, x), math.Max(b.Y1, y)}
}

func nowhere() PDFBox { return PDFBox{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} }

// Flat returns the text of pages without any spaces, so that it does not depend on line breaks.
func Flat(pages ...PDFPage) string {
	var b strings.Builder
	for _, p := range pages {
		for _, t := range p.Texts {
			b.WriteString(t.Text)
		}
	}
	return Squeeze(b.String())
}

// Running returns the text of pages with a space between its pieces.
func Running(pages ...PDFPage) string {
	var list []string
	for _, p := range pages {
		for _, t := range p.Texts {
			list = append(list, t.Text)
		}
	}
	return strings.Join(list, " ")
}

// Squeeze removes all white space, to search for a text in the result of Flat.
func Squeeze(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \u00a0\t\r\n", r) }),
		"")
}

var (
	pdfStream = regexp.MustCompile(`(?s)/Length \d+>>\nstream\n(.*?)\nendstream`)
	pdfFont   = regexp.MustCompile(`/F([0-9a-f]+) (\d+) 0 R`)
	pdfBox    = regexp.MustCompile(`/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]`)
)

// ReadPDF reads back the pages of a PDF written by package pdf. It only supports the part of the
// format that such a file uses.
func ReadPDF(t testing.TB, data []byte) []PDFPage {
	t.Helper()
	fonts := map[string]string{}
	for _, m := range pdfFont.FindAllSubmatch(data, -1) {
		name := regexp.MustCompile(`\n` + string(m[2]) +
			` 0 obj\n<</Type /Font\n/Subtype /Type0\n/BaseFont /utf8(\w+)`).FindSubmatch(data)
		if name != nil {
			fonts["F"+string(m[1])] = string(name[1])
		}
	}
	size := pdfBox.FindSubmatch(data)
	if size == nil {
		t.Fatal("the PDF has no size of its pages")
	}
	var pages []PDFPage
	for _, m := range pdfStream.FindAllSubmatch(data, -1) {
		r, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil || !bytes.Contains(text, []byte(" Tj ET")) {
			continue
		}
		p := pdfReader{fonts: fonts, faces: map[string]*typeface.Face{
			"text": typeface.Builtin(typeface.Regular), "strong": typeface.Builtin(typeface.Bold),
			"code": typeface.Builtin(typeface.Mono),
		}, states: []pdfState{{m: [6]float64{1, 0, 0, 1, 0, 0}}}}
		p.page.Lines = nowhere()
		p.page.Width, _ = strconv.ParseFloat(string(size[1]), 64)
		p.page.Height, _ = strconv.ParseFloat(string(size[2]), 64)
		p.read(text)
		pages = append(pages, p.page)
	}
	return pages
}

type pdfState struct {
	m    [6]float64
	font string
	size float64
}

type pdfReader struct {
	fonts  map[string]string
	faces  map[string]*typeface.Face
	states []pdfState
	page   PDFPage

	args []string // operands of the next operator
	x, y float64  // where the next text begins
}

// read executes the operators of a page one by one.
func (p *pdfReader) read(s []byte) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '(':
			var text []byte
			for i++; s[i] != ')'; i++ {
				if s[i] == '\\' {
					if i++; s[i] == 'r' {
						s[i] = '\r'
					}
				}
				text = append(text, s[i])
			}
			p.args = append(p.args, string(text))
			i++
		case strings.IndexByte(" \n[]", c) >= 0:
			i++
		default:
			end := i + 1
			for end < len(s) && strings.IndexByte(" \n[](", s[end]) < 0 {
				end++
			}
			word := string(s[i:end])
			if i = end; strings.IndexByte("-.0123456789/", word[0]) >= 0 {
				p.args = append(p.args, word)
				continue
			}
			p.operator(word)
			p.args = p.args[:0]
		}
	}
}

func (p *pdfReader) number(i int) float64 {
	x, _ := strconv.ParseFloat(p.args[i], 64)
	return x
}

func (p *pdfReader) operator(name string) {
	now := &p.states[len(p.states)-1]
	switch name {
	case "q":
		p.states = append(p.states, *now)
	case "Q":
		p.states = p.states[:len(p.states)-1]
	case "cm":
		n, m := [6]float64{}, now.m
		for i := range n {
			n[i] = p.number(i)
		}
		now.m = [6]float64{
			n[0]*m[0] + n[1]*m[2], n[0]*m[1] + n[1]*m[3], n[2]*m[0] + n[3]*m[2], n[2]*m[1] + n[3]*m[3],
			n[4]*m[0] + n[5]*m[2] + m[4], n[4]*m[1] + n[5]*m[3] + m[5],
		}
	case "Tf":
		now.font, now.size = p.fonts[strings.TrimPrefix(p.args[0], "/")], p.number(1)
	case "Td":
		p.x, p.y = p.number(0), p.number(1)
	case "Tj":
		p.text(p.args[0], *now)
	case "m", "l", "c", "v":
		for i := 0; i+1 < len(p.args); i += 2 {
			p.page.Lines.grow(now.toPage(p.number(i), p.number(i+1)))
		}
	}
}

func (s pdfState) toPage(x, y float64) (float64, float64) {
	return s.m[0]*x + s.m[2]*y + s.m[4], s.m[1]*x + s.m[3]*y + s.m[5]
}

func (p *pdfReader) text(raw string, now pdfState) {
	var units []uint16
	for i := 0; i+1 < len(raw); i += 2 {
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	s := string(utf16.Decode(units))
	width := float64(len(units)) // for a system font, whose glyphs are at most one em wide
	if face := p.faces[now.font]; face != nil {
		width = face.Width(s)
	}
	box := nowhere()
	for _, corner := range [][2]float64{{0, -0.2}, {width, -0.2}, {0, 0.7}, {width, 0.7}} {
		box.grow(now.toPage(p.x+corner[0]*now.size, p.y+corner[1]*now.size))
	}
	p.page.Texts = append(p.page.Texts, PDFText{s, box})
}
