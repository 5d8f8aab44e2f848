package chart

import (
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size that most figures are made for (Figure.Height says otherwise); text
// keeps its size on any other.
const (
	Width  = 6.5 * vg.Inch
	Height = 3.4 * vg.Inch
)

// dpi is twice the 96 of a plain screen.
const dpi = 192

// WritePNG writes f at 192 dots per inch: Width gives 1248 pixels.
func WritePNG(w io.Writer, f Figure, width, height vg.Length) error {
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
	f.Draw(draw.New(c))
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(w); err != nil {
		return fmt.Errorf("write chart %s as png: %w", f.Name, err)
	}
	return nil
}

// WriteSVG writes f as a vector picture whose text stays text. Fonts are named,
// not embedded: whoever shows the picture brings those for Chinese.
func WriteSVG(w io.Writer, f Figure, width, height vg.Length) error {
	f.Fonts = browser()
	c := vgsvg.NewWith(vgsvg.UseWH(width, height))
	f.Draw(draw.New(c))
	if _, err := c.WriteTo(w); err != nil {
		return fmt.Errorf("write chart %s as svg: %w", f.Name, err)
	}
	return nil
}
