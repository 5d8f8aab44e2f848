package pdf

import (
	"image/color"
	"math"
)

// op is one mark on a page.
type op interface {
	move(dx, dy float64)
	bounds() rect
	draw(o *output)
}

// rect is the bounding box of a mark, in points from the top left corner of the page.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) mid() float64 { return (r.y0 + r.y1) / 2 }

// grow returns r extended to include a point.
func (r rect) grow(x, y float64) rect {
	return rect{math.Min(r.x0, x), math.Min(r.y0, y), math.Max(r.x1, x), math.Max(r.y1, y)}
}

func nowhere() rect { return rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} }

// text is a piece of text whose baseline begins at x, y.
type text struct {
	x, y  float64
	angle float64 // in degrees, counterclockwise
	piece
}

func (t *text) move(dx, dy float64) { t.x, t.y = t.x+dx, t.y+dy }

// bounds returns the approximate bounding box of the letters.
func (t *text) bounds() rect {
	sin, cos := math.Sincos(t.angle * math.Pi / 180)
	r := nowhere()
	for _, corner := range [][2]float64{{0, 0.2}, {t.width, 0.2}, {0, -0.75}, {t.width, -0.75}} {
		x, y := corner[0], corner[1]*t.style.Size
		r = r.grow(t.x+x*cos+y*sin, t.y-x*sin+y*cos)
	}
	return r
}

// shape is a path, filled or stroked.
type shape struct {
	path   []step
	color  color.NRGBA
	stroke bool
	width  float64
	dash   []float64
	offset float64 // of the dashes
}

// step is one step of a path, to the last of its points; the others are control points.
type step struct {
	kind   stepKind
	points [3]point
}

type point struct{ x, y float64 }

type stepKind int

const (
	moveTo stepKind = iota
	lineTo
	quadTo
	cubicTo
	closePath
)

// used returns how many points a step of this kind has.
func (k stepKind) used() int { return [...]int{1, 1, 2, 3, 0}[k] }

func (s *shape) move(dx, dy float64) {
	for i := range s.path {
		for j := range s.path[i].points {
			s.path[i].points[j].x += dx
			s.path[i].points[j].y += dy
		}
	}
}

func (s *shape) bounds() rect {
	r := nowhere()
	for _, step := range s.path {
		for _, p := range step.points[:step.kind.used()] {
			r = r.grow(p.x, p.y)
		}
	}
	if s.stroke {
		r = rect{r.x0 - s.width/2, r.y0 - s.width/2, r.x1 + s.width/2, r.y1 + s.width/2}
	}
	return r
}

// polygon returns a closed path through the points.
func polygon(points ...point) []step {
	var path []step
	for i, p := range points {
		kind := lineTo
		if i == 0 {
			kind = moveTo
		}
		path = append(path, step{kind, [3]point{p}})
	}
	return append(path, step{kind: closePath})
}

// box returns a filled rectangle.
func box(x, y, w, h float64, col color.Color) *shape {
	return &shape{path: polygon(point{x, y}, point{x + w, y}, point{x + w, y + h}, point{x, y + h}), color: nrgba(col)}
}

// ruleAt returns a horizontal line.
func ruleAt(x0, x1, y, width float64, col color.Color) *shape {
	return &shape{
		path: []step{{moveTo, [3]point{{x0, y}}}, {lineTo, [3]point{{x1, y}}}}, color: nrgba(col),
		stroke: true, width: width,
	}
}

func nrgba(c color.Color) color.NRGBA { return color.NRGBAModel.Convert(c).(color.NRGBA) }
