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

// Figure draws a picture, as lines and letters, into a column of the size.
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

// canvas is a vg.Canvas that keeps what is drawn on it.
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

func (c *canvas) now() *state { return &c.states[len(c.states)-1] }

// SetLineWidth implements vg.Canvas, like those that follow.
func (c *canvas) SetLineWidth(w vg.Length) { c.now().width = w.Points() }

func (c *canvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	var dash []float64
	for _, l := range pattern {
		dash = append(dash, l.Points())
	}
	c.now().dash, c.now().offset = dash, offset.Points()
}

func (c *canvas) SetColor(col color.Color) {
	if col == nil {
		col = color.Black
	}
	c.now().color = col
}

func (c *canvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	c.times([6]float64{cos, sin, -sin, cos, 0, 0})
}

func (c *canvas) Translate(p vg.Point) {
	c.times([6]float64{1, 0, 0, 1, p.X.Points(), p.Y.Points()})
}

func (c *canvas) Scale(x, y float64) { c.times([6]float64{x, 0, 0, y, 0, 0}) }

func (c *canvas) Push() { c.states = append(c.states, *c.now()) }

func (c *canvas) Pop() { c.states = c.states[:len(c.states)-1] }

func (c *canvas) times(n [6]float64) {
	m := c.now().matrix
	c.now().matrix = [6]float64{
		m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1],
		m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5],
	}
}

// at is where a point of the canvas lies on the page.
func (c *canvas) at(p vg.Point) point {
	m, x, y := c.now().matrix, p.X.Points(), p.Y.Points()
	return point{m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]}
}

func (c *canvas) Stroke(p vg.Path) {
	if s := c.now(); s.width > 0 {
		c.add(&shape{
			path: c.path(p), color: nrgba(s.color), stroke: true, width: s.width, dash: s.dash,
			offset: s.offset,
		})
	}
}

func (c *canvas) Fill(p vg.Path) { c.add(&shape{path: c.path(p), color: nrgba(c.now().color)}) }

// add keeps a shape that can be seen; one at no real place would break the
// file.
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
			out = append(out, step{moveTo, [3]point{c.at(comp.Pos)}})
		case vg.LineComp:
			out = append(out, step{lineTo, [3]point{c.at(comp.Pos)}})
		case vg.CurveComp:
			if len(comp.Control) == 1 {
				out = append(out, step{quadTo, [3]point{c.at(comp.Control[0]), c.at(comp.Pos)}})
			} else {
				out = append(out, step{cubicTo, [3]point{c.at(comp.Control[0]), c.at(comp.Control[1]), c.at(comp.Pos)}})
			}
		case vg.ArcComp:
			out = c.arc(out, comp)
		case vg.CloseComp:
			out = append(out, step{kind: closePath})
		}
	}
	return out
}

// arc adds a piece of a circle as cubic curves of at most a quarter each, whose
// control points lie 4/3·tan(angle/4) radii along the tangents.
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
	path = append(path, step{kind, [3]point{c.at(on(comp.Start, 0))}})
	for i := range n {
		t0 := comp.Start + part*float64(i)
		t1 := t0 + part
		path = append(path, step{cubicTo, [3]point{c.at(on(t0, along)), c.at(on(t1, -along)), c.at(on(t1, 0))}})
	}
	return path
}

func (c *canvas) FillString(f font.Face, p vg.Point, s string) {
	if f.Font.Size == 0 || s == "" {
		return
	}
	sty := Style{Size: f.Font.Size.Points(), Color: color.RGBAModel.Convert(c.now().color).(color.RGBA)}
	switch {
	case f.Font.Weight > 0:
		sty.Face = typeface.Bold
	case f.Font.Variant == "Mono":
		sty.Face = typeface.Mono
	}
	m := c.now().matrix
	angle := math.Atan2(-m[1], m[0])
	sin, cos := math.Sincos(angle)
	at := c.at(p)
	for _, piece := range c.fonts.pieces(visual(c.fonts.drawable(s, sty.Face)), sty) {
		c.ops = append(c.ops, &text{x: at.x, y: at.y, angle: angle * 180 / math.Pi, piece: piece})
		at.x, at.y = at.x+piece.width*cos, at.y-piece.width*sin
	}
}

// DrawImage draws nothing: no figure of ours holds an image.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}
