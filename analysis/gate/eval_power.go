package gate

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var noEval = analysis.Moot(message.New("skip.no_eval", "there is no eval split"))

// The thresholds of the gate. HopedGain is also used to compare the variants of a run.
var (
	HopedGain = analysis.Threshold{
		Name: "eval.power", Unit: "share",
		Doc:     "the gain hoped for, as a share of the range: the evaluation set must show it in 80 % of comparisons",
		Default: 0.05,
	}
	assumedCorrelation = analysis.Threshold{
		Name: "eval.power.correlation", Unit: "correlation",
		Doc: "correlation of the item means of two models, assumed until there is a second run; lower is more careful", Default: 0.50,
	}
)

var evalPower = &analysis.Gate{
	Name:      "eval.power",
	Label:     "Smallest detectable gain",
	OnRewards: true,
	Doc: "Advisory, on eval: the items and samples of this run, sampled again after training, would show a gain of " +
		"5 % of the reward range " +
		"in 80 % of paired comparisons. Until there is a second run, how unevenly items gain is an assumption: item " +
		"means of the two models " +
		"correlate at 0.5, and the gain is spread no more evenly than if a few items had all of it.",
	Thresholds: []analysis.Threshold{HopedGain, assumedCorrelation},
	Words: analysis.Words{
		Why: "After training, this evaluation set has to tell whether it worked. A set that cannot show " +
			"the gain hoped for leaves you with a model and no answer.",
		Pass: "the evaluation set can show a change of {value}, and you hope for {hoped}",
		Caution: "the evaluation set is too small to show a gain of {hoped}: with {items} and " +
			"{samples|sample} each, changes smaller than {value} could go undetected",
		CautionRemedy: "{enough} If you expect a different gain, set the threshold eval.power to it. Once you have " +
			"a second run, gonogo compare measures the correlation that is assumed here.",
		Unmeasured:  "not known: fewer than 2 items of eval have a reward",
		UnmeasuredR: "Sample more items of eval.",
	},
	Check: levelled(analysis.Advisory, func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		sr := r.Splits[rollout.Eval]
		if sr == nil {
			return analysis.Skip(rollout.Eval, analysis.Advisory, noEval.Text())
		}
		hoped := t.At(HopedGain) * r.Range().Width()
		j := analysis.Judgement{
			Split: rollout.Eval, Severity: analysis.Advisory, Unit: "reward",
			Want: analysis.WantAtMost(hoped),
		}
		p, ok := plannedPower(sr, r.Range(), t)
		if !ok || hoped <= 0 {
			// the minimum to measure how items differ
			j.Needs, j.Settles = &analysis.Needs{Items: 2, Samples: 2}, hoped > 0
			return []analysis.Finding{j.Finding(analysis.Unknown, analysis.Bound{})}
		}
		mde := stat.MDE(p.se(), r.Confidence)
		j.Args = message.Args{
			"hoped": message.Number(hoped), "items": message.Count(sr.Items.Measured, "item"),
			"samples": message.Number(sr.Samples.Median),
			"enough":  message.Nested(p.enough(hoped, stat.SEAtMDE(hoped, r.Confidence), sr)),
		}
		return []analysis.Finding{j.Finding(failIf(mde > hoped), analysis.Observed(mde))}
	}),
}

// EvalSamples returns how many rollouts of each eval item an evaluation needs, by the design of the
// gate eval.power: the fewest with which a comparison with another model shows the gain hoped for.
// If the items are too few for that, enough is false, and samples is the number from which on
// differences between items hide more than sampling does. ok is false if fewer than 2 items of eval
// were measured, or none more than once.
func EvalSamples(r *analysis.Result) (samples int, enough, ok bool) {
	sr, t := r.Splits[rollout.Eval], r.Thresholds.ByName()
	if sr == nil {
		return 0, false, false
	}
	p, ok := plannedPower(sr, r.Range(), t)
	hoped := t.At(HopedGain) * r.Range().Width()
	if !ok || hoped <= 0 || sr.Reward.FixedSE == nil || p.interaction <= 0 {
		return 0, false, false
	}
	once := p.sampling * sr.Samples.Median
	se := stat.SEAtMDE(hoped, r.Confidence)
	remaining := se*se*float64(p.items) - p.interaction
	if enough = remaining > 0; !enough {
		remaining = p.interaction
	}
	return int(math.Max(1, math.Ceil(math.Min(1e9, once/remaining)))), enough, true
}

// evalDesign holds the variances behind a comparison on the eval items.
type evalDesign struct {
	items       int
	interaction float64 // item × model variance of true changes
	sampling    float64 // sampling variance of the difference of two item means
}

// plannedPower assumes the interaction by stat.AssumedInteraction. Items with one sample show no variance
// within: then two runs count as unrelated, 2·s² of the item means. ok is false with fewer than two
// items.
func plannedPower(sr *analysis.SplitResult, rng stat.Range, t analysis.Thresholds) (p evalDesign, ok bool) {
	m := sr.Items.Measured
	if m < 2 {
		return p, false
	}
	p.items = m
	gain := t.At(HopedGain) * rng.Width()
	if sr.Reward.FixedSE == nil || sr.Variance.Between == nil {
		se := stat.ValueOr(sr.Reward.SE, 0)
		p.interaction = math.Max(stat.AssumedInteraction(0, 0, gain, rng.Width()), 2*se*se*float64(m))
		return p, true
	}
	p.interaction = stat.AssumedInteraction(*sr.Variance.Between, t.At(assumedCorrelation), gain, rng.Width())
	p.sampling = 2 * *sr.Reward.FixedSE * *sr.Reward.FixedSE * float64(m)
	return p, true
}

// se is the standard error of the mean difference.
func (p evalDesign) se() float64 {
	return math.Sqrt((p.interaction + p.sampling) / float64(p.items))
}

// enough says what would show the gain hoped for: more items, or more samples of these items if
// sampling is what hides it.
func (p evalDesign) enough(hoped, se float64, sr *analysis.SplitResult) message.Text {
	items := int(math.Ceil(math.Min(1e9, (p.interaction+p.sampling)/(se*se))))
	text := alikeShow.With(message.Args{"hoped": message.Number(hoped), "items": message.Count(items, "item")})
	if remaining := se*se*float64(p.items) - p.interaction; remaining > 0 && p.sampling > 0 {
		text = message.Concat(text,
			orTheseWith.With(
				message.Args{"samples": message.Int(int(math.Ceil(p.sampling / remaining * sr.Samples.Median)))}))
	}
	if sr.Items.InFile != nil && *sr.Items.InFile > sr.Items.Measured {
		text = message.Concat(text, fileHolds.With(message.Args{"items": message.Count(*sr.Items.InFile, "item")}))
	}
	return message.Concat(text, fullStop.Text())
}

var (
	alikeShow = message.New("eval.power.items",
		"To show a gain of {hoped}, sample about {items} of eval the same way")
	orTheseWith = message.New("eval.power.samples", ", or these with {samples|sample} each")
	fileHolds   = message.New("eval.power.file", ". The file has {items}")
)
