package analysis

import (
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// BestAt returns the best of k rollouts or, if items have fewer, of the largest known number below
// k. ok is false if none is known.
func (sr *SplitResult) BestAt(k int) (found AtK, ok bool) {
	for _, p := range sr.BestOf {
		if p.Known() && p.K <= k && p.K > found.K {
			found, ok = p, true
		}
	}
	return found, ok
}

// SignalAt returns the informative share at group size g as a lower and an upper bound. Both are
// the same entry if the share is exact, and nil if nothing is known.
func (sr *SplitResult) SignalAt(g int) (lower, upper *Signal) {
	for i := range sr.Signal {
		s := &sr.Signal[i]
		if s.GroupSize != g || !s.Known() {
			continue
		}
		switch s.Bound {
		case "lower":
			lower = s
		case "upper":
			upper = s
		default:
			return s, s
		}
	}
	return lower, upper
}

// Fits returns the models' estimates of a quantity beyond the samples, in their order. Like
// Signal.Teaches, the informative share is net of grader noise if that is known.
func (sr *SplitResult) Fits(quantity string) []Extrapolated {
	list := sr.Extrapolated
	if quantity == BestOfK {
		list = sr.Beyond.BestOf
	}
	var out []Extrapolated
	for _, x := range list {
		if x.Quantity != quantity || x.Value == nil {
			continue
		}
		e := sr.Shown(quantity, stat.Estimate{Value: x.Value, Low: x.Low, High: x.High})
		x.Value, x.Low, x.High = e.Value, e.Low, e.High
		out = append(out, x)
	}
	return out
}

// Shown returns an estimate of a quantity as reports show it: the informative share net of grader
// noise.
func (sr *SplitResult) Shown(quantity string, e stat.Estimate) stat.Estimate {
	if quantity == InformativeGroups {
		return sr.Net(e)
	}
	return e
}

// Net returns e without grader noise if the grader's share is known, else e.
func (sr *SplitResult) Net(e stat.Estimate) stat.Estimate {
	if net := stat.Net(e, sr.Variance.Noise()); net != nil {
		return *net
	}
	return e
}

// ExtrapolatedAt returns the estimates of Fits at k; nil if nothing is extrapolated there.
func (sr *SplitResult) ExtrapolatedAt(quantity string, k int) []Extrapolated {
	var out []Extrapolated
	for _, x := range sr.Fits(quantity) {
		if x.K == k {
			out = append(out, x)
		}
	}
	return out
}

// AuditConfidence returns the confidence for the grader's audit, which is judged only once however
// many looks at the rollouts there are.
func (r *Result) AuditConfidence() float64 {
	if r.Looks != nil {
		return r.Looks.Confidence
	}
	return r.Confidence
}

// TrainingSplit returns the split that the gates about training judge: train, or production if it
// is the only split. An evaluation set alone says nothing about training.
func TrainingSplit(r *Result) (rollout.Split, bool) {
	if r.Splits[rollout.Train] != nil {
		return rollout.Train, true
	}
	if len(r.Splits) == 1 && r.Splits[rollout.Production] != nil {
		return rollout.Production, true
	}
	return "", false
}

// Range returns the reward range.
func (r *Result) Range() stat.Range {
	return stat.Range{Lo: r.RewardRange[0], Hi: r.RewardRange[1]}
}

// OpenItems lists the items of the training split whose class more samples could settle: all their
// rewards are equal, but they are too few for a posterior of 0.95 that the rewards of the next
// group will be equal, too.
func (r *Result) OpenItems() (rollout.Split, []ItemResult) {
	split, ok := TrainingSplit(r)
	if !ok {
		return "", nil
	}
	var open []ItemResult
	for _, it := range r.Splits[split].Classes.Items {
		alike := it.Class == Unclassed || it.Stays != nil && it.SamplesToTell != nil && *it.Stays < SettledAt
		if it.Class != Mixed && alike {
			open = append(open, it)
		}
	}
	return split, open
}

// steadyAfter is the number of outputs that must be regraded without a change for a grader to count
// as free of noise: if more than 3 % of outputs changed (rule of three), this many would have shown
// a change with 95 % probability.
const steadyAfter = 100

// NoneSeen reports whether enough outputs were regraded for noise to show, and no grade changed.
func (v Variance) NoneSeen() bool {
	return v.GraderShare.N >= steadyAfter && v.GraderShare.Known() && *v.GraderShare.Value == 0
}

// Noise is the grader's share of the variance within items, as subtracted from the informative
// share: it is zero if many regrades showed no change, although its interval is wide when rewards
// hardly differ.
func (v Variance) Noise() stat.Estimate {
	e := v.GraderShare
	if v.NoneSeen() {
		e.High = stat.FiniteOrNil(0)
	}
	return e
}

// SettledAt is the posterior probability from which an item's class is settled.
const SettledAt = 0.95

// MaxItemsListed is the largest number of items that a finding lists.
const MaxItemsListed = 20
