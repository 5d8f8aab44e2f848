package stat

import (
	"math"

	"gonogo/analysis/message"

	"gonum.org/v1/gonum/stat/distuv"
)

// Line describes how Y depends on X: the slope of the least-squares line, the correlation, and the
// p-value for a slope of zero.
type Line struct {
	Slope       Estimate
	Correlation Estimate
	P           *float64 // nil if there is no interval
}

// WithinLine fits Y on X with a separate level for each item: both are taken relative to the item's
// means, so that differences between items, such as long questions that are easy, do not matter.
// Items whose X do not vary carry no information and are left out.
//
// Uncertainty is clustered by item: the variance is the jackknife over whole items (CV3), which
// small samples need, the slope's interval t(m-1), the correlation's t(m-1) on Fisher's scale. P is
// that of the t test of the slope (MacKinnon, Nielsen & Webb 2023). Cost: one sort per item.
func WithinLine(items [][]Pair, conf float64) Line {
	checkConf(conf)
	pairs, _ := sortedPairs(items)
	var sums []moment
	n := 0
	for _, item := range pairs {
		origin := centre(item)
		var s moment
		for _, p := range item {
			s.add(p.X-origin.X, p.Y-origin.Y)
		}
		if s.xx > 0 {
			s.n, s.x, s.y = 0, 0, 0 // each item has its own level
			sums = append(sums, s)
			n += len(item)
		}
	}
	return fit(sums, n, conf, "relative to the item's means")
}

// PooledLine fits Y on X over all rollouts with one common level. Its sign may be the opposite of
// WithinLine's (Simpson 1951), so it is shown next to it, never alone. Uncertainty is clustered by
// item as in WithinLine.
func PooledLine(items [][]Pair, conf float64) Line {
	checkConf(conf)
	pairs, n := sortedPairs(items)
	sums := make([]moment, len(pairs))
	origin := centre(pairs...)
	for i, item := range pairs {
		for _, p := range item {
			sums[i].add(p.X-origin.X, p.Y-origin.Y)
		}
	}
	return fit(sums, n, conf, "over all rollouts")
}

// centre returns the means of both numbers over all pairs of the items.
func centre(items ...[]Pair) Pair {
	var first, c Pair
	n := 0.0
	for _, pairs := range items {
		for _, p := range pairs {
			if n == 0 {
				first = p
			}
			n++
			c.X, c.Y = c.X+(p.X-first.X), c.Y+(p.Y-first.Y)
		}
	}
	if n == 0 {
		return c
	}
	return Pair{first.X + c.X/n, first.Y + c.Y/n}
}

// moment holds the sums behind a line.
type moment struct{ n, x, y, xx, xy, yy float64 }

func (s *moment) add(x, y float64) {
	s.n++
	s.x, s.y = s.x+x, s.y+y
	s.xx, s.xy, s.yy = s.xx+x*x, s.xy+x*y, s.yy+y*y
}

func (s moment) plus(o moment, sign float64) moment {
	return moment{s.n + sign*o.n, s.x + sign*o.x, s.y + sign*o.y, s.xx + sign*o.xx, s.xy + sign*o.xy, s.yy + sign*o.yy}
}

// line returns slope and correlation, NaN if they are not defined.
func (s moment) line() (slope, r float64) {
	xx, xy, yy := s.xx, s.xy, s.yy
	if s.n > 0 {
		xx, xy, yy = xx-s.x*s.x/s.n, xy-s.x*s.y/s.n, yy-s.y*s.y/s.n
	}
	if xx <= rounding*s.xx || xx <= 0 {
		return math.NaN(), math.NaN()
	}
	if yy <= rounding*s.yy || yy <= 0 {
		return 0, math.NaN() // Y does not vary: a flat line
	}
	return xy / xx, min(max(xy/math.Sqrt(xx*yy), -1), 1)
}

func fit(sums []moment, n int, conf float64, about string) Line {
	m := len(sums)
	slopeBy, rBy := "least squares "+about+", jackknife by item (CV3)", "Pearson correlation "+about+
		"; jackknife by item on Fisher's scale"
	var total moment
	for _, s := range sums {
		total = total.plus(s, 1)
	}
	slope, r := total.line()
	if m < 2 || math.IsNaN(r) {
		why := needsDifferNumbers.Text()
		return Line{Slope: unknown(m, n, slopeBy, why), Correlation: unknown(m, n, rBy, why)}
	}
	l := Line{
		Slope:       Estimate{Value: FiniteOrNil(slope), N: n, Items: m, Method: slopeBy, Warnings: []message.Text{}},
		Correlation: Estimate{Value: FiniteOrNil(r), N: n, Items: m, Method: rBy, Warnings: []message.Text{}},
	}
	slopes, rs := make([]float64, m), make([]float64, m)
	for i, s := range sums {
		slopes[i], rs[i] = total.plus(s, -1).line()
	}
	se, ok := l.Slope.jackknife(slopes, plain, conf)
	if !ok {
		l.Slope.warn(lineRestsOnOne.Text())
		l.Correlation.warn(lineRestsOnOne.Text())
		return l
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(m - 1)}
	l.P = FiniteOrNil(2 * t.Survival(math.Abs(slope/se)))
	if _, ok := l.Correlation.jackknife(rs, fisher, conf); !ok {
		l.Correlation.warn(perfectLine.Text())
	}
	return l
}
