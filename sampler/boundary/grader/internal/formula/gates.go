package formula

import "math"

// Gates lists, in order of their first appearance, the names that must not be 0 for the formula to
// give anything: if such a name is 0, the value is the same whatever the other names are, and is
// either 0 or the smallest value of the formula. In tests * (0.7 + 0.3*style), tests is a gate.
//
// bounds returns the smallest and largest value of a name, which may be infinite; a nil bounds
// allows any finite number. The bounds matter: in min(tests, style), tests is a gate if style
// cannot be negative, and in 2*tests*style - 1 if the formula cannot fall below -1. A name whose
// bounds exclude 0 is not a gate.
//
// Gates may miss a gate, but lists no other name. It uses interval arithmetic (R. E. Moore, Interval
// Analysis, 1966), which treats the appearances of a name as independent, so it misses gates where
// terms cancel, as in a*b + (a-1)*c + c. The one exception is rounding in the last digit, if the
// smallest value is not 0.
func (f *Formula) Gates(bounds func(name string) (low, high float64)) []string {
	known := func(name string) span {
		if bounds == nil {
			return all
		}
		low, high := bounds(name)
		return sane(low, high)
	}
	total := f.root.bounds(func(v *variable) span { return known(v.name) })
	if total.point() {
		return nil // a constant has no gates
	}
	var gates []string
	for _, name := range f.names {
		if !known(name).holds(0) {
			continue
		}
		without := f.root.bounds(func(v *variable) span {
			if v.name == name {
				return span{0, 0}
			}
			return known(v.name)
		})
		if without.point() && (without.low == 0 || without.low <= total.low) {
			gates = append(gates, name)
		}
	}
	return gates
}

// span is a closed interval of finite numbers; an infinite end is not a bound.
type span struct{ low, high float64 }

var all = span{math.Inf(-1), math.Inf(1)}

func (s span) point() bool          { return s.low == s.high }
func (s span) holds(v float64) bool { return s.low <= v && v <= s.high }

// sane returns the span between two ends, or all numbers if they do not form one: the step never
// has a value, or its ends overflowed.
func sane(low, high float64) span {
	if !(low <= high) || math.IsInf(low, 1) || math.IsInf(high, -1) {
		return all
	}
	return span{low, high}
}

// hull returns the span from the smallest to the largest value.
func hull(values ...float64) span {
	s := span{math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		s.low, s.high = math.Min(s.low, v), math.Max(s.high, v)
	}
	return sane(s.low, s.high)
}

func (n *negation) bounds(spanOf func(*variable) span) span {
	x := n.x.bounds(spanOf)
	return span{-x.high, -x.low}
}

func (n *binary) bounds(spanOf func(*variable) span) span {
	a, b := n.left.bounds(spanOf), n.right.bounds(spanOf)
	switch n.op {
	case '+':
		return sane(a.low+b.low, a.high+b.high)
	case '-':
		return sane(a.low-b.high, a.high-b.low)
	case '*':
		return product(a, b)
	case '/':
		return quotient(a, b)
	}
	return powers(a, b)
}

// product is exact at zero: all values are finite, so 0 times any value is 0.
func product(a, b span) span {
	times := func(x, y float64) float64 {
		if x == 0 || y == 0 {
			return 0
		}
		return x * y
	}
	return hull(times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high))
}

// quotient excludes division by zero, which has no value.
func quotient(a, b span) span {
	zero := span{}
	switch {
	case b == zero:
		return all
	case a == zero:
		return zero
	case b.low > 0 || b.high < 0:
		return hull(a.low/b.low, a.low/b.high, a.high/b.low, a.high/b.high)
	case b.low == 0:
		return product(a, span{1 / b.high, math.Inf(1)})
	case b.high == 0:
		return product(a, span{math.Inf(-1), 1 / b.low})
	}
	return all
}

// powers bounds powers of a base that is not negative, and powers with a whole exponent; for others
// it returns all.
func powers(a, b span) span {
	k, integer := b.low, b.point() && b.low == math.Trunc(b.low)
	even := integer && math.Mod(k, 2) == 0
	switch {
	case a.point() && b.point():
		return hull(math.Pow(a.low, k))
	case b == span{}:
		return span{1, 1}
	case a.low < 0 && even && k > 0:
		return powers(absolute([]span{a}), b)
	case a.low < 0 && even:
		return span{0, math.Inf(1)}
	case a.low < 0 && integer && k > 0:
		return hull(math.Pow(a.low, k), math.Pow(a.high, k))
	case a.low < 0 && b.point() && !integer: // a negative base has no value there
		if a.high < 0 {
			return all
		}
		return powers(span{0, a.high}, b)
	case a.low < 0:
		return all
	case a.low > 0 || b.low > 0: // the extremes of exp(b log a) are at the corners
		return hull(math.Pow(a.low, b.low), math.Pow(a.low, b.high), math.Pow(a.high, b.low), math.Pow(a.high, b.high))
	}
	return span{0, math.Inf(1)}
}

func (n *call) bounds(spanOf func(*variable) span) span {
	spans := make([]span, len(n.values))
	for i, x := range n.values {
		spans[i] = x.bounds(spanOf)
	}
	return n.f.bounds(spans)
}

// fold returns the bounds function of min or max.
func fold(f func(a, b float64) float64) func([]span) span {
	return func(s []span) span {
		out := s[0]
		for _, x := range s[1:] {
			out = span{f(out.low, x.low), f(out.high, x.high)}
		}
		return out
	}
}

// rising returns the bounds function of a function that never falls and has no value below least.
func rising(f func(float64) float64, least float64) func([]span) span {
	return func(s []span) span { return sane(f(math.Max(s[0].low, least)), f(s[0].high)) }
}

func absolute(s []span) span {
	low, high := math.Abs(s[0].low), math.Abs(s[0].high)
	if s[0].holds(0) {
		return span{0, math.Max(low, high)}
	}
	return span{math.Min(low, high), math.Max(low, high)}
}
