package measure

import (
	"maps"
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// evidence is what was read from a run, and what outputs with several grades show about the
// grader's noise.
type evidence struct {
	*collect.Collector
	everywhere []regraded // the items of all splits, if any output was graded twice

	form     *analysis.AnswerForm  // nil if it was not searched for
	example  rollout.Key           // the rollout of the form's example
	formless map[*collect.Row]bool // the rollouts without the form, as far as they were checked
	unpaid   map[rollout.Key]bool  // the items of those of them that state their reference, with sample 0
	reasoned bool                  // an answer at the top contains reasoning
}

// grader measures the grader over all splits: from plain rollouts, from the audit's records, and
// from people's labels. It is nil if there are none of these.
func (c *evidence) grader(items []*collect.Item, agreement *analysis.Agreement, info *rollout.GraderInfo,
	s analysis.Settings,
) *analysis.Grader {
	g := EmptyGrader(s)
	g.Audited, g.Agreement = c.Audit.Records, agreement
	g.Resolution, g.Clipped = c.resolution(s)
	g.Failures = c.failuresOfGrader(items)
	if g.Resolution == nil && g.Audited == 0 && agreement == nil {
		return nil
	}
	c.noise(g, s)
	g.Form = c.form
	g.Length = c.lengthEffect(items, s)
	g.Layers = c.layers(items, info, s)
	g.TooGood = c.tooGood(items)
	means := itemMeans(items)
	g.OnlyCompares = info != nil && info.GroupSize > 0 && onlyCompares(items, means, s.RewardRange.Width())
	g.Probes = c.probeResults(means, g.Reach, s)
	c.acceptance(g, s)
	g.SuspectReferences = SuspectReferences(c.Collector, items, s)
	g.Compared, g.ComparedRewards = c.compared(items)
	g.Guessable, g.GuessableAnswer = c.guessable(s)
	g.GuessableGain = c.guessableGain(items, s)
	g.ToolCallAlone, _ = c.meanOf(rollout.ProbeEachTool, "mean over items of the reward of tool calls without the task", s)
	g.Detectors = c.detectors(s)
	return g
}

// onlyCompares reports whether two items or more have means within a hundredth of the reward range,
// although the rewards of an item differ.
func onlyCompares(items []*collect.Item, means map[collect.ItemKey]float64, width float64) bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, mean := range means {
		low, high = min(low, mean), max(high, mean)
	}
	differ := slices.ContainsFunc(items, func(it *collect.Item) bool {
		return len(it.Rewards) > 0 && slices.Max(it.Rewards)-slices.Min(it.Rewards) > width/100
	})
	return differ && len(means) > 1 && high-low < width/100
}

// EmptyGrader returns a Grader without any measurement.
func EmptyGrader(s analysis.Settings) *analysis.Grader {
	return &analysis.Grader{
		NoiseVar: noiseVar(nil, s), Probes: []analysis.ProbeResult{},
		SuspectReferences: []analysis.SuspectReference{}, TooGood: []analysis.TooGood{},
	}
}

// resolution measures how finely the grader distinguishes outputs, and counts the grades outside a
// judge's own range.
func (c *evidence) resolution(s analysis.Settings) (*analysis.Resolution, int) {
	counts := make(map[int64]int)
	eps := 1e-6 * s.RewardRange.Width()
	total, clipped := 0, 0
	for r := range c.Rows() {
		if !r.Valid {
			continue
		}
		counts[int64(math.Round((c.GraderReward(r)-s.RewardRange.Lo)/eps))]++
		total++
		if r.Clipped {
			clipped++
		}
	}
	if total == 0 {
		return nil, 0
	}
	res := &analysis.Resolution{N: total, Distinct: len(counts)}
	entropy := 0.0
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		p := float64(counts[value]) / float64(total)
		entropy -= p * math.Log2(p)
	}
	res.EntropyBits = stat.FiniteOrNil(math.Max(0, entropy))
	top := int64(math.Round(s.RewardRange.Width() / eps))
	res.ShareLow = stat.FiniteOrNil(float64(counts[0]) / float64(total))
	res.ShareHigh = stat.FiniteOrNil(float64(counts[top]) / float64(total))
	return res, clipped
}

// itemMeans returns the mean rewards of the items' own rollouts.
func itemMeans(items []*collect.Item) map[collect.ItemKey]float64 {
	out := make(map[collect.ItemKey]float64, len(items))
	for _, it := range items {
		if len(it.Rewards) > 0 {
			mean, _ := stat.MeanVariance(it.Rewards)
			out[it.Key()] = mean
		}
	}
	return out
}

// lengthEffect relates the reward to the logarithm of the answer's length, over graded rollouts
// with an answer. It uses the rewards that the grader gave, not a detector's zeros. If a missing
// form explains the lowest rewards, answers without it are left out: a missing line makes an answer
// shorter.
func (c *evidence) lengthEffect(items []*collect.Item, s analysis.Settings) *analysis.LengthEffect {
	pairs := pairsOf(items, func(r *collect.Row) (float64, bool) {
		return math.Log2(float64(r.Length)), r.Length > 0 && r.Outcome() == rollout.Graded &&
			!(c.form.Explains() && c.formless[r])
	}, c.GraderReward)
	if len(pairs) == 0 {
		return nil
	}
	within := stat.WithinLine(pairs, s.Confidence)
	l := &analysis.LengthEffect{
		Within: within.Correlation, Slope: within.Slope, P: within.P,
		Pooled: stat.PooledLine(pairs, s.Confidence).Correlation,
	}
	if l.Slope.Known() {
		doublings := 2 * spreadWithin(pairs)
		l.Ratio, l.Gain = stat.FiniteOrNil(math.Exp2(doublings)),
			stat.FiniteOrNil(math.Min(math.Abs(*l.Slope.Value)*doublings, s.RewardRange.Width()))
	}
	return l
}

// spreadWithin returns the standard deviation of X around the items' means, over the items in which
// X differs.
func spreadWithin(pairs [][]stat.Pair) float64 {
	var items [][]float64
	for _, item := range pairs {
		xs := make([]float64, len(item))
		for i, p := range item {
			xs[i] = p.X
		}
		if slices.Min(xs) < slices.Max(xs) {
			items = append(items, xs)
		}
	}
	within, _ := stat.ANOVA(items)
	return math.Sqrt(stat.ValueOr(within, 0))
}
