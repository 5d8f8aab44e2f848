package stat

// Range is the closed interval that a bounded quantity cannot leave, such as
// the rewards of a grader. A nil *Range stands for an unbounded quantity.
type Range struct{ Lo, Hi float64 }

// Width returns Hi - Lo.
func (r Range) Width() float64 { return r.Hi - r.Lo }

// unit is the range of shares and probabilities.
var unit = Range{0, 1}

// rounding is the share of a range (or of the largest value, without one)
// below which a difference is float noise and counts as none.
const rounding = 1e-12

// holds reports whether x lies in the range, give or take float noise.
func (r Range) holds(x float64) bool {
	slack := rounding * r.Width()
	return x >= r.Lo-slack && x <= r.Hi+slack
}

// atEnd reports whether x is one of the ends, give or take float noise.
func (r Range) atEnd(x float64) bool {
	slack := rounding * r.Width()
	return x <= r.Lo+slack || x >= r.Hi-slack
}

// share returns where x lies between Lo (0) and Hi (1).
func (r Range) share(x float64) float64 {
	return min(max((x-r.Lo)/r.Width(), 0), 1)
}

// at is the inverse of share.
func (r Range) at(p float64) float64 {
	switch {
	case p <= 0:
		return r.Lo
	case p >= 1:
		return r.Hi
	}
	return r.Lo + p*r.Width()
}
