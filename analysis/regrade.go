package analysis

import (
	"math"
	"slices"

	"gonogo/analysis/stat"
)

// regraded is what one item tells about grader noise and about all noise.
type regraded struct {
	noise   []float64 // the variance of the grades of each output graded twice or more
	flips   []float64 // of each, the share of pairs of grades that differ at all
	moves   []float64 // of each, the share of pairs that differ by more than the margin
	dev     float64   // summed squared deviations from the item mean,
	free    float64   // and n-1
	between bool      // some grade is neither the bottom nor the top
}

// noNoise says why a figure about regrades is not known.
const noNoise = "no output was graded twice: at least 2 grades of one output are needed, and 2 items or more with such outputs"

// regrades collects the items with a valid reward.
func regrades(items []*item, c *collector, margin float64) []regraded {
	var out []regraded
	for _, it := range items {
		if len(it.rewards) == 0 {
			continue
		}
		n := float64(len(it.rewards))
		_, v := meanAndVariance(it.rewards)
		g := regraded{dev: v * (n - 1), free: n - 1}
		for _, y := range it.rewards {
			g.between = g.between || !c.atTop(y) && !c.atBottom(y)
		}
		for _, r := range it.rows {
			if r.valid && len(r.grades) > 1 {
				_, v := meanAndVariance(r.grades)
				g.noise = append(g.noise, v)
				g.flips = append(g.flips, apart(r.grades, 1e-6*c.rng.Width()))
				g.moves = append(g.moves, apart(r.grades, margin*c.rng.Width()+1e-9*c.rng.Width()))
				g.between = g.between || slices.ContainsFunc(r.grades, func(y float64) bool { return !c.atTop(y) && !c.atBottom(y) })
			}
		}
		slices.Sort(g.noise) // no sum may hang on the order of lines
		out = append(out, g)
	}
	return out
}

// apart is the share of pairs of grades, ascending, that lie farther apart.
func apart(grades []float64, than float64) float64 {
	far, pairs := 0.0, 0.0
	for i := range grades {
		for j := range i {
			if grades[i]-grades[j] > than {
				far++
			}
			pairs++
		}
	}
	return far / pairs
}

// mostNoise is the largest variance that two or more grades of one output can
// have: one at either end of the range.
func mostNoise(s Settings) float64 { return s.RewardRange.Width() * s.RewardRange.Width() / 2 }

// noiseVar is the mean over outputs of the variance of their grades, clustered
// by item. Where no two grades of an output differ, the noise is at most the
// exact bound on the share of outputs that would show any, times the largest
// variance there is.
func noiseVar(items []regraded, s Settings) stat.Estimate {
	most := mostNoise(s)
	var shares [][]float64
	for _, g := range items {
		if len(g.noise) > 0 {
			of := make([]float64, len(g.noise))
			for i, v := range g.noise {
				of[i] = v / most
			}
			shares = append(shares, of)
		}
	}
	e := scale(stat.Disagreement(shares, s.Confidence), most)
	if !e.Known() {
		e.Method, e.Warnings = "mean variance of the grades of one output", []string{noNoise}
		return e
	}
	e.Method = "mean variance of the grades of one output, clustered by item"
	if *e.Value == 0 {
		e.Method = "mean variance of the grades of one output; exact bound on the share of outputs that would differ"
	}
	return e
}

// withinVar is the variance within items with its interval, clustered by item.
func withinVar(items []regraded, s Settings) stat.Estimate {
	most := mostNoise(s)
	var dev, free []float64
	n := 0.0
	for _, g := range items {
		if g.free > 0 {
			dev, free = append(dev, g.dev/most), append(free, g.free)
			n += g.free + 1
		}
	}
	return scale(stat.RatioOfSums(dev, free, int(n), s.Confidence), most)
}

// splitWithin takes the within-item variance apart into sampling and grader.
// The grader's share is the noise of the outputs that were graded again over
// the variance of all rollouts, each with its own interval, put together by
// the method of variance estimates recovery (stat.Ratio). It takes outputs
// graded again for a fair sample of the rollouts.
func splitWithin(v *Variance, items []regraded, s Settings) {
	const method = "variance of regrades over within-item variance; variance estimates recovery for a ratio (Donner & Zou 2012)"
	noise, within := noiseVar(items, s), withinVar(items, s)
	e := stat.Ratio(noise, within, method)
	e.N, e.Items = noise.N, len(items)
	switch {
	case !noise.Known():
		e.Value, e.Low, e.High, e.Warnings = nil, nil, nil, []string{noNoise}
	case v.Within == nil || !e.Known():
		e.Value, e.Low, e.High = nil, nil, nil
		e.Warnings = []string{"rewards of one item do not differ: a share of nothing has no value; items whose rewards differ are needed"}
		v.Grader = noise.Value
	default:
		v.Grader, v.Sampling = noise.Value, stat.Some(max(0, *v.Within-*noise.Value))
		if *e.Value > 1 {
			e.Warnings = append(e.Warnings, "the grades of one output differ more than the rewards of one item: the share counts as 1")
		}
		if e.High == nil {
			e.Warnings = append(e.Warnings, "too few items for an upper end: 20 items or more make it useful")
		}
		e.Value = stat.Some(min(1, *e.Value))
		e.Low, e.High = stat.Some(math.Min(1, stat.Or(e.Low, 0))), stat.Some(math.Min(1, stat.Or(e.High, 1)))
	}
	v.GraderShare = e
}

// noise fills what gradings of the same outputs tell: over all splits.
func (c *collector) noise(g *Grader, items []*item, s Settings) {
	if !c.regraded {
		g.NoiseVar = noiseVar(nil, s)
	} else {
		of := regrades(items, c, s.Thresholds.At(hackableMargin))
		g.NoiseVar = noiseVar(of, s)
		var flips, moves [][]float64
		yesOrNo := true
		for _, r := range of {
			flips, moves = append(flips, r.flips), append(moves, r.moves)
			yesOrNo = yesOrNo && !r.between
		}
		moved, _ := stat.FlipRate(moves, s.Confidence)
		g.Moved = some(moved)
		if yesOrNo {
			flip, consistency := stat.FlipRate(flips, s.Confidence)
			g.FlipRate, g.Consistency = some(flip), some(consistency)
		}
	}
	if n := c.audit.stale; n > 0 {
		g.NoiseVar.Warnings = append(g.NoiseVar.Warnings, plural(n, "output")+" of the audit begin with another grade than the one recorded now and are left out: run gonogo audit again")
	}
}
