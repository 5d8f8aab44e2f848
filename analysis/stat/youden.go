package stat

import (
	"math"

	"gonogo/analysis/message"
)

// Counts is how many of an item's N cases are Hits.
type Counts struct{ Hits, N float64 }

// Youden estimates J = 1 - a - r from how often wrong answers were accepted and right ones rejected
// (Youden 1950, Cancer 3:32): 1 for a grader that never errs, 0 for one whose answer does not
// depend on the case. accepts[i] and rejects[i] belong to item i; an item without cases of one kind
// has N = 0 there. It also returns both shares, each with the interval of RatioOfSums.
//
// The interval of J combines those two by the square-and-add rule (Newcombe 1998, Stat. Med.
// 17:873; Zou & Donner 2008, Stat. Med. 27:1693), with their correlation over items if it is
// positive: it keeps its coverage near 1, unlike ±t. It panics if the slices differ in length.
func Youden(accepts, rejects []Counts, conf float64) (accept, reject, j Estimate) {
	checkConf(conf)
	if len(accepts) != len(rejects) {
		panic("stat: as many accepts as rejects are needed")
	}
	accept, reject = shareOf(accepts, conf), shareOf(rejects, conf)
	const method = "Youden's J = 1 - accept - reject; square-and-add interval (Zou & Donner 2008), clustered by item"
	if !accept.Known() || !reject.Known() {
		return accept, reject, unknown(0, 0, method, needsWrongAndRight.Text())
	}
	a, r := *accept.Value, *reject.Value
	j = Estimate{
		Value: FiniteOrNil(1 - a - r), N: accept.N + reject.N, Items: max(accept.Items, reject.Items),
		Method: method, Warnings: []message.Text{},
	}
	rho := max(0, correlated(accepts, rejects, a, r))
	add := func(x, y float64) float64 { return math.Sqrt(x*x + y*y + 2*rho*x*y) }
	j.Low = FiniteOrNil(max(-1, *j.Value-add(*accept.High-a, *reject.High-r)))
	j.High = FiniteOrNil(min(1, *j.Value+add(a-*accept.Low, r-*reject.Low)))
	return accept, reject, j
}

func shareOf(counts []Counts, conf float64) Estimate {
	hits, ns := make([]float64, len(counts)), make([]float64, len(counts))
	n := 0.0
	for i, c := range counts {
		hits[i], ns[i] = c.Hits, c.N
		n += c.N
	}
	return RatioOfSums(hits, ns, int(n), conf)
}

// correlated returns the correlation over items of their contributions to both shares.
func correlated(accepts, rejects []Counts, a, r float64) float64 {
	var xx, xy, yy float64
	for i := range accepts {
		x, y := accepts[i].Hits-a*accepts[i].N, rejects[i].Hits-r*rejects[i].N
		xx, xy, yy = xx+x*x, xy+x*y, yy+y*y
	}
	if xx <= 0 || yy <= 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
