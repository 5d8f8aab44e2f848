package report

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"gonogo/report/chart"
)

// inlineSVG returns a figure as an SVG element that takes its colours from
// the page's style, and so follows it into the dark, scales to the width
// there is, and reads aloud as one image.
func inlineSVG(f chart.Figure) (template.HTML, error) {
	var b bytes.Buffer
	if err := chart.WriteSVG(&b, f, chart.Width, chart.Height); err != nil {
		return "", err
	}
	s := b.String()
	open := strings.Index(s, "<svg")
	end := strings.IndexByte(s[max(0, open):], '>')
	if open < 0 || end < 0 {
		return "", fmt.Errorf("make html report: chart %s is no svg", f.Name)
	}
	body := s[open+end+1:]
	for _, c := range chart.Palette() {
		hex := fmt.Sprintf("#%02X%02X%02X", c.RGBA.R, c.RGBA.G, c.RGBA.B)
		body = strings.ReplaceAll(body, hex, "var(--"+c.Name+")")
	}
	// The picture's own margins are cut: the page has margins.
	const left, top, right, bottom = 10, 7, 6, 4
	head := fmt.Sprintf(`<svg viewBox="%d %d %g %g" role="img" aria-label="%s">`,
		left, top, chart.Width.Points()-left-right, chart.Height.Points()-top-bottom, template.HTMLEscapeString(prose(f.Alt())))
	return template.HTML(head + body), nil
}
