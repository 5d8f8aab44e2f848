package compare

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/measure"
	two "gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Quantities that the code names. A rise of one of the first three makes a policy not better: see
// Split.answer.
const (
	ownFailures = "own_failures"
	failures    = "failures"
	cutOff      = "cut_off"
	overTime    = "over_time_limit"
)

// quantity is a number by which two runs are compared.
type quantity struct {
	name, unit string
	better     string                                        // up or down; "": neither is better
	measure    func(*collect.RunItem) (value float64, n int) // of an item, over n rollouts
}

// Quantity names one aspect of a policy's behaviour by which runs are compared.
type Quantity struct {
	Name, Unit string
	Better     string // up or down; "": neither is better
}

// Quantities lists the behaviour of a policy in the order in which it is shown: first what is
// counted in every rollout, then quantiles over rollouts.
func Quantities() []Quantity {
	var out []Quantity
	for _, q := range behaviour() {
		out = append(out, Quantity{q.name, q.unit, q.better})
	}
	for _, t := range tails() {
		out = append(out, Quantity{t.name, t.unit, "down"})
	}
	return out
}

// The quantities whose full name includes a tool, a pair of tools or a part of the reward.
const (
	CallsOfTool = "calls_of_tool"
	ToolPair    = "tool_pair"
	RewardPart  = "reward_part"
)

// tallied is a quantity that is counted in every rollout.
func tallied(name, unit, better string, q collect.Quantity) quantity {
	return quantity{name, unit, better, func(it *collect.RunItem) (float64, int) { return it.Of[q].Mean(), it.Of[q].N }}
}

// behaviour lists the quantities of a policy's behaviour in the order in which they are shown;
// others omits those that are 0 in both runs.
func behaviour() []quantity {
	return []quantity{
		{ownFailures, "share", "down", func(it *collect.RunItem) (float64, int) { return ownFailuresOf(it) }},
		tallied(cutOff, "share", "down", collect.CutOff),
		tallied("refused", "share", "down", collect.Refused),
		tallied("tool_calls", "calls", "down", collect.ToolCalls),
		tallied("at_call_limit", "share", "down", collect.AtCallLimit),
		tallied("repeated_calls", "calls", "down", collect.RepeatedCalls),
		tallied("malformed_calls", "calls", "down", collect.MalformedCalls),
		tallied("parallel_turns", "share", "up", collect.ParallelTurns),
		tallied("turns", "turns", "down", collect.Turns),
		tallied("input_tokens", "tokens", "down", collect.InputTokens),
		tallied("output_tokens", "tokens", "down", collect.OutputTokens),
		tallied("reasoning_tokens", "tokens", "down", collect.ReasoningTokens),
		tallied("latency", "seconds", "down", collect.Seconds),
		tallied(overTime, "share", "down", collect.OverTimeLimit),
	}
}

// tail is a quantile over all rollouts: a mean does not show that a long tail is gone.
type tail struct {
	name, unit string
	p          float64
	measure    func(*collect.Try) (value float64, known bool)
}

func tails() []tail {
	calls := func(t *collect.Try) (float64, bool) { return float64(t.Calls), t.Calls >= 0 }
	turns := func(t *collect.Try) (float64, bool) { return float64(t.Turns), t.Turns >= 0 }
	seconds := func(t *collect.Try) (float64, bool) { return t.Elapsed, t.Elapsed > 0 }
	return []tail{
		{"tool_calls_p50", "calls", 0.5, calls},
		{"tool_calls_p95", "calls", 0.95, calls},
		{"tool_calls_p99", "calls", 0.99, calls},
		{"turns_p95", "turns", 0.95, turns},
		{"latency_p50", "seconds", 0.5, seconds},
		{"latency_p95", "seconds", 0.95, seconds},
	}
}

// Limits on the quantities listed by name: the most used tools and pairs, parts of the reward.
const (
	ToolsCompared = 8
	PairsCompared = 6
	PartsCompared = 12
	tailDraws     = 999
)

// others compares everything except the mean reward: rewards of groups, the policy's behaviour, and
// failures.
func (c *comparer) others(p pairing) []analysis.Difference {
	out := []analysis.Difference{}
	add := func(q quantity, subject string) *analysis.Difference {
		v := c.collect(func(it *collect.RunItem) (float64, float64, int, bool) {
			x, n := q.measure(it)
			return x, 0, n, false
		})
		if len(v.base) == 0 || len(v.new) == 0 {
			return nil
		}
		var rng *stat.Range
		switch q.unit {
		case "share":
			rng = &unitRange
		case "reward":
			rng = &c.s.RewardRange
		}
		d := c.difference(q.name, q.unit, v, rng)
		d.Of, d.Better = subject, q.better
		out = append(out, d)
		return &out[len(out)-1]
	}
	if c.s.PassThreshold != nil {
		add(quantity{"pass_rate", "share", "up", func(it *collect.RunItem) (float64, int) {
			passed := 0
			for _, y := range it.Rewards {
				passed += one(y >= *c.s.PassThreshold)
			}
			return float64(passed) / float64(max(1, len(it.Rewards))), len(it.Rewards)
		}}, "")
	}
	c.groups(add)
	for _, name := range c.names(PartsCompared,
		func(it *collect.RunItem) map[string]float64 { return counts(it.Parts) }) {
		add(quantity{
			RewardPart, "score", "up",
			func(it *collect.RunItem) (float64, int) { return it.Parts[name].Mean(), it.Parts[name].N },
		}, name)
	}
	for _, q := range behaviour() {
		if some := func(it *collect.RunItem) bool { x, _ := q.measure(it); return x != 0 }; slices.ContainsFunc(c.base,
			some) || slices.ContainsFunc(c.new, some) {
			add(q, "")
		}
	}
	perRollout := func(name, better string, countOf func(*collect.RunItem) float64) quantity {
		return quantity{name, "calls", better, func(it *collect.RunItem) (float64, int) {
			n := it.Of[collect.ToolCalls].N
			return countOf(it) / float64(max(1, n)), n
		}}
	}
	tools := c.names(ToolsCompared, func(it *collect.RunItem) map[string]float64 { return it.Tools })
	if len(tools) > 1 {
		for _, name := range tools {
			add(perRollout(CallsOfTool, "", func(it *collect.RunItem) float64 { return it.Tools[name] }), name)
		}
		for _, name := range c.names(PairsCompared, func(it *collect.RunItem) map[string]float64 { return it.Pairs }) {
			add(perRollout(ToolPair, "", func(it *collect.RunItem) float64 { return it.Pairs[name] }), name)
		}
	}
	out = append(out, c.tails()...)
	if d := c.failures(p); d != nil {
		out = append(out, *d)
	}
	c.correct(out)
	return out
}

// names returns at most limit of the most frequent names on both sides, the most frequent first.
func (c *comparer) names(limit int, countsOf func(*collect.RunItem) map[string]float64) []string {
	sums := make(map[string]float64)
	sides := [][]*collect.RunItem{c.base, c.new}
	for _, items := range sides {
		for _, it := range items {
			for name, n := range countsOf(it) {
				sums[name] += n
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(sums),
		func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	return names[:min(limit, len(names))]
}

func counts(tallies map[string]collect.Tally) map[string]float64 {
	n := make(map[string]float64, len(tallies))
	for name, t := range tallies {
		n[name] = float64(t.N)
	}
	return n
}

// tails compares quantiles over all rollouts.
func (c *comparer) tails() []analysis.Difference {
	var out []analysis.Difference
	for _, t := range tails() {
		valuesOf := func(items []*collect.RunItem) (values [][]float64, all []float64) {
			for _, it := range items {
				var xs []float64
				for i := range it.Tries {
					if x, known := t.measure(&it.Tries[i]); known && it.Tries[i].Valid {
						xs = append(xs, x)
					}
				}
				values, all = append(values, xs), append(all, xs...)
			}
			return values, all
		}
		baseValues, allBase := valuesOf(c.base)
		newValues, allNew := valuesOf(c.new)
		few := int(math.Ceil(1 / (1 - t.p))) // fewer values do not reach the tail
		if len(allBase) < few || len(allNew) < few || slices.Max(allBase) == 0 && slices.Max(allNew) == 0 {
			continue
		}
		draws := min(tailDraws, flipWork/(len(allBase)+len(allNew)))
		d := analysis.Difference{Name: t.name, Unit: t.unit, Better: "down", Direction: "unclear"}
		d.Base, d.New = stat.FiniteOrNil(stat.Quantile(allBase, t.p)), stat.FiniteOrNil(stat.Quantile(allNew, t.p))
		d.Estimate, d.P = stat.QuantileDifference(baseValues, newValues, c.paired, t.p, c.s.Confidence, draws,
			rand.NewPCG(c.s.Seed, 0x7a11))
		d.Direction = direction(d.Estimate, d.P, true, 0, c.s.Confidence)
		out = append(out, d)
	}
	return out
}

// failures compares the share of rollouts that failed at a tool or the grader, over the items of
// both runs, including those that lost all rollouts. Rollouts that failed at the model endpoint,
// and prompts that were too long for it, are left out: they say nothing about the policy. It returns
// nil if none failed.
func (c *comparer) failures(p pairing) *analysis.Difference {
	all := &comparer{s: c.s, base: p.base, new: p.new}
	if c.paired {
		all.pairs, all.paired = slices.Concat(p.pairs, p.lost), true
	}
	some := false
	v := all.collect(func(it *collect.RunItem) (float64, float64, int, bool) {
		failed, n := 0, 0
		for i := range it.Tries {
			n += one(it.Tries[i].Outcome != rollout.ModelAPI && it.Tries[i].Outcome != rollout.PromptTooLong)
			failed += one(it.Tries[i].Outcome == rollout.ToolFailed || it.Tries[i].Outcome == rollout.GraderFailed)
		}
		some = some || failed > 0
		return float64(failed) / float64(max(1, n)), 0, n, false
	})
	if !some || len(v.base) == 0 || len(v.new) == 0 {
		return nil
	}
	d := all.difference(failures, "share", v, &unitRange)
	d.Better = "down"
	return &d
}

// ownFailuresOf returns the share of valid rollouts in which the model itself gave no answer.
func ownFailuresOf(it *collect.RunItem) (share float64, n int) {
	failed := 0
	for i := range it.Tries {
		if it.Tries[i].Valid {
			n++
			failed += one(it.Tries[i].Outcome.OwnFailure())
		}
	}
	return float64(failed) / float64(max(1, n)), n
}

// groups compares what a group-relative trainer uses, best of k and the share of informative
// groups, at the group size or, if most items have fewer samples, at that number. Both sides have
// the same items.
func (c *comparer) groups(add func(quantity, string) *analysis.Difference) {
	k := c.groupSize()
	if k < 2 {
		return
	}
	group := func(name, unit, better string, statistic func([]float64) float64) {
		if d := add(quantity{name, unit, better, func(it *collect.RunItem) (float64, int) {
			if len(it.Rewards) < k {
				return 0, 0
			}
			return statistic(it.Rewards), len(it.Rewards)
		}}, ""); d != nil {
			d.K = k
		}
	}
	group("best_of", "reward", "up", func(rewards []float64) float64 { return stat.MaxOfK(rewards, k) })
	group("informative", "share", "", func(rewards []float64) float64 { return measure.Informative(c.s, rewards, k) })
}

// groupSize returns the group size, or the number of samples that most items have on both sides if
// that is smaller.
func (c *comparer) groupSize() int {
	var counts []int
	if c.paired {
		for _, p := range c.pairs {
			counts = append(counts, min(len(p.base.Rewards), len(p.new.Rewards)))
		}
	} else {
		for _, it := range slices.Concat(c.base, c.new) {
			if len(it.Rewards) > 0 {
				counts = append(counts, len(it.Rewards))
			}
		}
	}
	return min(c.s.GroupSize, measure.CommonSamples(counts))
}

// correct fills in the p-values corrected over a list of differences, and the classification of
// each change.
func (c *comparer) correct(list []analysis.Difference) {
	ps := make([]*float64, len(list))
	for i := range list {
		ps[i] = list[i].P
	}
	for i, p := range holm(ps) {
		list[i].PHolm = p
		list[i].Change = c.changeOf(&list[i])
	}
}

// changeOf classifies a difference: better, worse or, if neither direction is better, changed, if
// the whole interval and the corrected p agree; same if the whole interval is within compare.delta
// (absolute for shares, else relative to the base).
func (c *comparer) changeOf(d *analysis.Difference) string {
	if d.Low == nil || d.High == nil {
		return "unclear"
	}
	if d.Direction != "unclear" && d.PHolm != nil && *d.PHolm <= 1-c.s.Confidence {
		switch d.Better {
		case "":
			return "changed"
		case d.Direction:
			return "better"
		}
		return "worse"
	}
	margin := c.s.Thresholds.At(analysis.CompareDelta)
	switch {
	case d.Unit == "reward":
		margin *= c.s.RewardRange.Width()
	case d.Unit != "share" && d.Base != nil:
		margin *= math.Abs(*d.Base)
	}
	if *d.Low >= -margin && *d.High <= margin {
		return "same"
	}
	return "unclear"
}

// holm corrects the known p-values by Holm's method; unknown ones stay nil.
func holm(ps []*float64) []*float64 {
	var known []float64
	for _, p := range ps {
		if p != nil {
			known = append(known, *p)
		}
	}
	corrected := two.Holm(known)
	out := make([]*float64, len(ps))
	index := 0
	for i, p := range ps {
		if p != nil {
			out[i], index = stat.FiniteOrNil(corrected[index]), index+1
		}
	}
	return out
}
