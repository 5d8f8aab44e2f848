package chart

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"strconv"
	"strings"

	"gonogo/report/internal/lettering"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size that most figures are designed for (Figure.Height says otherwise). At other sizes
// the text keeps its size.
const (
	Width  = 6.5 * vg.Inch
	Height = 3.4 * vg.Inch
)

// dpi is twice the 96 of a standard screen.
const dpi = 192

// WritePNG writes f at 192 dots per inch: Width gives 1248 pixels.
func WritePNG(w io.Writer, f Figure, width, height vg.Length) error {
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(Paper))
	f.draw(draw.New(c))
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, c.Image()); err != nil { // half the time, and 4 % larger
		return fmt.Errorf("write chart %s as png: %w", f.Name, err)
	}
	return nil
}

// WriteSVG writes f as a vector picture whose text stays text. Fonts are named, not embedded: the
// page that shows the picture provides them. Each text carries its measured length, so that it
// keeps its place in any font.
func WriteSVG(w io.Writer, f Figure, width, height vg.Length) error {
	f.Fonts = browser()
	c := &measuredSVG{Canvas: vgsvg.NewWith(vgsvg.UseWH(width, height)), fonts: f.Fonts}
	f.Draw(draw.New(c))
	if err := c.write(w); err != nil {
		return fmt.Errorf("write chart %s as svg: %w", f.Name, err)
	}
	return nil
}

// measuredSVG is a canvas that records the measured length of its texts.
type measuredSVG struct {
	*vgsvg.Canvas
	fonts   *lettering.Fonts
	lengths []vg.Length // of the texts, in drawing order
}

// FillString implements vg.Canvas.
func (c *measuredSVG) FillString(f font.Face, at vg.Point, s string) {
	width, _, _ := c.fonts.Box(collapsed(s), f.Font)
	c.lengths = append(c.lengths, width)
	c.Canvas.FillString(f, at, s)
}

// collapsed returns s as an SVG shows it: without white space at its ends, and with each run of
// white space as one space.
func collapsed(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }), " ")
}

// write writes the picture with a length at each text. A viewer with the measured font is not
// affected by it; one with another font scales the letters to the length.
func (c *measuredSVG) write(w io.Writer) error {
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	const text = "<text "
	parts := strings.Split(b.String(), text) // a "<" in a text is escaped
	if len(parts) != len(c.lengths)+1 {
		return fmt.Errorf("it has %d texts, and %d were drawn", len(parts)-1, len(c.lengths))
	}
	var out strings.Builder
	out.WriteString(parts[0])
	for i, part := range parts[1:] {
		out.WriteString(text)
		if c.lengths[i] > 0 {
			length := strconv.FormatFloat(c.lengths[i].Points(), 'f', 1, 64)
			out.WriteString(`textLength="` + length + `" lengthAdjust="spacingAndGlyphs" `)
		}
		out.WriteString(part)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
