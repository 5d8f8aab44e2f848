package html

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"gonogo/report/block"
	"gonogo/report/chart"
)

// hex matches a colour in the style of an SVG.
var hex = regexp.MustCompile(`(fill|stroke):#[0-9A-F]{6}`)

// usual matches properties that only repeat the default: the style of the page sets the font of
// texts and leaves paths without a fill empty.
var usual = regexp.MustCompile(`(font-(variant|weight|style):normal|font-family:[^;"]*|fill:none);`)

// styled replaces a colour of the palette with the variable of its name in the page. The channels
// of a tint may be off by up to two, from its transparency.
func styled(s string) string {
	property, code, _ := strings.Cut(s, ":")
	n, err := strconv.ParseUint(code[1:], 16, 32)
	if err != nil {
		return s
	}
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 2 }
	for _, c := range chart.Palette() {
		if near(uint8(n>>16), c.RGBA.R) && near(uint8(n>>8), c.RGBA.G) && near(uint8(n), c.RGBA.B) {
			return property + ":var(--" + c.Name + ")"
		}
	}
	return s
}

// inlineSVG returns a figure as an SVG element that takes its colours from the style of the page,
// so that it follows the dark theme, scales to the available width, and is read aloud as one image
// with the text alt.
func inlineSVG(f chart.Figure, alt string) (template.HTML, error) {
	var b bytes.Buffer
	if err := chart.WriteSVG(&b, f, width, f.Height); err != nil {
		return "", err
	}
	s := b.String()
	open := strings.Index(s, "<svg")
	end := strings.IndexByte(s[max(0, open):], '>')
	if open < 0 || end < 0 {
		return "", fmt.Errorf("make html report: chart %s is not an SVG", f.Name)
	}
	body := hex.ReplaceAllStringFunc(usual.ReplaceAllString(s[open+end+1:], ""), styled)
	head := fmt.Sprintf(`<svg viewBox="%g %g %g %g" role="img" aria-label="%s">`, svgLeft.Points(), svgTop.Points(),
		(width - svgLeft - svgRight).Points(), (f.Height - svgTop - svgBottom).Points(), template.HTMLEscapeString(alt))
	return template.HTML(head + body), nil
}

// width is the width of the figures of a page: at 390 pixels, of which a figure has 362, their
// smallest letters are 11 pixels high, and on a screen two figures fit side by side.
const width vg.Length = 310

// The margins that are cut off a figure: the page has its own.
const (
	svgLeft, svgRight vg.Length = 10, 6
	svgTop, svgBottom vg.Length = 7, 4
)

// gauge draws the value and interval of a gate against its threshold; the texts next to it give the
// numbers. A disc passes, a diamond fails, a square is neither.
func gauge(f block.Finding) template.HTML {
	g := f.Gauge
	if g == nil {
		return ""
	}
	along := func(x float64) float64 { return 5 + 120*x }
	v, dot := along(g.Value), "M%.1f 3h8v8h-8z"
	switch f.Tone {
	case block.Pass:
		dot = "M%.1f 7a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"
	case block.Fail:
		dot = "M%.1f 7l4 -5l4 5l-4 5z"
	}
	return template.HTML(
		fmt.Sprintf(
			`<svg class="gauge s-%s" width="130" height="14" viewBox="0 0 130 14" aria-hidden="true"><path class="line" d="M5 7H125"/><path class="iv" d="M%.1f 7H%.1f"/><path class="at" d="M%.1f 0V14"/><path class="dot" d="`+dot+`"/></svg>`,
			f.Tone, along(g.Low), along(g.High), along(g.Threshold), v-4))
}
