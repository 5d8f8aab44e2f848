package analysis

import (
	"math"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

var graderLength = newPart(Gate{
	Name: "grader.length",
	Doc:  "Advisory: within items, the reward does not go with the length of the answer (correlation with its log below 0.3 either way, or p above 0.01).",
	Words: Words{
		Why:           "If longer answers earn more on the same question, whatever they say, training makes answers long; if shorter ones do, it makes them terse. This looks within each item, so that hard questions with long answers play no part.",
		Pass:          "the reward does not go with the length of the answer (correlation {value} within items)",
		Caution:       "{longer} answers earn more on the same item: correlation {value} with the length ({p})",
		CautionRemedy: "{advice} Over all items together the correlation is {pooled}.",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.length"
		if r.Grader == nil || r.Grader.Length == nil || !r.Grader.Length.Within.Known() || r.Grader.Length.P == nil {
			return []Finding{skipped(gate, "", Advisory, noLengths.Text())}
		}
		l := r.Grader.Length
		const level = 0.01 // p-value below which such a correlation counts
		want := t.At("grader.shortcuts.length")
		j := judgement{
			gate: gate, severity: Advisory, unit: "correlation", want: wantWithin.With(message.Args{"limit": message.Number(want), "p": message.Number(level)}),
			vars: message.Args{
				"longer": message.Said(longerAnswers.Text()), "p": message.PValue(*l.P), "pooled": message.Known(l.Pooled.Value),
				"advice": message.Said(longerPays.With(message.Args{"slope": message.Known(l.Slope.Value)})),
			},
		}
		if *l.Within.Value < 0 {
			j.vars["longer"], j.vars["advice"] = message.Said(shorterAnswers.Text()), message.Said(shorterPays.With(message.Args{"slope": message.Number(math.Abs(stat.Or(l.Slope.Value, 0)))}))
		}
		status := Pass
		if math.Abs(*l.Within.Value) >= want && *l.P < level {
			status = Fail
		}
		return []Finding{j.finding(status, boundOf(l.Within))}
	},
})

// usefulItems is how many items make a rank correlation useful.
const usefulItems = 20

var graderAgreement = newPart(Gate{
	Name: "grader.agreement",
	Doc:  "Advisory, with people's labels: rewards and labels of the same outputs rank alike (Spearman at least 0.8).",
	Words: Words{
		Why:             "The grader stands in for a person's judgement. Where the two rank answers differently, training moves the model towards the grader and away from the person.",
		Pass:            "grader and people rank the same {outputs} alike: rank correlation {value} ({people})",
		Caution:         "grader and people disagree: rank correlation {value} over {outputs} ({people})",
		CautionRemedy:   "Read the items listed, where they differ most, and mend the grader, or the labels.{ceiling}",
		CautionUnknown:  "grader and people may disagree: rank correlation {low} to {high} over {outputs} ({people})",
		CautionUnknownR: "More labelled outputs would tell. {needs}{ceiling}",
		Unmeasured: Wording{
			Title:  "not known: too few labelled outputs have a reward to compare with, or they do not differ",
			Remedy: "Label outputs of at least 20 items, good and bad ones; each must be a rollout of this run, or be graded by gonogo audit.{ceiling}",
		},
	},
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.agreement"
		if r.Grader == nil || r.Grader.Agreement == nil {
			return []Finding{skipped(gate, "", Advisory, noLabels.Text())}
		}
		a := r.Grader.Agreement
		want := t.At("grader.accuracy.agreement")
		j := judgement{
			gate: gate, severity: Advisory, unit: "correlation", want: atLeast(want), items: a.Items,
			vars: message.Args{"outputs": message.Count(a.Outputs, "output"), "people": message.Said(onePerson.Text()), "ceiling": message.Said(message.Text{})},
		}
		if a.Raters > 1 {
			j.vars["people"] = message.Said(manyPeople.With(message.Args{"n": message.Int(a.Raters)}))
		}
		if a.Alpha != nil && a.Alpha.Known() {
			j.vars["ceiling"] = message.Said(peopleAgree.With(message.Args{"alpha": message.Number(*a.Alpha.Value)}))
		}
		b := boundOf(a.Spearman)
		status := b.atLeast(want)
		if status == Pass {
			j.items = nil
		}
		if items, ok := stat.Needed(a.Spearman, want, a.Spearman.Items, &stat.Range{Lo: -1, Hi: 1}, r.onceConfidence()); ok && a.Spearman.SE != nil {
			j.needs, j.settles = &Needs{Items: items, Samples: max(1, a.Outputs/max(1, a.Spearman.Items))}, true
		}
		if a.Spearman.SE == nil && a.Spearman.Items < usefulItems {
			j.needs, j.settles = &Needs{Items: usefulItems, Samples: 1}, true
		}
		return []Finding{j.finding(status, b)}
	},
})

var graderGuessable = newPart(Gate{
	Name: "grader.guessable",
	Doc:  "Advisory, after an audit: the most common reference, given as the answer to every item, earns at most a quarter of the range.",
	Words: Words{
		Why:             "If one and the same answer is right on many items, the model learns to give it always.",
		Pass:            "the most common reference, given to every item, earns only {value} on average",
		Caution:         "one constant answer earns {value} on average: {answer} to every item",
		CautionRemedy:   "Balance the data set, so that no single answer is right so often, or grade the way to the answer too.",
		CautionUnknown:  "one constant answer may earn too much: {low} to {high} on average with {answer} to every item",
		CautionUnknownR: "More audited items would tell (audit.items).",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.guessable"
		if why := unaudited(r); !why.None() {
			return []Finding{skipped(gate, "", Advisory, why)}
		}
		if r.Grader.Guessable == nil {
			return []Finding{skipped(gate, "", Advisory, noConstant.Text())}
		}
		rng := r.rng()
		want := rng.Lo + t.At("grader.shortcuts.guessable")*rng.Width()
		j := judgement{
			gate: gate, severity: Advisory, unit: "reward", want: atMost(want),
			vars: message.Args{"answer": message.Quote(clip(r.Grader.GuessableAnswer, headLength))},
		}
		j.needs, j.settles = settleBy(*r.Grader.Guessable, want, rng, r.onceConfidence(), 1)
		b := boundOf(*r.Grader.Guessable)
		return []Finding{j.finding(b.atMost(want), b)}
	},
})

var dataSuspect = newPart(Gate{
	Name: "data.suspect",
	Doc: "Advisory, after an audit: on no item most rollouts agree on one answer that is not the reference while none earns the top, or earn the top while the reference, given as the answer, earns the bottom. " +
		"Skipped where answers could not be compared and rewards show nothing.",
	Words: Words{
		Why:           "When most rollouts of an item independently give the same answer and the reference says another, or the grader pays for what they say and not for the reference, either the reference is wrong, or the model makes the same mistake every time. Training on a wrong reference teaches the mistake.",
		Pass:          "of {compared} there is none on which most rollouts agree on another answer than the reference and none earns the top, or most earn the top where the reference earns the bottom",
		Caution:       "on {on} the rollouts speak against the reference: most agree on another answer and none earns the top, or most earn the top where the reference earns the bottom",
		CautionRemedy: "Check these references by hand: correct them, or drop the items. If a reference is right and the model merely wrong, keep the item; if they are right everywhere, the grader takes them in another form only (configure the answer template, audit.answer). {example}",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "data.suspect"
		if why := unaudited(r); !why.None() {
			return []Finding{skipped(gate, "", Advisory, why)}
		}
		const want = 0 // any
		list := r.Grader.SuspectReferences
		if len(list) == 0 && r.Grader.Compared == 0 {
			return []Finding{incomparable(r)}
		}
		j := judgement{
			gate: gate, severity: Advisory, unit: "items", want: atMost(want),
			vars: message.Args{"example": message.Said(message.Text{}), "on": message.Count(len(list), "item"), "compared": message.Count(max(r.Grader.Compared, r.Grader.ComparedRewards), "item")},
		}
		for i, s := range list {
			if i == 0 {
				j.vars["example"] = message.Said(suspectExample(s))
			}
			if len(j.items) < itemsListed {
				j.items = append(j.items, s.Item)
			}
		}
		b := observed(float64(len(list)))
		return []Finding{j.finding(b.atMost(want), b)}
	},
})

// incomparable is the finding where nothing can be said of the references.
func incomparable(r *Result) Finding {
	why := answersDiffer.Text()
	if n := r.Grader.ComparedRewards; n > 0 {
		why = message.Clauses(why, byRewardsAlone.With(message.Args{"references": message.Count(n, "reference")}))
	}
	return skipped("data.suspect", "", Advisory, why)
}

// suspectExample tells what the rollouts of an item say against its reference.
func suspectExample(s SuspectReference) message.Text {
	text := earnTop.With(message.Args{"item": message.Name(s.Item), "share": message.Share(s.Share)})
	if s.Answer != "" {
		text = answerAlike.With(message.Args{"item": message.Name(s.Item), "share": message.Share(s.Share), "answer": message.Quote(clip(s.Answer, headLength))})
	}
	if s.ReferenceReward != nil {
		text = message.Glued(text, referenceEarns.With(message.Args{"reference": message.Quote(clip(s.Reference, headLength)), "reward": message.Number(*s.ReferenceReward)}))
	}
	return message.Glued(text, fullStop.Text())
}

// paidFor reports whether a rollout that the detector marks earned more than the
// bottom, or may have: of none the reward is known.
func paidFor(d *DetectorResult, rng stat.Range) bool {
	return d.Mean.Value == nil || *d.Mean.Value > rng.Lo+hair*rng.Width()
}

// worstDetector marks the most; one that marks too many that were paid comes
// before those that mark more that were not.
func worstDetector(r *Result, want float64) *DetectorResult {
	share := func(d *DetectorResult) float64 { return stat.Or(d.Share.Value, -1) }
	hole := func(d *DetectorResult) bool { return share(d) > want && paidFor(d, r.rng()) }
	worst := &r.Grader.Detectors[0]
	for i := range r.Grader.Detectors {
		d := &r.Grader.Detectors[i]
		if hole(d) && !hole(worst) || hole(d) == hole(worst) && share(d) > share(worst) {
			worst = d
		}
	}
	return worst
}

var graderDetected = newPart(Gate{
	Name: "grader.detected",
	Doc:  "Advisory, where detectors are configured: no rollout is marked as a hack.",
	Words: Words{
		Why:           "A detector looks for rollouts that earn reward by a trick. What the base model does now and then, training makes it do always.",
		Pass:          "none of {rollouts} is marked as a hack",
		Caution:       "“{detector}” marks {marked} of {rollouts} as a hack; they had earned {mean} on average",
		CautionRemedy: "Read them. If they are hacks, close the hole in the grader. {zeroed}",
		Unmeasured: Wording{
			Title:  "not known: the detector failed on every rollout",
			Remedy: "Fix the detector, then run gonogo audit RUN again.",
		},
	},
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.detected"
		if r.Grader == nil || len(r.Grader.Detectors) == 0 {
			return []Finding{skipped(gate, "", Advisory, noDetector.Text())}
		}
		const want = 0 // any
		worst := worstDetector(r, want)
		j := judgement{
			gate: gate, severity: Advisory, unit: "share", want: atMost(want), items: worst.Items,
			vars: message.Args{
				"detector": message.Name(worst.Detector), "marked": message.Int(worst.Marked), "rollouts": message.Count(worst.Rollouts, "rollout"),
				"mean": message.Known(worst.Mean.Value), "zeroed": message.Said(countAsGraded.Text()),
			},
		}
		if worst.Zeroed {
			j.vars["zeroed"] = message.Said(countAtBottom.Text())
		}
		if worst.Marked > 0 && !paidFor(worst, r.rng()) {
			j.said = &unpaidWords
		}
		b := boundOf(worst.Share)
		if b.value == nil {
			j.needs, j.settles = &Needs{Items: 1, Samples: 1}, true // any rollout that it reads
			return []Finding{j.finding(Unknown, b)}
		}
		return []Finding{j.finding(observed(*b.value).atMost(want), b)}
	},
})

var (
	wantWithin     = message.New("want.within", "within ±{limit}, or p ≥ {p}")
	longerAnswers  = message.New("grader.length.longer", "longer")
	shorterAnswers = message.New("grader.length.shorter", "shorter")
	onePerson      = message.New("grader.agreement.one", "1 person")
	manyPeople     = message.New("grader.agreement.many", "{n} people")
	peopleAgree    = message.New("grader.agreement.alpha", " People agree with each other to {alpha} (Krippendorff's alpha; 1 is wholly).")
	earnTop        = message.New("data.suspect.earn_top", "On {item}, {share} of the rollouts earn the top")
	answerAlike    = message.New("data.suspect.answer", "On {item}, {share} of the rollouts answer {answer}")
	referenceEarns = message.New("data.suspect.reference", "; the reference, {reference}, earns {reward}")
	countAsGraded  = message.New("grader.detected.as_graded", "They count as they were graded.")
	countAtBottom  = message.New("grader.detected.at_bottom", "They count at the bottom of the range in the mean reward, the best of several, the groups and the classes of items. What tells of the grader itself (its resolution, noise, length, layers, agreement with people) goes by the reward that it gave, noise without them.")
)

var (
	noLengths  = message.New("skip.no_lengths", "the rollouts hold no answers of differing length, or rewards that do not differ within items")
	noLabels   = message.New("skip.no_labels", "there are no labels by people (gonogo audit RUN --labels FILE)")
	noConstant = message.New("skip.no_constant", "no constant answer was put to the grader")
	noDetector = message.New("skip.no_detector", "no detector was run over the rollouts (gonogo audit, with detectors configured)")
)

var (
	answersDiffer  = message.New("skip.not_compared", "answers could not be compared: no two rollouts of an item say the same")
	byRewardsAlone = message.New("skip.by_rewards_alone", "by rewards alone, none of {references} earns the bottom where most rollouts earn the top")
	fullStop       = message.New("phrase.full_stop", ".")
)
