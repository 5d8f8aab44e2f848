package measure

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// The warnings of figures about the grader's noise.
var (
	shareOfNothing = message.New("grader.share_of_nothing",
		"the rewards of an item never differ, so the share has no value: items whose rewards differ are needed")
	shareAboveOne = message.New("grader.share_above_one",
		"the grades of one output differ more than the rewards of one item: the share counts as 1")
	fewForUpperEnd = message.New("grader.few_for_upper_end",
		"too few items for an upper end: 20 items or more make it useful")
	otherGrades = message.New("grader.other_grades", "{outputs|output of the audit begins|outputs of the audit "+
		"begin} with a grade other than the one recorded now: left out, because another grader gave it")
)

// mostNoise returns the largest variance that two or more grades of one output can have: that of
// one grade at either end of the range.
func mostNoise(s analysis.Settings) float64 { return s.RewardRange.Width() * s.RewardRange.Width() / 2 }

// noiseVar returns the mean variance of the grades of an output, clustered by item. If no two
// grades of an output differ, the noise is at most the exact bound on the share of outputs that
// would show any, times the largest possible variance.
func noiseVar(items []regraded, s analysis.Settings) stat.Estimate {
	most := mostNoise(s)
	e := stat.Scale(stat.Disagreement(each(items, func(a again) float64 { return a.noise / most }), s.Confidence), most)
	if e.Known() && *e.Value > 0 && showing(items) < fewShow {
		acrossCells(&e, items, s)
	}
	if !e.Known() {
		e.Method, e.Warnings = "mean variance of the grades of one output", []message.Text{noNoise.Text()}
		return e
	}
	e.Method = "mean variance of the grades of one output, clustered by item"
	if *e.Value == 0 {
		e.Method = "mean variance of the grades of one output; exact bound on the share of outputs that would differ"
	}
	return e
}

// fewShow is the number of outputs with noise below which the classes without any noise must be
// bounded one by one: the spread of so few outputs underestimates the interval (simulated coverage:
// 89 to 91 % instead of 95).
const fewShow = 5

// showing counts the outputs whose grades differ.
func showing(items []regraded) int {
	n := 0
	for _, g := range items {
		for _, a := range g.outputs {
			if a.noise > 0 {
				n++
			}
		}
	}
	return n
}

// acrossCells widens the interval by bounding the classes of rollouts (cellOf) one by one: a class
// that represents many rollouts and showed no noise is bounded by its own number of regrades. The
// ends are combined by square-and-add (Zou & Donner 2008).
func acrossCells(e *stat.Estimate, items []regraded, s analysis.Settings) {
	most := mostNoise(s)
	total, below, above := 0.0, 0.0, 0.0
	for cell := range cells {
		weight := 0.0
		var byItem [][]stat.Regrade
		for _, g := range items {
			var regrades []stat.Regrade
			for _, a := range g.outputs {
				if a.cell == cell {
					regrades = append(regrades, stat.Regrade{Differ: a.noise / most, Weight: 1})
					weight += a.weight
				}
			}
			if regrades != nil {
				byItem = append(byItem, regrades)
			}
		}
		total += weight
		d := stat.Disagreement(byItem, s.Confidence)
		if d.Known() && d.Low != nil && d.High != nil {
			below += math.Pow(weight*most*(*d.Value-*d.Low), 2)
			above += math.Pow(weight*most*(*d.High-*d.Value), 2)
		}
	}
	if e.Low != nil && e.High != nil {
		e.Low = stat.FiniteOrNil(max(0, min(*e.Low, *e.Value-math.Sqrt(below)/total)))
		e.High = stat.FiniteOrNil(min(most, max(*e.High, *e.Value+math.Sqrt(above)/total)))
	}
}

// unseenShare bounds the grader's share if no regrade differed and rewards take values in between.
// At most a share q of all grades, the exact bound, then differs from the usual grade of its
// output, and those grades cannot contribute more of the variance within items than the q farthest
// rewards do (n/(n-1) of it, since each pulls its item's mean along). Noise is assumed to be
// independent of the output. If the grader's rewards are close together, this bound is much tighter
// than the one from the largest possible variance of two grades.
func unseenShare(items []regraded, q float64) float64 {
	var squares []float64
	sum, free := 0.0, 0.0
	for _, g := range items {
		mean, _ := stat.MeanVariance(g.rewards)
		for _, y := range g.rewards {
			squares = append(squares, (y-mean)*(y-mean))
		}
		sum, free = sum+g.dev, free+g.free
	}
	slices.Sort(squares)
	slices.Reverse(squares)
	far := 0.0
	for _, d := range squares[:min(len(squares), int(math.Ceil(q*float64(len(squares)))))] {
		far += d
	}
	return far / sum * float64(len(squares)) / free
}

// each returns one figure of all outputs that were graded again, by item.
func each(items []regraded, figure func(again) float64) [][]stat.Regrade {
	var out [][]stat.Regrade
	for _, g := range items {
		var regrades []stat.Regrade
		for _, a := range g.outputs {
			regrades = append(regrades, stat.Regrade{Differ: figure(a), Weight: a.weight})
		}
		if len(regrades) > 0 {
			out = append(out, regrades)
		}
	}
	return out
}

// gradedShare returns the share of counted rollouts whose reward is a grade: the model's own
// failures and a detector's zeros have no noise.
func gradedShare(items []regraded) float64 {
	noisy, all := 0.0, 0.0
	for _, g := range items {
		noisy, all = noisy+g.noisy, all+g.noisy+g.rest
	}
	if all == 0 {
		return 0
	}
	return noisy / all
}

// withinVar returns the variance within items with its interval, clustered by item.
func withinVar(items []regraded, s analysis.Settings) stat.Estimate {
	most := mostNoise(s)
	var dev, free []float64
	n := 0.0
	for _, g := range items {
		if g.free > 0 {
			dev, free = append(dev, g.dev/most), append(free, g.free)
			n += g.free + 1
		}
	}
	return stat.Scale(stat.RatioOfSums(dev, free, int(n), s.Confidence), most)
}

// splitWithin splits the within-item variance into sampling and grader. The grader's share is the
// noise of the outputs that were graded again over the variance of all rollouts, each with its own
// interval, combined by the method of variance estimates recovery (stat.Ratio). If the grader
// agreed with itself on every output of every split (everywhere), all of these outputs bound its
// noise here.
func splitWithin(v *analysis.Variance, items, everywhere []regraded, s analysis.Settings) {
	method := "variance of regrades over within-item variance; variance estimates recovery for a ratio (Donner & " +
		"Zou 2012)"
	noise, within := noiseVar(items, s), withinVar(items, s)
	if all := noiseVar(everywhere, s); noise.Known() && all.Known() && *all.Value == 0 && all.N > noise.N {
		noise, method = all, "regrades of all splits, none of which differ; "+method
	}
	noise = stat.Scale(noise, gradedShare(items))
	e := stat.Ratio(noise, within, method)
	e.N, e.Items = noise.N, noise.Items
	switch {
	case !noise.Known():
		e.Value, e.Low, e.High, e.Warnings = nil, nil, nil, []message.Text{noNoise.Text()}
	case v.Within == nil || !e.Known():
		e.Value, e.Low, e.High = nil, nil, nil
		e.Warnings = []message.Text{shareOfNothing.Text()}
		v.Grader = noise.Value
	default:
		v.Grader, v.Sampling = noise.Value, stat.FiniteOrNil(max(0, *v.Within-*noise.Value))
		if *e.Value > 1 {
			e.Warnings = append(e.Warnings, shareAboveOne.Text())
		}
		if e.High == nil {
			e.Warnings = append(e.Warnings, fewForUpperEnd.Text())
		}
		if *e.Value == 0 && slices.ContainsFunc(items, func(g regraded) bool { return g.between }) {
			e.High = stat.FiniteOrNil(min(stat.ValueOr(e.High, 1), unseenShare(items, *noise.High/mostNoise(s))))
		}
		e.Value = stat.FiniteOrNil(min(1, *e.Value))
		e.Low, e.High = stat.FiniteOrNil(math.Min(1, stat.ValueOr(e.Low, 0))), stat.FiniteOrNil(math.Min(1, stat.ValueOr(e.High, 1)))
	}
	v.GraderShare = e
}

// noise fills in what repeated gradings of the same outputs show, over all splits.
func (c *evidence) noise(g *analysis.Grader, s analysis.Settings) {
	if !c.Regraded {
		g.NoiseVar = noiseVar(nil, s)
	} else {
		items := c.everywhere
		g.NoiseVar, g.Regraded = noiseVar(items, s), widest(items)
		yesOrNo := !slices.ContainsFunc(items, func(g regraded) bool { return g.between })
		moved, _ := stat.FlipRate(each(items, func(a again) float64 { return a.moves }), s.Confidence)
		g.Moved = some(moved)
		if yesOrNo {
			flip, consistency := stat.FlipRate(each(items, func(a again) float64 { return a.flips }), s.Confidence)
			g.FlipRate, g.Consistency = some(flip), some(consistency)
		} else {
			c.fineNoise(g, items, s)
		}
	}
	if n := c.Audit.Stale; n > 0 {
		g.NoiseVar.Warnings = append(g.NoiseVar.Warnings, otherGrades.With(message.Args{"outputs": message.Int(n)}))
	}
}

// reaches is how often the margin is doubled in the search for the distance that noise rarely
// crosses: up to 40 % of the range by default.
const reaches = 3

// fineNoise adds, for a grader whose rewards take values in between, what the chance of leaving the
// margin does not show. Noise much finer than the margin still moves a right answer below the top,
// and noise that often leaves the margin rarely spans half of the range: a worthless answer that
// earns that much was rewarded.
func (c *evidence) fineNoise(g *analysis.Grader, items []regraded, s analysis.Settings) {
	width, margin := c.Range.Width(), s.Thresholds.At(analysis.HackableMargin)
	strays := func(than float64) stat.Estimate {
		e, _ := stat.FlipRate(each(items, func(a again) float64 { return apart(a.grades, (than+1e-9)*width) }),
			s.Confidence)
		return e
	}
	if refs := c.Audit.Of(rollout.ProbeReference); len(refs) > 0 {
		below := max(0, (c.Range.Hi-c.Limit(refs[0], margin))/width)
		if slipped := strays(below); below < margin && slipped.Known() && *slipped.Value > 0 {
			g.Slipped = &slipped
		}
	}
	if g.Moved == nil || g.Slipped == nil && *g.Moved.Value == 0 {
		return // no noise was seen that a gate would have to allow for
	}
	g.Reach = &analysis.Reach{Distance: margin * width, Crossed: *g.Moved}
	for i := range reaches {
		distance := margin * math.Pow(2, float64(i+1))
		if e := strays(distance); stat.ValueOr(e.High, 0.5) < stat.ValueOr(g.Reach.Crossed.High, 0.5) {
			g.Reach = &analysis.Reach{Distance: distance * width, Crossed: e}
		}
	}
}

// scale multiplies an estimate and its interval by a positive number.
