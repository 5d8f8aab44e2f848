package gate

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// estimated judges an estimate about the items of a split against its thresholds.
type estimated struct {
	blocking analysis.Threshold // without a name if the gate is only advisory
	caution  analysis.Threshold
	unit     string
	width    float64 // of the reward range if the thresholds are shares of it; else 1
	// replaces width for the blocking threshold if it is narrow; 0: not set
	span     float64
	estimate stat.Estimate
	bound    analysis.Bound
	bottom   float64 // the lowest possible value of the estimate
	offset   float64 // how far the estimate's own threshold is above the compared one
	samples  int     // per item, behind the estimate
	inFile   *int    // M, if the estimate is about the file alone
	vars     message.Args
	items    []string          // listed unless the gate passes
	failing  *analysis.Wording // replaces the words of a failure; nil to keep them
	instead  *analysis.Wording // replaces the words unless the gate passes; nil to keep them
}

// narrowSpan is the share of the range below which the span of all rewards replaces the range.
const narrowSpan = 0.05

// findings judges the estimate against the blocking threshold, if there is one, and the caution.
func (e estimated) findings(r *analysis.Result, t analysis.Thresholds, split rollout.Split) []analysis.Finding {
	var out []analysis.Finding
	if e.blocking.Name != "" {
		want := t.At(e.blocking) * e.width
		if e.span > 0 && e.span < narrowSpan*e.width {
			want = t.At(e.blocking) * e.span
		}
		out = append(out, e.finding(r, t, split, analysis.Blocking, want))
	}
	return append(out, e.finding(r, t, split, analysis.Advisory, t.At(e.caution)*e.width))
}

// finding judges the estimate against one limit.
func (e estimated) finding(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
	severity analysis.Severity, want float64,
) analysis.Finding {
	status := e.bound.AtLeast(want)
	return e.judgement(r, t, split, severity, status, want).Finding(status, e.bound)
}

func (e estimated) judgement(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
	severity analysis.Severity, status analysis.Status, want float64,
) analysis.Judgement {
	j := analysis.Judgement{
		Split: split, Severity: severity, Unit: e.unit, Want: analysis.WantAtLeast(want), Args: e.vars,
	}
	if status == analysis.Fail {
		j.Instead = e.failing
	}
	if status != analysis.Pass {
		j.Items = e.items
		if e.instead != nil {
			j.Instead = e.instead
		}
	}
	if status == analysis.Unknown {
		j.Needs, j.Settles = e.needed(r, t, want)
	}
	return j
}

// needed returns how many items and samples would settle an unknown answer. If groups are larger
// than the present samples, more samples come first, on at least as many items as the estimate has
// or a verdict needs.
func (e estimated) needed(r *analysis.Result, t analysis.Thresholds, want float64) (*analysis.Needs, bool) {
	if e.estimate.Items == 0 { // nothing measured: the minimum for any verdict
		return &analysis.Needs{Items: int(t.At(enoughItems)), Samples: max(r.GroupSize, e.samples)}, true
	}
	scale := stat.Range{Lo: e.bottom, Hi: e.bottom + e.width}
	items, ok := stat.Needed(e.estimate, want+e.offset, e.estimate.Items, &scale, r.Confidence)
	if e.samples < r.GroupSize {
		items = max(items, e.estimate.Items, int(t.At(enoughItems)))
		if e.inFile != nil {
			items = min(items, max(e.estimate.Items, *e.inFile))
		}
		return &analysis.Needs{Items: items, Samples: r.GroupSize}, true
	}
	if !ok {
		return nil, false
	}
	floor := max(e.estimate.Items+1, int(t.At(enoughItems))) // these do not settle it, or decide nothing
	if e.inFile != nil {
		floor = min(floor, *e.inFile)
	}
	items = max(items, floor)
	if e.inFile != nil && items > *e.inFile {
		// The file has no more items; more samples of all of them are worth as much.
		samples := math.Ceil(float64(e.samples) * float64(items) / float64(*e.inFile))
		return &analysis.Needs{Items: *e.inFile, Samples: int(samples)}, true
	}
	return &analysis.Needs{Items: items, Samples: e.samples}, true
}

// groupSamples returns the samples per item behind an estimate at the group size: the median per
// item, or, if not all items have that many, the number that the bounds are based on.
func groupSamples(sr *analysis.SplitResult, r *analysis.Result) int {
	if best, _ := sr.BestAt(r.GroupSize); best.K < r.GroupSize {
		return best.K
	}
	return max(r.GroupSize, int(sr.Samples.Median))
}

// unitRange is the range of a share.
var unitRange = stat.Range{Lo: 0, Hi: 1}

// settle returns how many items with the same number of samples would settle an estimate against a
// threshold.
func settle(e stat.Estimate, want float64, rng stat.Range, conf float64,
	sr *analysis.SplitResult,
) (*analysis.Needs, bool) {
	return settleBy(e, want, rng, conf, int(sr.Samples.Median))
}

// settleBy is settle for a given number of samples per item.
func settleBy(e stat.Estimate, want float64, rng stat.Range, conf float64, samples int) (*analysis.Needs, bool) {
	if e.Items == 0 {
		return nil, false
	}
	items, ok := stat.Needed(e, want, e.Items, &rng, conf)
	if !ok {
		return nil, false
	}
	return &analysis.Needs{Items: max(items, e.Items+1), Samples: max(1, samples)}, true // e.Items do not
}

// onFile narrows an estimate on train to the data file: the gates on train are about these items,
// so sampling all of them leaves no sampling error between items.
func onFile(e stat.Estimate, sr *analysis.SplitResult, r *analysis.Result, rng stat.Range) stat.Estimate {
	if sr.Items.InFile == nil || e.Items < 2 || !e.Known() {
		return e
	}
	return stat.Finite(e, e.Items, *sr.Items.InFile, &rng, r.Confidence)
}

// itemsOfClass lists the first items of a class.
func itemsOfClass(sr *analysis.SplitResult, class string) []string {
	ids := []string{}
	for _, it := range sr.Classes.Items {
		if it.Class == class && len(ids) < analysis.MaxItemsListed {
			ids = append(ids, it.Item)
		}
	}
	return ids
}

// minus returns the bound of x - b.
func minus(b analysis.Bound, x float64) analysis.Bound {
	from := func(p *float64) *float64 {
		if p == nil {
			return nil
		}
		return stat.FiniteOrNil(x - *p)
	}
	return analysis.Bound{Value: from(b.Value), Low: from(b.High), High: from(b.Low)}
}

// signalAt returns the informative share at the planned group size, net of grader noise if that is
// known. It is exact if items have that many samples; else the bound extends from the low end of
// the lower bracket to the high end of the upper one.
func signalAt(sr *analysis.SplitResult, r *analysis.Result) (stat.Estimate, analysis.Bound) {
	var e stat.Estimate
	var b analysis.Bound
	for _, s := range sr.Signal {
		if s.GroupSize != r.GroupSize {
			continue
		}
		switch s.Bound {
		case "exact":
			e = sr.Net(onFile(s.Estimate, sr, r, unitRange))
			b = analysis.BoundOf(e)
		case "lower":
			e = sr.Net(s.Estimate)
			b = analysis.BoundOf(e)
		case "upper":
			b.High = sr.Net(s.Estimate).High
		}
	}
	return e, b
}

// fittedSignal gives the models' estimates at the group size, to be shown next to a bracket; they
// decide nothing. It is empty if nothing is extrapolated.
func fittedSignal(sr *analysis.SplitResult, g int) message.Text {
	fits := sr.ExtrapolatedAt(analysis.InformativeGroups, g)
	if len(fits) == 0 {
		return message.Text{}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, x := range fits {
		low, high = math.Min(low, *x.Value), math.Max(high, *x.Value)
	}
	if message.Percent(low) == message.Percent(high) {
		return fittedAt.With(message.Args{"share": message.Share(low)})
	}
	return fittedBetween.With(message.Args{"low": message.Share(low), "high": message.Share(high)})
}

var (
	fittedAt = message.New("signal.informative.fitted_at",
		" (models fitted to the items put it at {share}; they decide nothing)")
	fittedBetween = message.New("signal.informative.fitted",
		" (models fitted to the items put it at {low} to {high}; they decide nothing)")
)

var atLeastSo = message.New("phrase.at_least", "at least {what}")

// roundingSlack is the largest difference that rounding alone can cause.
const roundingSlack = 1e-9

// atMostObserved passes on the observed share, fails if the whole interval is above, and is unknown
// otherwise: a grader that was observed only a few times does not fail for what was never seen.
func atMostObserved(b analysis.Bound, want float64) analysis.Status {
	switch {
	case b.Value == nil:
		return analysis.Unknown
	case *b.Value <= want:
		return analysis.Pass
	case b.Low != nil && *b.Low > want:
		return analysis.Fail
	}
	return analysis.Unknown
}
