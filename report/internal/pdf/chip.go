package pdf

import "gonogo/report/internal/typeface"

func (c *Chip) style() Style { return Style{Face: typeface.Bold, Size: c.Size, Color: c.Ink} }

// Chip draws a chip at the left of the column and a paragraph to the right of it.
func (c *Column) Chip(chip *Chip, spans []Span) {
	w := c.d.chipWidth(chip)
	h := 0.0
	for _, s := range spans {
		h = max(h, s.Style.Size*leading)
	}
	c.chip(chip, c.x, c.y+(h-chip.Size*leading-1)/2)
	c.Text(Paragraph{Spans: spans, Indent: w + 7})
}
