package stat

import (
	"math"

	"gonogo/analysis/message"
)

// Ratio estimates a/b of two quantities that cannot be negative, each with an
// interval of its own, at the confidence of those: the method of variance
// estimates recovery for ratios (Donner & Zou 2012, Stat. Methods Med. Res.
// 21:347). It takes the two for independent: a positive correlation makes the
// interval wider than need be. An end that b's uncertainty leaves open is nil.
func Ratio(a, b Estimate, method string) Estimate {
	e := Estimate{N: a.N, Items: b.Items, Method: method, Warnings: []message.Text{}}
	if !a.Known() || !b.Known() || *b.Value <= 0 {
		e.warn(needsBoth.Text())
		return e
	}
	x, y := *a.Value, *b.Value
	e.Value = Some(x / y)
	if a.Low == nil || a.High == nil || b.Low == nil || b.High == nil {
		return e
	}
	l1, u1, l2, u2 := *a.Low, *a.High, *b.Low, *b.High
	if d := u2 * (2*y - u2); d > 0 {
		root := max(0, (x*y)*(x*y)-l1*u2*(2*x-l1)*(2*y-u2))
		e.Low = Some(max(0, (x*y-math.Sqrt(root))/d))
	} else {
		e.Low = Some(l1 / u2)
	}
	if d := l2 * (2*y - l2); d > 0 {
		root := max(0, (x*y)*(x*y)-u1*l2*(2*x-u1)*(2*y-l2))
		e.High = Some((x*y + math.Sqrt(root)) / d)
	}
	e.Low = Some(min(*e.Low, *e.Value))
	return e
}
