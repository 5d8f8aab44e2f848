package pdf

import (
	"fmt"
	"image/color"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"gonogo/report/internal/typeface"
)

// faceNames are the names of the faces in the PDF, by place.
var faceNames = [...]string{"Text", "Strong", "Code", "Other"}

// Write writes the document. The same document gives the same bytes.
func (d *Doc) Write(w io.Writer) error {
	d.settle()
	p := fpdf.NewCustom(&fpdf.InitType{
		UnitStr: "pt",
		Size:    fpdf.SizeType{Wd: d.opt.Paper.Width, Ht: d.opt.Paper.Height},
	})
	p.SetAutoPageBreak(false, 0)
	p.SetMargins(0, 0, 0)
	p.SetCatalogSort(true)
	made := d.opt.Made
	if made.IsZero() {
		made = time.Unix(0, 0)
	}
	p.SetCreationDate(made.UTC())
	p.SetModificationDate(made.UTC())
	property := func(s string) string { return d.fonts.drawable(s, typeface.Regular) }
	p.SetTitle(property(d.opt.Title), true)
	p.SetSubject(property(d.opt.Subject), true)
	p.SetCreator(property(d.opt.Creator), true)
	p.SetLang(d.opt.Language)
	pages := make([][]op, len(d.pages))
	for i := range d.pages {
		pages[i] = slices.Concat(d.pages[i], d.edges(i))
	}
	if err := d.addFonts(p, pages); err != nil {
		return err
	}
	o := output{pdf: p}
	for i, ops := range pages {
		o.page()
		for _, m := range d.marks {
			if m.page == i {
				p.Bookmark(property(m.text), m.level, m.y-4)
			}
		}
		for _, mark := range ops {
			mark.draw(&o)
		}
	}
	if err := p.Output(w); err != nil {
		return fmt.Errorf("write pdf: %w", err)
	}
	return nil
}

// addFonts embeds the runes that the pages need of each face.
func (d *Doc) addFonts(p *fpdf.Fpdf, pages [][]op) error {
	used := [len(faceNames)]map[rune]bool{}
	for i := range used {
		used[i] = map[rune]bool{}
	}
	used[0][hole] = true // bookmarks need a font
	for _, ops := range pages {
		for _, o := range ops {
			if t, ok := o.(*text); ok {
				for _, r := range t.text {
					used[t.place][r] = true
				}
			}
		}
	}
	for place, runes := range used {
		if len(runes) == 0 {
			continue
		}
		font, err := typeface.Embed(faceNames[place], d.fonts.faces(place), slices.Collect(maps.Keys(runes)))
		if err != nil {
			return fmt.Errorf("embed font: %w", err)
		}
		p.AddUTF8FontFromBytes(faceNames[place], "", font)
	}
	return nil
}

// The style of page heads and feet.
var (
	edgeStyle = Style{Size: 7.5, Color: color.RGBA{0x5f, 0x68, 0x74, 255}}
	edgeColor = color.RGBA{0xdf, 0xe3, 0xe8, 255}
)

// edges returns the head and foot of a page.
func (d *Doc) edges(page int) []op {
	const gap, headAt, footAt = 14, 30.0, 32.0
	var ops []op
	put := func(s string, x, y, width float64, right bool) float64 {
		l := d.fonts.fit(s, edgeStyle, width)
		if right {
			x -= l.width
		}
		ops = append(ops, l.ops(x, y)...)
		return l.width
	}
	last := d.opt.Paper.Width - side
	w := put(d.opt.HeadRight, last, headAt, d.Width()*0.6, true)
	put(d.opt.HeadLeft, side, headAt, d.Width()-w-gap, false)
	ops = append(ops, ruleAt(side, last, headAt+13, 0.6, edgeColor))
	foot := d.opt.Paper.Height - footAt
	ops = append(ops, ruleAt(side, last, foot-5, 0.6, edgeColor))
	number := fmt.Sprintf(d.opt.Pages, strconv.Itoa(page+1), strconv.Itoa(len(d.pages)))
	w = put(number, last, foot, d.Width()/2, true)
	put(d.opt.FootLeft, side, foot, d.Width()-w-gap, false)
	return ops
}

// output writes marks, and a setting only if it changes.
type output struct {
	pdf   *fpdf.Fpdf
	color color.NRGBA
	width float64
	dash  []float64
	off   float64
	place int
	size  float64
}

// page begins a page and resets all settings.
func (o *output) page() {
	o.pdf.AddPage()
	pdf := o.pdf
	*o = output{pdf: pdf, place: -1, width: -1}
	o.font(0, 8)
	o.colors(color.NRGBA{A: 255}, true)
}

func (o *output) font(place int, size float64) {
	if place != o.place || size != o.size {
		o.pdf.SetFont(faceNames[place], "", size)
		o.place, o.size = place, size
	}
}

func (o *output) colors(c color.NRGBA, force bool) {
	if c == o.color && !force {
		return
	}
	r, g, b := int(c.R), int(c.G), int(c.B)
	if c.A != o.color.A || force {
		o.pdf.SetAlpha(float64(c.A)/255, "Normal")
	}
	o.pdf.SetFillColor(r, g, b)
	o.pdf.SetDrawColor(r, g, b)
	o.pdf.SetTextColor(r, g, b)
	o.color = c
}

func (t *text) draw(o *output) {
	o.colors(nrgba(t.style.Color), false)
	o.font(t.place, t.style.Size)
	// a fallback font has no bold face: its letters get an outline
	strong := t.place == beyond && t.style.Face == typeface.Bold
	if strong {
		o.stroke(t.style.Size/28, nil, 0)
		o.pdf.SetTextRenderingMode(2)
	}
	if t.angle != 0 {
		o.pdf.TransformBegin()
		o.pdf.TransformRotate(t.angle, t.x, t.y)
	}
	o.pdf.Text(t.x, t.y, t.text)
	if t.angle != 0 {
		o.pdf.TransformEnd()
	}
	if strong {
		o.pdf.SetTextRenderingMode(0)
	}
}

func (o *output) stroke(width float64, dash []float64, off float64) {
	if width != o.width {
		o.pdf.SetLineWidth(width)
		o.width = width
	}
	if off != o.off || !slices.Equal(dash, o.dash) {
		o.pdf.SetDashPattern(dash, off)
		o.dash, o.off = dash, off
	}
}

func (s *shape) draw(o *output) {
	o.colors(s.color, false)
	how := "F"
	if s.stroke {
		o.stroke(s.width, s.dash, s.offset)
		how = "D"
	}
	for _, step := range s.path {
		p := step.points
		switch step.kind {
		case moveTo:
			o.pdf.MoveTo(p[0].x, p[0].y)
		case lineTo:
			o.pdf.LineTo(p[0].x, p[0].y)
		case quadTo:
			o.pdf.CurveTo(p[0].x, p[0].y, p[1].x, p[1].y)
		case cubicTo:
			o.pdf.CurveBezierCubicTo(p[0].x, p[0].y, p[1].x, p[1].y, p[2].x, p[2].y)
		case closePath:
			o.pdf.ClosePath()
		}
	}
	o.pdf.DrawPath(how)
}
