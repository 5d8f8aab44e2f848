package stat

import (
	"math"
	"slices"
	"strings"

	"gonogo/analysis/message"
)

// Estimate is a number with its uncertainty. Value, SE, Low and High are nil if they cannot be
// estimated; a warning then says why and how much data would be enough. Low and High bound a
// two-sided interval at the confidence requested by the caller.
type Estimate struct {
	Value    *float64       `json:"value"`
	SE       *float64       `json:"se"`
	Low      *float64       `json:"low"`
	High     *float64       `json:"high"`
	N        int            `json:"n"`     // rollouts
	Items    int            `json:"items"` // items
	Method   string         `json:"method"`
	Warnings []message.Text `json:"warnings"`

	// FixedSE is the standard error for exactly these items, from the sampling of rollouts alone.
	// It is nil if the within-item variance cannot be estimated.
	FixedSE *float64 `json:"fixed_se"`

	// Draws is the number of independent observations in the N rollouts: for a statistic of groups
	// of k, disjoint groups. 0 means N.
	Draws int `json:"draws,omitempty"`
}

// Known reports whether the estimate has a value.
func (e Estimate) Known() bool { return e.Value != nil }

// FiniteOrNil returns a pointer to x, and nil if x is NaN or infinite: neither NaN nor infinity may
// ever reach a file.
func FiniteOrNil(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// AddKnown adds x to a number that may be unknown.
func AddKnown(p *float64, x float64) *float64 {
	if p == nil {
		return nil
	}
	return FiniteOrNil(*p + x)
}

// ValueOr returns *p, or otherwise when p is nil.
func ValueOr(p *float64, otherwise float64) float64 {
	if p == nil {
		return otherwise
	}
	return *p
}

// Range is the closed interval of a bounded quantity, such as the rewards of a grader. A nil *Range
// means an unbounded quantity.
type Range struct{ Lo, Hi float64 }

// Width returns Hi - Lo.
func (r Range) Width() float64 { return r.Hi - r.Lo }

// With returns the smallest range that includes r and x.
func (r Range) With(x float64) Range { return Range{math.Min(r.Lo, x), math.Max(r.Hi, x)} }

// unit is the range of shares and probabilities.
var unit = Range{0, 1}

// rounding is the share of a range (or of the largest value, without one)
// below which a difference is float noise and counts as none.
const rounding = 1e-12

// holds reports whether x is in the range, up to float noise.
func (r Range) holds(x float64) bool {
	slack := rounding * r.Width()
	return x >= r.Lo-slack && x <= r.Hi+slack
}

// atEnd reports whether x is one of the ends, up to float noise.
func (r Range) atEnd(x float64) bool {
	slack := rounding * r.Width()
	return x <= r.Lo+slack || x >= r.Hi-slack
}

// share returns the position of x between Lo (0) and Hi (1).
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

// Share estimates a proportion of independent items by its exact interval (Clopper & Pearson 1934).
// If none or all of them are hits there is no standard error. Without items nothing is known.
func Share(hits, items int, conf float64) Estimate {
	checkConf(conf)
	const method = "share of items; Clopper–Pearson interval"
	if items == 0 {
		return unknown(0, 0, method, noTrials.Text())
	}
	low, high := ClopperPearson(float64(hits), float64(items), conf)
	p := float64(hits) / float64(items)
	e := Estimate{
		Value: FiniteOrNil(p), Low: FiniteOrNil(low), High: FiniteOrNil(high), N: items, Items: items, Method: method,
		Warnings: []message.Text{},
	}
	if hits > 0 && hits < items {
		e.SE = FiniteOrNil(math.Sqrt(p * (1 - p) / float64(items)))
	}
	return e
}

// Scale returns the estimate of by times the quantity: value, interval and standard errors.
func Scale(e Estimate, by float64) Estimate {
	times := func(p *float64) *float64 {
		if p == nil {
			return nil
		}
		return FiniteOrNil(*p * by)
	}
	e.Value, e.SE, e.Low, e.High, e.FixedSE = times(e.Value), times(e.SE), times(e.Low), times(e.High), times(e.FixedSE)
	e.Warnings = slices.Clone(e.Warnings)
	return e
}

// Net returns the share of groups that are informative beyond the grader's own noise: informative x
// (1 - λ), where λ is the grader's share of the variance within items. In a simulated backtest of
// 100 trainings it predicted which ones gain better than the share alone (AUC 0.79 against 0.71).
// The interval combines those of both factors by square-and-add (Zou & Donner 2008, Stat. Med.
// 27:1693), within what they allow together. It is nil if λ is unknown.
func Net(e, noise Estimate) *Estimate {
	if !e.Known() || !noise.Known() || noise.Low == nil || noise.High == nil {
		return nil
	}
	keep := 1 - *noise.Value
	net := Scale(e, keep)
	net.FixedSE = nil
	estimator, _, _ := strings.Cut(e.Method, "; ")
	net.Method = estimator + ", times 1 - the grader's share of the variance within items; square-and-add (Zou & " +
		"Donner 2008)"
	if e.Low != nil {
		low := *net.Value - math.Hypot(keep*(*e.Value-*e.Low), *e.Value*(*noise.High-*noise.Value))
		net.Low = FiniteOrNil(max(low, *e.Low*(1-*noise.High)))
	}
	if e.High != nil {
		high := *net.Value + math.Hypot(keep*(*e.High-*e.Value), *e.Value*(*noise.Value-*noise.Low))
		net.High = FiniteOrNil(min(high, *e.High*(1-*noise.Low)))
	}
	return &net
}

// Fraction returns part / whole, and 0 if whole is 0.
func Fraction(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Ratio estimates a/b of two nonnegative quantities, each with its own interval, at the confidence
// of these intervals: the method of variance estimates recovery for ratios (Donner & Zou 2012,
// Stat. Methods Med. Res. 21:347). It assumes that the two are independent: a positive correlation
// makes the interval wider than necessary. An end that b's uncertainty leaves open is nil.
func Ratio(a, b Estimate, method string) Estimate {
	e := Estimate{N: a.N, Items: b.Items, Method: method, Warnings: []message.Text{}}
	if !a.Known() || !b.Known() || *b.Value <= 0 {
		e.warn(needsBoth.Text())
		return e
	}
	x, y := *a.Value, *b.Value
	e.Value = FiniteOrNil(x / y)
	if a.Low == nil || a.High == nil || b.Low == nil || b.High == nil {
		return e
	}
	l1, u1, l2, u2 := *a.Low, *a.High, *b.Low, *b.High
	if d := u2 * (2*y - u2); d > 0 {
		root := max(0, (x*y)*(x*y)-l1*u2*(2*x-l1)*(2*y-u2))
		e.Low = FiniteOrNil(max(0, (x*y-math.Sqrt(root))/d))
	} else {
		e.Low = FiniteOrNil(l1 / u2)
	}
	if d := l2 * (2*y - l2); d > 0 {
		root := max(0, (x*y)*(x*y)-u1*l2*(2*x-u1)*(2*y-l2))
		e.High = FiniteOrNil((x*y + math.Sqrt(root)) / d)
	}
	e.Low = FiniteOrNil(min(*e.Low, *e.Value))
	return e
}
