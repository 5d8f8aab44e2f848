package analysis

import (
	"math/rand/v2"
	"slices"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// regraded is what one item tells about grader noise and about all noise.
type regraded struct {
	noise, outputs float64 // summed variance of the grades of one output, over outputs graded twice or more
	dev, free      float64 // summed squared deviations from the item mean, and n-1
}

// noNoise says why a figure about regrades is not known.
const noNoise = "no output was graded twice: at least 2 grades of one output are needed, and 2 items or more with such outputs"

// regrades collects the items with a valid reward.
func regrades(items []*item) []regraded {
	var out []regraded
	for _, it := range items {
		if len(it.rewards) == 0 {
			continue
		}
		n := float64(len(it.rewards))
		_, v := meanAndVariance(it.rewards)
		g := regraded{dev: v * (n - 1), free: n - 1}
		var noise []float64
		for _, r := range it.rows {
			if r.valid && len(r.grades) > 1 {
				_, v := meanAndVariance(r.grades)
				noise = append(noise, v)
			}
		}
		slices.Sort(noise) // the sum must not hang on the order of lines
		for _, v := range noise {
			g.noise += v
		}
		g.outputs = float64(len(noise))
		out = append(out, g)
	}
	return out
}

// noiseVar is the mean over outputs of the variance of their grades, clustered
// by item. A variance of grades is at most half the squared range: two grades,
// one at either end.
func noiseVar(items []regraded, s Settings) stat.Estimate {
	most := s.RewardRange.Width() * s.RewardRange.Width() / 2
	var noise, outputs []float64
	total := 0.0
	for _, g := range items {
		if g.outputs > 0 {
			noise, outputs = append(noise, g.noise/most), append(outputs, g.outputs)
			total += g.outputs
		}
	}
	e := scale(stat.RatioOfSums(noise, outputs, int(total), s.Confidence), most)
	e.Method = "mean variance of the grades of one output; " + e.Method
	if !e.Known() {
		e.Warnings = []string{noNoise}
	}
	return e
}

// graderShare returns the grader's part of the within-item variance, and false when
// there is no such variance or no output was graded twice.
func graderShare(items []regraded) (float64, bool) {
	var sum regraded
	for _, g := range items {
		sum.noise, sum.outputs = sum.noise+g.noise, sum.outputs+g.outputs
		sum.dev, sum.free = sum.dev+g.dev, sum.free+g.free
	}
	if sum.outputs == 0 || sum.dev <= 0 {
		return 0, false
	}
	return sum.noise / sum.outputs * sum.free / sum.dev, true
}

// splitWithin takes the within-item variance apart into sampling and grader.
// The share's interval is the percentile interval over resamples of items
// (Davison & Hinkley 1997, Bootstrap Methods, §3.8).
func splitWithin(v *Variance, items []regraded, s Settings) {
	e := stat.Estimate{Items: len(items), Method: "variance of regrades over within-item variance; percentile interval, items resampled", Warnings: []string{}}
	for _, g := range items {
		e.N += int(g.outputs)
	}
	value, ok := graderShare(items)
	switch noise := noiseVar(items, s); {
	case !noise.Known():
		e.Warnings = append(e.Warnings, noNoise)
	case v.Within == nil || !ok:
		e.Warnings = append(e.Warnings, "rewards of one item do not differ: a share of nothing has no value; items whose rewards differ are needed")
		v.Grader = noise.Value
	default:
		v.Grader, v.Sampling = noise.Value, stat.Some(max(0, *v.Within-*noise.Value))
		e.Value = stat.Some(min(1, value))
		if value > 1 {
			e.Warnings = append(e.Warnings, "the grades of one output differ more than the rewards of one item: the share counts as 1")
		}
		resampleShare(&e, items, s)
	}
	v.GraderShare = e
}

// fewestResamples is what a percentile interval needs at least.
const fewestResamples = 100

func resampleShare(e *stat.Estimate, items []regraded, s Settings) {
	rng := rand.New(rand.NewPCG(s.Seed, 0x9ade))
	draws := make([]float64, 0, s.Boot)
	again := make([]regraded, len(items))
	for range s.Boot {
		for i := range again {
			again[i] = items[rng.IntN(len(items))]
		}
		if x, ok := graderShare(again); ok {
			draws = append(draws, min(1, x))
		}
	}
	tail := (1 - s.Confidence) / 2
	if len(draws) >= fewestResamples && len(items) > 1 {
		low, high := min(stat.Quantile(draws, tail), *e.Value), max(stat.Quantile(draws, 1-tail), *e.Value)
		if low < high {
			e.Low, e.High = &low, &high
			return
		}
	}
	e.Low, e.High = stat.Some(0), stat.Some(1)
	e.Warnings = append(e.Warnings, "too few items differ in their noise: the interval is the whole range; 20 items or more make it useful")
}

// noiseVar is that of the items of all splits.
func (c *collector) noiseVar(s Settings) stat.Estimate {
	var items []regraded
	if c.regraded {
		for _, split := range rollout.Splits() {
			items = append(items, regrades(c.items(split, nil))...)
		}
	}
	return noiseVar(items, s)
}
