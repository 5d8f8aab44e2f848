package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var (
	informativeLimit = analysis.Threshold{
		Name: "signal.informative.groups", Unit: "groups",
		Doc: "informative groups expected in the whole training (without a plan 100 steps of 8 groups): it fails if " +
			"the upper end of the interval is below, and is unknown if only the estimate is", Default: 20,
	}
	informativeCaution = analysis.Threshold{
		Name: "signal.informative.caution", Unit: "share",
		Doc: "share of groups whose rewards differ, below which it is a caution", Default: 0.30,
	}
)

var signalInformative = &analysis.Gate{
	Name:      "signal.informative",
	Label:     "Groups that teach",
	OnRewards: true,
	Claim:     analysis.NothingToLearn,
	Headline:  true,
	Doc: "Blocking, on train: at least 20 informative groups are expected in the whole training (epochs × items × the " +
		"share of groups of the planned size whose rewards differ; without training.batch_size and training.epochs, " +
		"100 steps of 8 groups). It fails if the upper end of the interval is below 20, and is unknown if only the " +
		"estimate is. A group whose " +
		"rewards are equal has zero " +
		"advantage and teaches nothing; so has one whose standard deviation is below what the trainer adds to it " +
		"(trainer.epsilon), or, without that division, whose rewards span less than 1 % of the range. Where grader " +
		"noise was measured, its share of the variance within items is taken off. Advisory: 30 % of groups.",
	Thresholds: []analysis.Threshold{informativeLimit, informativeCaution},
	Charts:     []string{"informative"},
	Words: analysis.Words{
		Why: "A trainer of the GRPO family compares several rollouts of the same item. When all earn " +
			"the same, it learns nothing from them, and has paid for them all.",
		Pass: "{share} of groups of {group} teach something: {expected} in {plan}{fitted}",
		Fail: "only {expected} are expected in {plan}: {share} of groups of {group} teach something{fitted}",
		FailRemedy: "{drop} Then sample again. If rewards still hardly differ, give partial credit, or use " +
			"larger groups. {mixed} of {measured|item} vary at all.",
		Unknown: "it is not clear whether enough groups of {group} teach something: {expected} are expected in " +
			"{plan}{fitted}",
		UnknownRemedy: "{needs}",
		Caution: "{share} of groups of {group} teach something: you pay for {cost|group} to get one that " +
			"does{fitted}",
		CautionRemedy: "Keep only the {mixed|item that varies|items that vary}: with the others, training costs " +
			"{cost|time} what it would if every group taught something.",
		CautionUnknown:  "between {lowpercent} and {highpercent} of groups of {group} teach something{fitted}",
		CautionUnknownR: "{needs}",
	},
	Check: onTraining(analysis.Blocking, func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) []analysis.Finding {
		e, b := signalAt(sr, r)
		fitted := message.Concat(noiseWords(sr, r), fittedSignal(sr, r.GroupSize))
		vars := message.Args{
			"group": message.Int(r.GroupSize), "share": message.KnownShare(e.Value),
			"mixed": message.Int(sr.Classes.Counts[analysis.Mixed]), "measured": message.Int(sr.Items.Measured),
			"dead":      message.Int(sr.Classes.Counts[analysis.Dead]),
			"saturated": message.Int(sr.Classes.Counts[analysis.Saturated]),
			"flat":      message.Int(sr.Classes.Counts[analysis.Flat]), "fitted": message.Nested(fitted),
			"plan": message.Nested(plannedTraining(r.Plan)),
		}
		vars["drop"] = message.Nested(dropItems.With(vars))
		if e.Known() && *e.Value > 0 {
			vars["cost"] = message.Number(1 / *e.Value)
		}
		// no items would remain
		if c := sr.Classes.Counts; c[analysis.Dead]+c[analysis.Saturated] == sr.Items.Measured {
			vars["drop"] = message.Nested(otherItems.Text())
		}
		best, ok := sr.BestAt(r.GroupSize)
		fewer := ok && best.K < r.GroupSize
		if fewer { // the samples' own share is the lower bound
			vars["share"] = message.Nested(atLeastSo.With(message.Args{"what": vars["share"]}))
			if cost, known := vars["cost"]; known {
				vars["cost"] = message.Nested(atMostSo.With(message.Args{"what": cost}))
			}
		}
		taught := inTraining(b, r)
		vars["expected"] = message.Nested(expectedGroups(taught, fewer))
		judged := estimated{
			unit: "share", width: 1, estimate: e, bound: b, vars: vars, samples: groupSamples(sr, r),
			inFile: sr.Items.InFile,
			items:  append(itemsOfClass(sr, analysis.Dead), itemsOfClass(sr, analysis.Saturated)...),
		}
		unpaid := rightUnpaid(r)
		if unpaid != nil { // nothing else is to be done before
			nameUnpaid(vars, unpaid)
			judged.items, judged.instead = unpaid.Items, &unpaidInTraining
		}
		raw, _ := sr.SignalAt(r.GroupSize)
		reworded := func(want float64, byNoise, none *analysis.Wording) *analysis.Wording {
			switch {
			case raw != nil && *raw.Value >= want:
				return byNoise
			case !e.Known() || *e.Value == 0:
				return none
			}
			return nil
		}
		want := t.At(informativeLimit)
		share := want / trainingGroups(r) // of all its groups
		judged.failing = reworded(share, &noiseTeachesFew, &noneInTraining)
		if share > 1 {
			judged.failing = &trainingTooShort
		}
		status := enoughTeach(b, r, t)
		blocking := judged.judgement(r, t, split, analysis.Blocking, status, share)
		blocking.Unit, blocking.Want = informativeLimit.Unit, wantGroups.With(analysis.Limit(want))
		judged.failing = reworded(t.At(informativeCaution), &noiseTeaches, &noneTeaches)
		if unpaid != nil {
			judged.instead = &unpaidGroups
		}
		if status == analysis.Fail { // which has listed them
			judged.items = nil
		}
		return []analysis.Finding{
			blocking.Finding(status, taught),
			judged.finding(r, t, split, analysis.Advisory, t.At(informativeCaution)),
		}
	}),
}

// enoughTeach judges the informative groups expected in the whole training, from their share: it
// fails only where even the upper end of the interval is too low, as one blocked training in three
// gained where the estimate decided.
func enoughTeach(share analysis.Bound, r *analysis.Result, t analysis.Thresholds) analysis.Status {
	b, want := inTraining(share, r), t.At(informativeLimit)
	switch {
	case b.High != nil && *b.High < want:
		return analysis.Fail
	case b.Value != nil && *b.Value >= want:
		return analysis.Pass
	}
	return analysis.Unknown
}

// trainingGroups returns the number of groups in the whole training.
func trainingGroups(r *analysis.Result) float64 {
	if r.Plan == nil {
		return 0
	}
	return float64(r.Plan.Groups)
}

// inTraining returns the number of groups of the whole training, given their share; unknown without
// a plan.
func inTraining(share analysis.Bound, r *analysis.Result) analysis.Bound {
	groups := trainingGroups(r)
	if groups == 0 {
		return analysis.Bound{}
	}
	scaled := func(p *float64) *float64 {
		if p == nil {
			return nil
		}
		return stat.FiniteOrNil(groups * *p)
	}
	return analysis.Bound{Value: scaled(share.Value), Low: scaled(share.Low), High: scaled(share.High)}
}

// expectedGroups says how many informative groups are expected; only bounds where items have fewer
// samples than a group.
func expectedGroups(b analysis.Bound, bounds bool) message.Text {
	args := message.Args{"value": message.Known(b.Value), "low": message.Known(b.Low), "high": message.Known(b.High)}
	if bounds || b.Value == nil {
		return groupsBetween.With(args)
	}
	return groupsExpected.With(args)
}

// plannedTraining describes the training in steps and groups.
func plannedTraining(p *analysis.Plan) message.Text {
	if p == nil {
		return message.Text{}
	}
	args := message.Args{"steps": message.Count(p.Steps, "step"), "groups": message.Count(p.Groups, "group")}
	if p.Assumed {
		return trainingAssumed.With(args)
	}
	return trainingPlanned.With(args)
}

// noiseWords says how much grader noise reduces the informative share. It is empty if the grader's
// share is unknown or zero.
func noiseWords(sr *analysis.SplitResult, r *analysis.Result) message.Text {
	lower, _ := sr.SignalAt(r.GroupSize)
	if lower == nil || lower.Net == nil || *sr.Variance.GraderShare.Value == 0 {
		return message.Text{}
	}
	return netOfNoise.With(message.Args{
		"raw":   message.KnownShare(lower.Value),
		"noise": message.KnownShare(sr.Variance.GraderShare.Value),
	})
}

const steadierGrader = "Make the grader steadier before you choose items: set a judge to temperature 0 and give it a " +
	"rubric of checkable points. If that is not enough, average several judgements, or use a rule instead of a judge."

var (
	noneInTraining = analysis.NewWording("signal.informative.none",
		"no group of {group} teaches anything: {expected} are expected in {plan}{fitted}",
		"{drop} Then sample again. If rewards still do not differ, give partial credit, or use larger groups.")
	noneTeaches = analysis.NewWording("signal.informative.none_seen", "no group of {group} teaches anything{fitted}",
		"{drop}")
	// Used if right answers are not paid.
	unpaidInTraining = analysis.NewWording("signal.informative.unpaid",
		"{unpaid}, so only {expected} are expected in {plan}", "{accept}")
	unpaidGroups = analysis.NewWording("signal.informative.unpaid_share",
		"{share} of groups of {group} teach something, as right answers are not paid", "{accept}")
	// Used if enough rewards differ, but only by chance: no choice of items helps.
	noiseTeaches = analysis.NewWording("signal.informative.noise",
		"{share} of groups of {group} teach something{fitted}", steadierGrader)
	noiseTeachesFew = analysis.NewWording("signal.informative.noise_few",
		"only {expected} are expected in {plan}: {share} of groups of {group} teach something{fitted}", steadierGrader)
	trainingTooShort = analysis.NewWording("signal.informative.short",
		"even if every group taught something, {plan} would be too short{fitted}",
		"Plan more steps: raise training.epochs, or take more items.")
	trainingPlanned = message.New("signal.informative.plan", "the whole training ({steps}, {groups})")
	trainingAssumed = message.New("signal.informative.assumed",
		"a training of {steps} and {groups} (assumed: set training.batch_size and training.epochs)")
	wantGroups     = message.New("want.groups", "≥ {limit} informative groups")
	groupsExpected = message.New("signal.informative.expected", "{value} informative groups ({low} to {high})")
	groupsBetween  = message.New("signal.informative.between", "{low} to {high} informative groups")
	dropItems      = message.New("signal.informative.drop", "Replace the items that are always right ({saturated}) or "+
		"never right ({dead}) with items of medium difficulty.")
	otherItems = message.New("signal.informative.other_items", "Take other items, of medium difficulty for this model.")
	atMostSo   = message.New("phrase.at_most", "at most {what}")
	netOfNoise = message.New("signal.informative.net",
		" (rewards differ in {raw} of them; {noise} of that variance is grader noise)")
)
