package measure

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

var labelsOutside = message.New("grader.labels_outside",
	"the labels are outside the grader's range: only ranks are compared")

// agreement compares the grader with people: each labelled output has the grader's reward and the
// mean score of its raters. It is nil without labels.
func (c *evidence) agreement(items []*collect.Item, s analysis.Settings) *analysis.Agreement {
	outputs, labels := c.LabelledOutputs(items)
	if labels == 0 {
		return nil
	}
	a := &analysis.Agreement{Labels: labels, Items: []string{}}
	raters := make(map[string]bool)
	scaled := true // the labels are in the grader's range
	var pairs [][]stat.Pair
	gaps, ids := make(map[collect.ItemKey]float64), make(map[collect.ItemKey]string)
	var order []collect.ItemKey
	var last collect.ItemKey
	for _, o := range outputs {
		var scores []float64
		for _, rater := range slices.Sorted(maps.Keys(o.Scores)) {
			raters[rater] = true
			scores = append(scores, o.Scores[rater])
			scaled = scaled && c.holds(o.Scores[rater])
		}
		if o.Reward == nil {
			continue
		}
		a.Outputs++
		mean, _ := stat.MeanVariance(scores)
		if len(pairs) == 0 || o.Key != last {
			pairs = append(pairs, nil)
			order = append(order, o.Key)
			last = o.Key
		}
		i := len(pairs) - 1
		pairs[i] = append(pairs[i], stat.Pair{X: mean, Y: *o.Reward})
		ids[o.Key] = o.ID
		gaps[o.Key] = math.Max(gaps[o.Key], math.Abs(mean-*o.Reward))
	}
	a.Raters = len(raters)
	a.Spearman = stat.Spearman(pairs, s.Confidence)
	a.Alpha = alpha(outputs, s)
	if !scaled {
		a.Spearman.Warnings = append(a.Spearman.Warnings, labelsOutside.Text())
		return a
	}
	c.errors(a, items, outputs, s)
	a.Ceiling = c.humanCeiling(outputs, s)
	least := s.Thresholds.At(analysis.HackableMargin) * c.Range.Width()
	order = slices.DeleteFunc(order, func(k collect.ItemKey) bool { return gaps[k] <= least })
	sort.SliceStable(order, func(i, j int) bool { return gaps[order[i]] > gaps[order[j]] })
	for _, k := range order[:min(len(order), analysis.MaxItemsListed)] {
		a.Items = append(a.Items, ids[k])
	}
	return a
}

func (c *evidence) holds(score float64) bool {
	noise := 1e-9 * c.Range.Width()
	return score >= c.Range.Lo-noise && score <= c.Range.Hi+noise
}

// errors compares the grader as right or wrong with labels that say no more than that.
func (c *evidence) errors(a *analysis.Agreement, items []*collect.Item, outputs []*collect.Labelled,
	s analysis.Settings,
) {
	run, texts := c.Verdicts(items, outputs, s)
	if run == nil {
		return
	}
	var votes [][]stat.Pair
	var right, accepted, n []float64
	var last collect.ItemKey
	for _, o := range outputs {
		yes, known := o.Vote(c.Range)
		if o.Reward == nil || !known {
			continue
		}
		if i := len(votes) - 1; i < 0 || o.Key != last {
			votes, last = append(votes, nil), o.Key
			right, accepted, n = append(right, 0), append(accepted, 0), append(n, 0)
		}
		i := len(votes) - 1
		p := stat.Pair{X: float64(one(yes)), Y: float64(one(collect.Accepts(s, *o.Reward)))}
		votes[i] = append(votes[i], p)
		right[i], accepted[i], n[i] = right[i]+p.X, accepted[i]+p.Y, n[i]+1
	}
	total := 0
	for _, v := range votes {
		total += len(v)
	}
	if total == 0 {
		return
	}
	a.Kappa = some(stat.Kappa(votes, s.Confidence))
	a.BaseRate = some(stat.RatioOfSums(right, n, total, s.Confidence))
	var ofRun, ofTexts []stat.Verdicts
	sampled := false
	for _, it := range items {
		v := run[it.Key()]
		ofRun, ofTexts = append(ofRun, v), append(ofTexts, texts[it.Key()])
		sampled = sampled || v.OfAccepted.N+v.OfRejected.N > 0
	}
	var e stat.VerdictErrors
	if a.Errors = &e; !sampled {
		e = stat.RoganGladen(ofRun, ofTexts, s.Confidence)
		return
	}
	e = stat.ErrorsOf(ofRun, s.Confidence)
	q, labelled := e.Accepted, stat.RatioOfSums(accepted, n, total, s.Confidence)
	if *q.Value < *labelled.Low || *q.Value > *labelled.High {
		why := labelsChosen.With(message.Args{
			"labelled": message.Share(*labelled.Value), "all": message.Share(*q.Value),
		})
		a.BaseRate.Warnings = append(a.BaseRate.Warnings, why)
		if a.Kappa != nil {
			a.Kappa.Warnings = append(a.Kappa.Warnings, why)
		}
	}
}

var labelsChosen = message.New("grader.labels_chosen", "the grader accepts {labelled} of the labelled outputs and "+
	"{all} of the run's: this number is about the labelled ones only")

// alpha returns the raters' agreement with each other; nil if no output has two raters.
func alpha(outputs []*collect.Labelled, s analysis.Settings) *stat.Estimate {
	var items [][][]float64
	several := false
	for i, o := range outputs {
		if i == 0 || o.Key != outputs[i-1].Key {
			items = append(items, nil)
		}
		var scores []float64
		for _, rater := range slices.Sorted(maps.Keys(o.Scores)) {
			scores = append(scores, o.Scores[rater])
		}
		several = several || len(scores) > 1
		items[len(items)-1] = append(items[len(items)-1], scores)
	}
	if !several {
		return nil
	}
	e := stat.Alpha(items, s.Confidence, s.Boot, rand.NewPCG(s.Seed, 0xa1fa))
	return &e
}

// humanCeiling returns what the outputs that one rater puts at the top earn from another rater, on
// average over such pairs: the most that a policy which fully satisfies one person can expect from
// the next. A mean reward above it does not show that the policy is better than people, but that
// the grader asks for something else. It is nil if no output at one rater's top has a second rater.
func (c *evidence) humanCeiling(outputs []*collect.Labelled, s analysis.Settings) *stat.Estimate {
	var sums, counts []float64
	n := 0
	for i, o := range outputs {
		if i == 0 || o.Key != outputs[i-1].Key {
			sums, counts = append(sums, 0), append(counts, 0)
		}
		last := len(sums) - 1
		for _, one := range slices.Sorted(maps.Keys(o.Scores)) {
			if !c.AtTop(o.Scores[one]) {
				continue
			}
			for _, other := range slices.Sorted(maps.Keys(o.Scores)) {
				if other != one {
					sums[last] += (o.Scores[other] - c.Range.Lo) / c.Range.Width()
					counts[last]++
					n++
				}
			}
		}
	}
	if n == 0 {
		return nil
	}
	e := stat.Scale(stat.RatioOfSums(sums, counts, n, s.Confidence), c.Range.Width())
	e.Value, e.Low, e.High = stat.AddKnown(e.Value, c.Range.Lo), stat.AddKnown(e.Low, c.Range.Lo), stat.AddKnown(e.High, c.Range.Lo)
	e.Method = "what one rater gives to the outputs at another's top; " + e.Method
	return &e
}
