package chart

import (
	"cmp"
	"image/color"
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// variantRows is how many variants one picture shows; the table has all.
const variantRows = 40

func drawVariants(r *analysis.Result) (*plot.Plot, error) {
	d := variantDotsOf(r)
	switch {
	case r.Variants == nil:
		return nil, noData(r.Lang, "the run has no variants: list some under variants in gonogo.yaml")
	case len(d.list) == 0:
		return nil, noData(r.Lang, "no variant could be compared: run the same command again, and it makes what they lack")
	}
	p := newPlot(r.Lang.Text("variant minus base, mean reward"), "")
	names := make([]string, len(d.list))
	lo, hi := math.Min(0, -d.delta), math.Max(d.delta, d.hoped)
	for i, v := range d.list {
		names[i] = v.name
		lo, hi = min(lo, v.low, v.value), max(hi, v.high, v.value)
	}
	horizontal(p, names)
	p.Add(d)
	pad := (hi - lo) * 0.04
	p.X.Min, p.X.Max = lo-pad, hi+pad+(hi-lo)*0.17 // numbers stand right of the dots
	p.X.Tick.Marker = between{ticks{want: 8}, lo - pad, hi + pad}
	return p, nil
}

func captionVariants(r *analysis.Result) Caption {
	d, v := variantDotsOf(r), r.Variants
	gains := 0
	for _, one := range v.Ranked {
		gains += b2i(one.Answer == analysis.Gains)
	}
	first := d.list[0]
	l := r.Lang
	c := Caption{Title: l.Say("%s of %s gain on the base without any training", message.Whole(gains), l.Count(len(v.Ranked), "variant"))}
	switch {
	case gains == 0:
		c.Title = l.Say("None of %s is shown to gain on the base", l.Count(len(v.Ranked), "variant"))
	case gains == 1:
		c.Title = l.Say("The variant %s gains %s without any training", first.name, message.Digits(first.value))
	}
	sp := v.Ranking(&v.Ranked[0])
	c.Subtitle = l.Say("%s: %s, paired, n = %s; bars: %s; p corrected for %s", *v.Split, l.Count(sp.Reward.Items, "item"), l.Count(sp.Reward.N, "rollout"), intervals(r, sp.Reward.Estimate), l.Count(len(v.Ranked), "variant"))
	if left := len(v.Ranked) - len(d.list); left > 0 {
		c.Subtitle += l.Say("; %s in the table only", l.Count(left, "variant"))
	}
	shown := map[analysis.VariantAnswer]bool{}
	for _, one := range d.list {
		shown[one.answer] = true
	}
	for _, e := range []struct {
		answer analysis.VariantAnswer
		label  string
	}{
		{analysis.Gains, "gains"},
		{analysis.Loses, "loses"},
		{analysis.NoDifference, "no difference that matters"},
		{analysis.Untold, "cannot tell"},
	} {
		if shown[e.answer] {
			c.Legend = append(c.Legend, Entry{l.Text(e.label), []plot.Thumbnailer{variantSample{e.answer}}})
		}
	}
	if d.delta > 0 {
		c.Legend = append(c.Legend, Entry{l.Say("within ± %s", message.Digits(d.delta)), []plot.Thumbnailer{band{}}})
	}
	if d.hoped > 0 {
		c.Legend = append(c.Legend, Entry{l.Say("gain hoped for from training: %s", message.Digits(d.hoped)), []plot.Thumbnailer{hopedRule(d.hoped)}})
	}
	return c
}

// variantsHeight gives every variant its room.
func variantsHeight(r *analysis.Result) vg.Length {
	const around, pitch vg.Length = 118, 20
	return max(Height*0.75, around+pitch*vg.Length(len(variantDotsOf(r).list)))
}

// variantDot is one variant on the split that ranks.
type variantDot struct {
	name             string
	answer           analysis.VariantAnswer
	value, low, high float64
	text             string // right of it; "" is the value
}

// variantDots draws the variants below each other: a disc gains, a diamond
// loses, a ring is neither. That reads in grey.
type variantDots struct {
	list         []variantDot
	delta, hoped float64
}

// variantDotsOf takes what can be drawn, in the order of the ranking.
func variantDotsOf(r *analysis.Result) variantDots {
	v := r.Variants
	if v == nil {
		return variantDots{}
	}
	d := variantDots{delta: v.Delta, hoped: v.Hoped}
	for i := range v.Ranked {
		sp := v.Ranking(&v.Ranked[i])
		if sp == nil || !sp.Reward.Known() || len(d.list) == variantRows {
			continue
		}
		dot := variantDot{name: v.Ranked[i].Name, answer: v.Ranked[i].Answer, value: *sp.Reward.Value, low: *sp.Reward.Value, high: *sp.Reward.Value}
		if sp.Reward.Low != nil && sp.Reward.High != nil {
			dot.low, dot.high = *sp.Reward.Low, *sp.Reward.High
		}
		d.list = append(d.list, dot)
	}
	return d
}

// Plot implements plot.Plotter.
func (d variantDots) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	if d.delta > 0 {
		c.FillPolygon(bandFill, corners(vg.Rectangle{Min: vg.Point{X: tx(-d.delta), Y: c.Min.Y}, Max: vg.Point{X: tx(d.delta), Y: c.Max.Y}}))
	}
	c.StrokeLine2(draw.LineStyle{Color: Ink, Width: 0.9}, tx(0), c.Min.Y, tx(0), c.Max.Y)
	if d.hoped > 0 {
		c.StrokeLine2(hopedRule(d.hoped).line, tx(d.hoped), c.Min.Y, tx(d.hoped), c.Max.Y)
	}
	for i, v := range d.list {
		y := ty(row(i))
		c.StrokeLine2(draw.LineStyle{Color: variantColor(v.answer), Width: 1.4}, tx(v.low), y, tx(v.high), y)
		drawVariant(&c, vg.Point{X: tx(v.value), Y: y}, v.answer)
		text := cmp.Or(v.text, message.Signed(v.value))
		sty := styleOn(p, 8.5, v.answer == analysis.Gains, Ink)
		sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
		c.FillPolygon(Paper, corners(vg.Rectangle{Min: vg.Point{X: c.Max.X - sty.Width(text) - 3, Y: y - 5}, Max: vg.Point{X: c.Max.X, Y: y + 5}}))
		c.FillText(sty, vg.Point{X: c.Max.X, Y: y + 1.3}, text)
	}
}

func variantColor(a analysis.VariantAnswer) color.RGBA {
	switch a {
	case analysis.Gains:
		return Green
	case analysis.Loses:
		return Red
	}
	return Blue
}

func drawVariant(c *draw.Canvas, at vg.Point, a analysis.VariantAnswer) {
	const r vg.Length = 3.4
	switch a {
	case analysis.Gains:
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: Green, Radius: r, Shape: draw.CircleGlyph{}}, at)
	case analysis.Loses:
		const w = r + 0.5
		c.FillPolygon(Red, []vg.Point{{X: at.X - w, Y: at.Y}, {X: at.X, Y: at.Y + w}, {X: at.X + w, Y: at.Y}, {X: at.X, Y: at.Y - w}})
	case analysis.NoDifference:
		c.FillPolygon(Blue, corners(vg.Rectangle{Min: vg.Point{X: at.X - r + 0.6, Y: at.Y - r + 0.6}, Max: vg.Point{X: at.X + r - 0.6, Y: at.Y + r - 0.6}}))
	default:
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: Paper, Radius: r - 0.4, Shape: draw.CircleGlyph{}}, at)
		c.DrawGlyphNoClip(draw.GlyphStyle{Color: Blue, Radius: r - 0.4, Shape: draw.RingGlyph{}}, at)
	}
}

// variantSample is a variant of the legend.
type variantSample struct{ answer analysis.VariantAnswer }

// Thumbnail implements plot.Thumbnailer.
func (s variantSample) Thumbnail(c *draw.Canvas) {
	mid := c.Center()
	c.StrokeLine2(draw.LineStyle{Color: variantColor(s.answer), Width: 1.4}, c.Min.X, mid.Y, c.Max.X, mid.Y)
	drawVariant(c, mid, s.answer)
}

// band is the area of differences that do not matter.
type band struct{}

var bandFill = tint(Axis, 0.32)

// Thumbnail implements plot.Thumbnailer.
func (band) Thumbnail(c *draw.Canvas) {
	r := c.Rectangle
	r.Min.Y, r.Max.Y = r.Min.Y+1, r.Max.Y-1
	c.FillPolygon(bandFill, corners(r))
}

func hopedRule(at float64) rule {
	return rule{at: at, upward: true, line: draw.LineStyle{Color: Orange, Width: 1, Dashes: dashed}}
}
