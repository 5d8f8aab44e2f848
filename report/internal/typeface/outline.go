package typeface

import (
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// emUnits is how many units an em of an embedded font has.
const emUnits = 2048

// point is a point of an outline, with Y upward, in units of 1/emUnits em.
type point struct {
	x, y float64
	on   bool // on the outline; else a control point between its neighbours
}

// contours returns the closed outlines of a rune, made only of lines and quadratic curves, as
// TrueType needs them.
func (f *Face) contours(r rune) ([][]point, error) {
	segments, err := f.font.LoadGlyph(&f.buf, f.glyph(r).index, f.ppem(), nil)
	if err != nil {
		return nil, err
	}
	scale := emUnits / float64(f.ppem())
	scaled := func(p fixed.Point26_6) point { return point{float64(p.X) * scale, -float64(p.Y) * scale, true} }
	var all [][]point
	var now []point
	closed := func() {
		if n := len(now); n > 1 && now[0] == now[n-1] {
			now = now[:n-1]
		}
		if len(now) > 2 {
			all = append(all, now)
		}
		now = nil
	}
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			closed()
			now = append(now, scaled(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			now = append(now, scaled(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			control := scaled(s.Args[0])
			control.on = false
			now = append(now, control, scaled(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			if len(now) > 0 {
				now = append(now,
					quadratics(now[len(now)-1], scaled(s.Args[0]), scaled(s.Args[1]), scaled(s.Args[2]))...)
			}
		}
	}
	closed()
	return all, nil
}

// quadratics returns quadratic curves that follow the cubic one a, b, c, d to within half a unit,
// without the point a. The error of a single one is √3/36·|d − 3c + 3b − a|; it falls with the
// third power of the number of pieces (T. Sederberg, Computer Aided Geometric Design, 2012, section
// 2.6). There are at most eight.
func quadratics(a, b, c, d point) []point {
	const tolerance, most = 0.5, 8
	off := math.Hypot(d.x-3*c.x+3*b.x-a.x, d.y-3*c.y+3*b.y-a.y) * math.Sqrt(3) / 36
	n := min(most, max(1, int(math.Ceil(math.Cbrt(off/tolerance)))))
	cubic := func(t float64) point {
		u := 1 - t
		w := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
		return point{w[0]*a.x + w[1]*b.x + w[2]*c.x + w[3]*d.x, w[0]*a.y + w[1]*b.y + w[2]*c.y + w[3]*d.y, true}
	}
	slope := func(t float64) (x, y float64) {
		u := 1 - t
		w := [3]float64{3 * u * u, 6 * u * t, 3 * t * t}
		return w[0]*(b.x-a.x) + w[1]*(c.x-b.x) + w[2]*(d.x-c.x), w[0]*(b.y-a.y) + w[1]*(c.y-b.y) + w[2]*(d.y-c.y)
	}
	var out []point
	from := a
	for i := range n {
		t0, t1 := float64(i)/float64(n), float64(i+1)/float64(n)
		to := cubic(t1)
		if i == n-1 {
			to = d
		}
		x0, y0 := slope(t0)
		x1, y1 := slope(t1)
		h := (t1 - t0) / 4 // the piece's cubic control points are a third along; their mean is the quadratic one
		out = append(out, point{(from.x+to.x)/2 + (x0-x1)*h, (from.y+to.y)/2 + (y0-y1)*h, false}, to)
		from = to
	}
	return out
}
