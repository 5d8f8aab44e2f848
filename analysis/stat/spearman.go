package stat

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/message"
)

// Spearman estimates the rank correlation of X and Y over all pairs, with mean ranks for ties
// (Spearman 1904, Am. J. Psychol. 15:72). Pairs of one item depend on each other: the interval is
// the jackknife over whole items with t(m-1) on Fisher's scale, which Bonett & Wright (2000,
// Psychometrika 65:23) also approximate for single pairs.
//
// If the ranks agree perfectly resampling shows no variation: the interval then allows for one
// discordant item among m+1, z = atanh(1 - 2/(m+1)), se² = (1 + r²/2)/(m-3) (Bonett & Wright).
// Cost: O(items · pairs).
func Spearman(items [][]Pair, conf float64) Estimate {
	checkConf(conf)
	const method = "Spearman's rank correlation; jackknife by item on Fisher's scale"
	pairs, n := sortedPairs(items)
	m := len(pairs)
	r := newRanking(pairs, n)
	value := r.correlation(-1)
	if m < 2 || math.IsNaN(value) {
		return unknown(m, n, method, needsDifferSides.Text())
	}
	e := Estimate{Value: FiniteOrNil(value), N: n, Items: m, Method: method, Warnings: []message.Text{}}
	if math.Abs(value) > 1-rounding {
		e.perfect(m, conf)
		return e
	}
	deleted := make([]float64, 0, m)
	for i := range m {
		if d := r.correlation(i); !math.IsNaN(d) {
			deleted = append(deleted, min(max(d, rounding-1), 1-rounding))
		}
	}
	if _, ok := e.jackknife(deleted, fisher, conf); !ok {
		e.Low, e.High = FiniteOrNil(-1), FiniteOrNil(1)
		e.warn(tooFewItems.With(ofItems(m)))
	}
	return e
}

// perfect sets the interval of a correlation of 1 or -1.
func (e *Estimate) perfect(m int, conf float64) {
	e.Low, e.High = FiniteOrNil(-1), FiniteOrNil(1)
	if m < 4 {
		e.warn(tooFewItems.With(ofItems(m)))
		return
	}
	r := 1 - 2/float64(m+1)
	se := math.Sqrt((1 + r*r/2) / float64(m-3))
	far := math.Tanh(math.Atanh(r) - tQuantile(conf, m-1)*se)
	e.warn(ranksAgree.Text())
	if *e.Value > 0 {
		e.Low = FiniteOrNil(far)
	} else {
		e.High = FiniteOrNil(-far)
	}
}

// ranking holds pairs in the order of X and of Y, so that leaving out an item needs no sorting.
type ranking struct {
	x, y   []float64
	item   []int
	byX    []int // positions in ascending order of x
	byY    []int
	rx, ry []float64 // ranks of the pairs that are not left out
}

func newRanking(items [][]Pair, n int) *ranking {
	r := &ranking{rx: make([]float64, n), ry: make([]float64, n)}
	for i, item := range items {
		for _, p := range item {
			r.byX, r.byY = append(r.byX, len(r.x)), append(r.byY, len(r.x))
			r.x, r.y, r.item = append(r.x, p.X), append(r.y, p.Y), append(r.item, i)
		}
	}
	slices.SortStableFunc(r.byX, func(a, b int) int { return cmp.Compare(r.x[a], r.x[b]) })
	slices.SortStableFunc(r.byY, func(a, b int) int { return cmp.Compare(r.y[a], r.y[b]) })
	return r
}

// correlation returns Pearson's correlation of the ranks without the pairs of one item (-1: with
// all), NaN if either side does not vary.
func (r *ranking) correlation(without int) float64 {
	n := r.rank(r.x, r.byX, r.rx, without)
	r.rank(r.y, r.byY, r.ry, without)
	mean := (n + 1) / 2
	var xx, xy, yy float64
	for i, item := range r.item {
		if item != without {
			dx, dy := r.rx[i]-mean, r.ry[i]-mean
			xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
		}
	}
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	return min(max(xy/math.Sqrt(xx*yy), -1), 1)
}

// rank writes mean ranks from 1 and returns how many values it ranked.
func (r *ranking) rank(v []float64, order []int, out []float64, without int) float64 {
	var tied []int
	done := 0.0
	flush := func() {
		for _, i := range tied {
			out[i] = done + float64(len(tied)+1)/2
		}
		done += float64(len(tied))
		tied = tied[:0]
	}
	for _, i := range order {
		if r.item[i] == without {
			continue
		}
		if len(tied) > 0 && v[tied[0]] != v[i] {
			flush()
		}
		tied = append(tied, i)
	}
	flush()
	return done
}
