package compare

import (
	"math"
	"math/rand/v2"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// comparer compares one split. It holds the data that all its differences share.
type comparer struct {
	s      analysis.Settings
	pairs  []pair // nil if the comparison is unpaired
	base   []*collect.RunItem
	new    []*collect.RunItem
	paired bool
}

// unitRange is the range of shares.
var unitRange = stat.Range{Lo: 0, Hi: 1}

// flipWork limits the cost of sign flips: items times draws of one difference.
const flipWork = 1e8

// values holds one quantity by item: if paired, base and new have the same items.
type values struct {
	base, new []float64
	within    []float64 // sampling variances of the differences; nil: unknown
	families  []string  // of paired items
	n         int       // rollouts
}

// collect gets one quantity from every item that has it. measure returns its value, the sampling
// variance of that value, the number of rollouts that have it (0: none), and whether the variance
// is known.
func (c *comparer) collect(measure func(*collect.RunItem) (value, variance float64, n int, known bool)) values {
	var v values
	if !c.paired {
		take := func(items []*collect.RunItem) (out []float64) {
			for _, it := range items {
				if x, _, n, _ := measure(it); n > 0 {
					out, v.n = append(out, x), v.n+n
				}
			}
			return out
		}
		v.base, v.new = take(c.base), take(c.new)
		return v
	}
	all := true
	for _, p := range c.pairs {
		b, vb, nb, okB := measure(p.base)
		n, vn, nn, okN := measure(p.new)
		if nb == 0 || nn == 0 {
			continue
		}
		v.base, v.new, v.n = append(v.base, b), append(v.new, n), v.n+nb+nn
		v.within = append(v.within, vb+vn)
		v.families = append(v.families, p.family())
		all = all && okB && okN
	}
	if !all {
		v.within = nil
	}
	return v
}

// deltas returns the differences by item, without floating-point noise: means of equal rewards over
// different numbers of samples differ in the last digit.
func (v values) deltas() []float64 {
	d := make([]float64, len(v.base))
	for i := range d {
		d[i] = v.new[i] - v.base[i]
		if math.Abs(d[i]) <= 1e-12*max(math.Abs(v.new[i]), math.Abs(v.base[i])) {
			d[i] = 0
		}
	}
	return d
}

// difference compares one quantity. rng is the range of one value; nil is unbounded.
func (c *comparer) difference(name, unit string, v values, rng *stat.Range) analysis.Difference {
	conf := c.s.Confidence
	d := analysis.Difference{
		Name: name, Unit: unit, Direction: "unclear", Base: averageOf(v.base),
		New: averageOf(v.new),
	}
	if c.paired {
		deltas := v.deltas()
		d.Estimate = stat.PairedMean(deltas, v.within, v.n, spanOf(rng), conf)
		d.P, d.Wilcoxon = c.flips(deltas), stat.SignedRank(deltas)
		d.Family = familyMean(deltas, v.families, conf)
	} else {
		d.Estimate, d.P = stat.Welch(v.base, v.new, v.n, rng, conf)
	}
	if d.SE != nil {
		d.MDE = stat.FiniteOrNil(stat.MDE(*d.SE, conf))
	}
	d.Direction = direction(d.Estimate, d.P, c.paired && d.Items < analysis.FewItems, 0, conf)
	if d.Family != nil && d.Family.Low != nil && d.Direction != "unclear" && *d.Family.Low <= 0 && *d.Family.High >= 0 {
		d.Warnings = append(d.Warnings, clustered.Text())
	}
	return d
}

var clustered = message.New("compare.clustered",
	"clustered by family, the interval contains 0: items of a family move together")

// flips returns the p-value of sign flips, with as many draws as flipWork allows.
func (c *comparer) flips(d []float64) *float64 {
	draws := min(9999, max(999, flipWork/max(1, len(d))))
	return stat.SignFlip(d, draws, rand.NewPCG(c.s.Seed, 0xf11b))
}

// direction returns up or down if the whole interval is beyond margin and, if strict, the p-value
// agrees; otherwise unclear.
func direction(e stat.Estimate, p *float64, strict bool, margin, conf float64) string {
	if e.Low == nil || e.High == nil || strict && (p == nil || *p > 1-conf) {
		return "unclear"
	}
	switch {
	case *e.Low > margin:
		return "up"
	case *e.High < -margin:
		return "down"
	}
	return "unclear"
}

// spanOf returns the range of the difference of two values within r.
func spanOf(r *stat.Range) *stat.Range {
	if r == nil {
		return nil
	}
	return &stat.Range{Lo: -r.Width(), Hi: r.Width()}
}

func averageOf(x []float64) *float64 {
	if len(x) == 0 {
		return nil
	}
	mean, _ := stat.MeanVariance(x)
	return stat.FiniteOrNil(mean)
}

// familyMean returns the mean difference, clustered by family; nil if no item has a family. An item
// without one counts as a family of its own.
func familyMean(d []float64, family []string, conf float64) *stat.Estimate {
	items, families, some := make([][]float64, len(d)), make([]string, len(d)), false
	for i := range d {
		items[i] = d[i : i+1]
		families[i] = "item " + message.Plain(float64(i))
		if family[i] != "" {
			families[i], some = "family "+family[i], true
		}
	}
	if !some {
		return nil
	}
	e := stat.FamilyMean(items, families, nil, conf)
	return &e
}

// rewards compares the mean reward.
func (c *comparer) rewards() (analysis.Difference, values) {
	v := c.collect(func(it *collect.RunItem) (float64, float64, int, bool) {
		if len(it.Rewards) == 0 {
			return 0, 0, 0, false
		}
		mean, variance, known := meanOf(it)
		return mean, variance, len(it.Rewards), known
	})
	d := c.difference("reward", "reward", v, &c.s.RewardRange)
	if c.paired {
		d.McNemar = c.mcnemar()
	}
	return d, v
}

// mcnemar returns the p-value of the exact test if every item was sampled once in both runs and
// rewards are only passes and failures; otherwise nil.
func (c *comparer) mcnemar() *float64 {
	rng := c.s.RewardRange
	gained, lost := 0, 0
	for _, p := range c.pairs {
		if len(p.base.Rewards) != 1 || len(p.new.Rewards) != 1 {
			return nil
		}
		b, n := p.base.Rewards[0], p.new.Rewards[0]
		for _, y := range []float64{b, n} {
			if y != rng.Lo && y != rng.Hi {
				return nil
			}
		}
		gained += one(n > b)
		lost += one(n < b)
	}
	if len(c.pairs) == 0 {
		return nil
	}
	return stat.FiniteOrNil(stat.McNemar(gained, lost))
}
