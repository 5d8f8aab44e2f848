package pdf

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gonogo/report/internal/typeface"
)

// Figure draws a picture of the size w × h, as lines and letters, below what the column has,
// shifted right by x.
func (c *Column) Figure(x, w, h float64, paint func(draw.Canvas)) {
	v := &canvas{
		fonts:  c.d.fonts,
		states: []state{{matrix: [6]float64{1, 0, 0, -1, c.x + x, c.y + h}, color: color.Black, width: 1}},
	}
	paint(draw.NewCanvas(v, vg.Length(w), vg.Length(h)))
	c.ops = append(c.ops, v.ops...)
	c.y += h
	c.breaks = append(c.breaks, c.y)
}

// canvas is a vg.Canvas that records what is drawn on it.
type canvas struct {
	fonts  *fonts
	states []state
	ops    []op
}

type state struct {
	matrix [6]float64 // x' = a x + c y + e, y' = b x + d y + f
	color  color.Color
	width  float64
	dash   []float64
	offset float64
}

func (c *canvas) current() *state { return &c.states[len(c.states)-1] }

// SetLineWidth implements vg.Canvas, as do the methods below.
func (c *canvas) SetLineWidth(w vg.Length) { c.current().width = w.Points() }

func (c *canvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	var dash []float64
	for _, l := range pattern {
		dash = append(dash, l.Points())
	}
	c.current().dash, c.current().offset = dash, offset.Points()
}

func (c *canvas) SetColor(col color.Color) {
	if col == nil {
		col = color.Black
	}
	c.current().color = col
}

func (c *canvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.times([6]float64{cos, sin, -sin, cos, 0, 0})
}

func (c *canvas) Translate(p vg.Point) {
	c.times([6]float64{1, 0, 0, 1, p.X.Points(), p.Y.Points()})
}

func (c *canvas) Scale(x, y float64) { c.times([6]float64{x, 0, 0, y, 0, 0}) }

func (c *canvas) Push() { c.states = append(c.states, *c.current()) }

func (c *canvas) Pop() { c.states = c.states[:len(c.states)-1] }

func (c *canvas) times(n [6]float64) {
	m := c.current().matrix
	c.current().matrix = [6]float64{
		m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1],
		m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5],
	}
}

// toPage returns the point of the page for a point of the canvas.
func (c *canvas) toPage(p vg.Point) point {
	m, x, y := c.current().matrix, p.X.Points(), p.Y.Points()
	return point{m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]}
}

func (c *canvas) Stroke(p vg.Path) {
	if s := c.current(); s.width > 0 {
		c.add(&shape{
			path: c.path(p), color: nrgba(s.color), stroke: true, width: s.width, dash: s.dash,
			offset: s.offset,
		})
	}
}

func (c *canvas) Fill(p vg.Path) { c.add(&shape{path: c.path(p), color: nrgba(c.current().color)}) }

// add records a shape unless it is invisible. A shape with a coordinate that is not finite would
// break the file and is dropped.
func (c *canvas) add(s *shape) {
	broken := slices.ContainsFunc(s.path, func(st step) bool {
		return slices.ContainsFunc(st.points[:], func(p point) bool {
			return math.IsNaN(p.x+p.y) ||
				math.IsInf(p.x+p.y, 0)
		})
	})
	if len(s.path) > 1 && s.color.A > 0 && !broken {
		c.ops = append(c.ops, s)
	}
}

func (c *canvas) path(p vg.Path) []step {
	var out []step
	for _, comp := range p {
		switch comp.Type {
		case vg.MoveComp:
			out = append(out, step{moveTo, [3]point{c.toPage(comp.Pos)}})
		case vg.LineComp:
			out = append(out, step{lineTo, [3]point{c.toPage(comp.Pos)}})
		case vg.CurveComp:
			if len(comp.Control) == 1 {
				out = append(out, step{quadTo, [3]point{c.toPage(comp.Control[0]), c.toPage(comp.Pos)}})
			} else {
				out = append(out, step{
					cubicTo, [3]point{c.toPage(comp.Control[0]), c.toPage(comp.Control[1]), c.toPage(comp.Pos)},
				})
			}
		case vg.ArcComp:
			out = c.arc(out, comp)
		case vg.CloseComp:
			out = append(out, step{kind: closePath})
		}
	}
	return out
}

// arc adds an arc of a circle as cubic curves of at most a quarter each, whose control points are
// 4/3·tan(angle/4) radii along the tangents.
func (c *canvas) arc(path []step, comp vg.PathComp) []step {
	n := int(math.Ceil(math.Abs(comp.Angle) / (math.Pi / 2)))
	if n == 0 {
		return path
	}
	part := comp.Angle / float64(n)
	along := 4.0 / 3 * math.Tan(part/4)
	on := func(t, k float64) vg.Point {
		sin, cos := math.Sincos(t)
		return vg.Point{
			X: comp.Pos.X + comp.Radius*vg.Length(cos-k*sin),
			Y: comp.Pos.Y + comp.Radius*vg.Length(sin+k*cos),
		}
	}
	kind := lineTo
	if len(path) == 0 || path[len(path)-1].kind == closePath {
		kind = moveTo
	}
	path = append(path, step{kind, [3]point{c.toPage(on(comp.Start, 0))}})
	for i := range n {
		t0 := comp.Start + part*float64(i)
		t1 := t0 + part
		path = append(path, step{
			cubicTo, [3]point{c.toPage(on(t0, along)), c.toPage(on(t1, -along)), c.toPage(on(t1, 0))},
		})
	}
	return path
}

func (c *canvas) FillString(f font.Face, p vg.Point, s string) {
	if f.Font.Size == 0 || s == "" {
		return
	}
	sty := Style{Size: f.Font.Size.Points(), Color: color.RGBAModel.Convert(c.current().color).(color.RGBA)}
	switch {
	case f.Font.Weight > 0:
		sty.Face = typeface.Bold
	case f.Font.Variant == "Mono":
		sty.Face = typeface.Mono
	}
	m := c.current().matrix
	angle := math.Atan2(-m[1], m[0])
	sin, cos := math.Sincos(angle)
	pt := c.toPage(p)
	for _, piece := range c.fonts.pieces(visual(c.fonts.drawable(s, sty.Face)), sty) {
		c.ops = append(c.ops, &text{x: pt.x, y: pt.y, angle: angle * 180 / math.Pi, piece: piece})
		pt.x, pt.y = pt.x+piece.width*cos, pt.y-piece.width*sin
	}
}

// DrawImage draws nothing: no figure contains an image.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}
