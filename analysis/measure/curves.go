package measure

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// curves fills in everything that is a function of k or of the group size. It uses one common set
// of items, so that the mix of items is the same at every k.
func (m *Split) curves(sr *analysis.SplitResult) {
	r, conf := m.s.RewardRange, m.s.Confidence
	g := m.s.GroupSize
	if m.Samples >= 1 {
		ks := stat.Ks(m.Samples, g)
		sr.BestOf = m.atK(stat.BestOf(m.Common, ks, &r, conf))
		sr.WorstOf = m.atK(stat.WorstOf(m.Common, ks, &r, conf))
		unit := stat.Range{Lo: 0, Hi: 1}
		passed := passes(m.Common, m.rightFrom())
		sr.PassAt = m.atK(stat.BestOf(passed, ks, &unit, conf))
		sr.PassAll = m.atK(stat.WorstOf(passed, ks, &unit, conf))
	}
	m.lift(sr)
	sr.Signal = m.signal(sr.Variance.Noise())
	sr.SignalRewardSD = m.rewardSD()
	m.extrapolate(sr)
}

func (m *Split) atK(in []stat.AtK) []analysis.AtK {
	out := make([]analysis.AtK, len(in))
	for i, p := range in {
		out[i] = analysis.AtK{Estimate: m.commonNote(p.Estimate), K: p.K}
	}
	return out
}

var (
	overCommon  = message.New("measure.over_common", "over the {common} of {items} with at least {rollouts}")
	liftAtLeast = message.New("measure.lift_at_least", "a lower bound: items have {samples}, the group size is {size}")
)

// commonNote adds a warning to a curve that does not use all items.
func (m *Split) commonNote(e stat.Estimate) stat.Estimate {
	if m.dropped > 0 {
		e.Warnings = append(e.Warnings,
			overCommon.With(message.Args{
				"common":   message.Int(len(m.Common)),
				"items":    message.Count(len(m.Measured), "item"),
				"rollouts": message.Count(m.Samples, "valid rollout"),
			}))
	}
	return e
}

// rightFrom returns the reward from which a rollout is right: the pass threshold, else the best that a
// perfect policy earns, less float noise.
func (m *Split) rightFrom() float64 {
	if t := m.s.PassThreshold; t != nil {
		return *t
	}
	return m.s.Best() - m.strict()
}

func passes(items [][]float64, threshold float64) [][]float64 {
	out := make([][]float64, len(items))
	for i, ys := range items {
		out[i] = make([]float64, len(ys))
		for j, y := range ys {
			if y >= threshold {
				out[i][j] = 1
			}
		}
	}
	return out
}

// lift fills in lift, headroom and their ratio at the group size. If items have fewer samples, it
// uses these, and lift is a lower bound.
func (m *Split) lift(sr *analysis.SplitResult) {
	r, conf := m.s.RewardRange, m.s.Confidence
	k := min(m.s.GroupSize, m.Samples)
	width := stat.Range{Lo: 0, Hi: r.Width()}
	lift, values := stat.Lift(m.Common, k, r, conf)
	sr.Lift = m.commonNote(lift)
	if k < m.s.GroupSize && k >= 1 {
		sr.Lift.Warnings = append(sr.Lift.Warnings,
			liftAtLeast.With(message.Args{
				"samples": message.Count(m.Samples, "sample"),
				"size":    message.Int(m.s.GroupSize),
			}))
	}

	heads, within := headroom(m.Rewards, r.Hi)
	if slices.ContainsFunc(m.Rewards, func(ys []float64) bool { return len(ys) < 2 }) {
		within = nil
	}
	sr.Headroom = stat.ItemMeans(heads, within, CountAll(m.Rewards), &width, conf,
		"mean over items of top of range - mean")

	heads, _ = headroom(m.Common, r.Hi)
	sr.LiftShare = m.commonNote(stat.RatioOfSums(values, heads, CountAll(m.Common), conf))
}

// headroom returns how far each item's mean is below the top, and the variance of that mean.
func headroom(items [][]float64, top float64) (heads, within []float64) {
	for _, ys := range items {
		mean, v := stat.MeanVariance(ys)
		heads, within = append(heads, top-mean), append(within, v/float64(len(ys)))
	}
	return heads, within
}

// signalDoublings is the number of doublings of the samples up to which group sizes get bounds:
// trainers choose sizes that way.
const signalDoublings = 3

// signal returns the informative share by group size, and net of grader noise if the grader's share
// of the variance within items is known.
func (m *Split) signal(noise stat.Estimate) []analysis.Signal {
	out := []analysis.Signal{}
	strict := m.strict()
	g := m.s.GroupSize
	for _, size := range stat.Ks(m.Samples, g) {
		if size < 2 {
			continue
		}
		e := m.commonNote(Signal(m.s, m.Common, size))
		s := stat.Signal(m.Common, size, strict, m.s.Confidence)
		out = append(out, analysis.Signal{
			Estimate: e, GroupSize: size, Informative: e.Value, Strict: s.Value,
			Tolerance: equalWithin(m.s, size), Bound: "exact",
		})
	}
	n := m.Samples
	tolerance, teaching := equalWithin(m.s, n), trained(m.s, m.Common, n)
	for _, size := range beyond(m.Samples, g) {
		low, _ := stat.SignalBracket(teaching, size, tolerance, strict, m.s.Confidence)
		strictLow, high := stat.SignalBracket(m.Common, size, strict, strict, m.s.Confidence)
		low, high = m.commonNote(low), m.commonNote(high)
		out = append(out,
			analysis.Signal{
				Estimate: low, GroupSize: size, Informative: low.Value, Strict: strictLow.Value,
				Tolerance: tolerance, Bound: "lower",
			},
			analysis.Signal{
				Estimate: high, GroupSize: size, Informative: high.Value, Strict: high.Value,
				Tolerance: tolerance, Bound: "upper",
			})
	}
	for i := range out {
		out[i].Net = stat.Net(out[i].Estimate, noise)
	}
	return out
}

// beyond lists the group sizes above n that get a bracket, ascending: doublings of n, and g if it
// is one of them or between them. If n is too small for any bracket, it returns only g, so that the
// bracket of g can say why.
func beyond(n, g int) []int {
	if n < 2 {
		return []int{g}
	}
	var sizes []int
	placed := g <= n
	for i, size := 0, n; i < signalDoublings; i++ {
		size *= 2
		if !placed && g <= size {
			if g < size {
				sizes = append(sizes, g)
			}
			placed = true
		}
		sizes = append(sizes, size)
	}
	if !placed {
		sizes = append(sizes, g)
	}
	return sizes
}

// strict returns the span that rewards must exceed to differ by more than float noise.
func (m *Split) strict() float64 { return floatNoise * m.s.RewardRange.Width() }

// Tolerance returns the span up to which rewards count as equal in a group of the trainer's size.
func (m *Split) Tolerance() float64 { return equalWithin(m.s, m.s.GroupSize) }

const (
	floatNoise = collect.RewardNoise // the share of the reward range that is float noise
	// the share of the reward range that a group's rewards must span if the trainer does not
	// normalize them
	leastShare = 0.01
)

// equalRounding is the share of a tolerance that float rounding may cost.
const equalRounding = 1e-6

// equalWithin returns the span up to which the rewards of any group of g count as equal for the
// trainer.
//
// A trainer that divides by the standard deviation s of the group (n-1) adds epsilon to it, and
// keeps s/(s+epsilon) of the advantages. A group counts if that is at least half, which is s >=
// epsilon. Of all groups with the same span, the one with half of its rewards at either end has the
// largest s: if even that is too small, the group is flat. This is exact for pairs; trained uses
// the actual s for groups that are all of an item's rewards. A trainer that does not divide uses
// the rewards unchanged: they must span 1 % of the range.
func equalWithin(s analysis.Settings, g int) float64 {
	width := s.RewardRange.Width()
	if s.Normalize == analysis.NormalizeNone {
		return leastShare * width * (1 - equalRounding)
	}
	g = max(2, g)
	low, high := float64(g/2), float64(g-g/2)
	most := math.Sqrt(low * high / float64(g*(g-1))) // s for a span of 1
	return max(s.Epsilon/most*(1-equalRounding), floatNoise*width)
}

// trained returns the rewards of items as a trainer sees groups of g: if a group is all rewards of
// an item and their standard deviation is less than epsilon, they become equal.
func trained(s analysis.Settings, items [][]float64, g int) [][]float64 {
	if s.Normalize == analysis.NormalizeNone {
		return items
	}
	items = slices.Clone(items)
	for i, ys := range items {
		if len(ys) != g || g < 2 {
			continue
		}
		if _, v := stat.MeanVariance(ys); math.Sqrt(v) < s.Epsilon*(1-equalRounding) {
			items[i] = slices.Repeat(ys[:1], g)
		}
	}
	return items
}

// Signal estimates the share of groups of g in which rewards differ for the trainer.
func Signal(s analysis.Settings, items [][]float64, g int) stat.Estimate {
	return stat.Signal(trained(s, items, g), g, equalWithin(s, g), s.Confidence)
}

// Informative returns the share of the groups of g from an item's sorted rewards that differ for
// the trainer.
func Informative(s analysis.Settings, sorted []float64, g int) float64 {
	return stat.Informative(trained(s, [][]float64{sorted}, g)[0], g, equalWithin(s, g))
}

func (m *Split) rewardSD() stat.Estimate {
	width := m.s.RewardRange.Width()
	var sds []float64
	n := 0
	for _, ys := range m.Rewards {
		if len(ys) < 2 {
			continue
		}
		_, v := stat.MeanVariance(ys)
		sds = append(sds, math.Sqrt(v)/width)
		n += len(ys)
	}
	unit := stat.Range{Lo: 0, Hi: 1}
	return stat.ItemMeans(sds, nil, n, &unit, m.s.Confidence,
		"mean over items of the reward's standard deviation (n-1), in units of the range")
}

// CountAll returns the number of values of all items.
func CountAll(items [][]float64) int {
	n := 0
	for _, ys := range items {
		n += len(ys)
	}
	return n
}
