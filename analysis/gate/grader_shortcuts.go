package gate

import (
	"fmt"
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

var (
	shortcutLayers = analysis.Threshold{
		Name: "grader.shortcuts.layers", Unit: "share",
		Doc: "share of rollouts that earn something while the core part of the reward is at zero", Default: 0.10,
	}
	shortcutLength = analysis.Threshold{
		Name: "grader.shortcuts.length", Unit: "correlation",
		Doc: "correlation of reward with the log of the answer's length within items, either way, from which it is " +
			"a caution", Default: 0.30,
	}
	shortcutGuessable = analysis.Threshold{
		Name: "grader.shortcuts.guessable", Unit: "share",
		Doc: "what one constant answer may earn on average, as a share of the range, where no rollouts say what the " +
			"model earns", Default: 0.25,
	}
	shortcutTooGood = analysis.Threshold{
		Name: "grader.shortcuts.too_good", Unit: "share",
		Doc: "mean reward, as a share of the range, from which the grader is suspect", Default: 0.98,
	}
)

var graderShortcuts = &analysis.Gate{
	Name:       "grader.shortcuts",
	Label:      "Shortcuts to reward",
	Doc:        "The reward pays for the task and for nothing else.",
	Thresholds: []analysis.Threshold{shortcutLayers, shortcutLength, shortcutGuessable, shortcutTooGood},
	Words:      analysis.Words{Pass: "no shortcut to the reward was found"},
	Parts: []*analysis.Gate{
		graderLayers, graderDetected, graderGuessable, graderTooGood, graderForm,
		graderLength,
	},
}

var graderGuessable = &analysis.Gate{
	Name:  "grader.guessable",
	Label: "one constant answer",
	Doc: "Advisory, after an audit: the most common reference, given as the answer to every item (the lazy reward), " +
		"earns no more than the model does on average, by the interval of the difference on the same items or, " +
		"without rollouts, than a quarter of the range.",
	Words: analysis.Words{
		Why: "If one and the same answer earns more than the model does, training finds that answer first, and the model " +
			"gives it always.",
		Pass:          "the most common reference, given to every item, earns only {value} on average",
		Caution:       "one constant answer earns {value} on average: {answer} to every item",
		CautionRemedy: balanceLabels,
		CautionUnknown: "one constant answer may earn too much: giving {answer} to every item earns {low} to " +
			"{high} on average",
		CautionUnknownR: "{more}",
	},
	Check: audited(analysis.Advisory, func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		if r.Grader.Guessable == nil {
			return analysis.Skip("", analysis.Advisory, noConstant.Text())
		}
		rng := r.Range()
		want := rng.Lo + t.At(shortcutGuessable)*rng.Width()
		little := rng.Lo + t.At(analysis.HackableMargin)*rng.Width()
		if mean := modelMean(r); mean != nil {
			want = max(*mean, little)
		}
		lazy := analysis.BoundOf(*r.Grader.Guessable)
		j := analysis.Judgement{
			Severity: analysis.Advisory, Unit: "reward", Want: analysis.WantAtMost(want),
			Args: message.Args{
				"answer": message.Quote(wording.ClipBytes(r.Grader.GuessableAnswer, analysis.ExcerptLength)),
				"more":   message.Nested(moreAudited(r)),
			},
		}
		gain := r.Grader.GuessableGain
		if gain == nil || !gain.Known() {
			j.Needs, j.Settles = settleBy(*r.Grader.Guessable, want, rng, r.AuditConfidence(), 1)
			return []analysis.Finding{j.Finding(lazy.AtMost(want), lazy)}
		}
		if lazy.Value != nil { // what the model earns on the same items
			want = max(*lazy.Value-*gain.Value, little)
			j.Want = analysis.WantAtMost(want)
		}
		status := lazy.AtMost(little)
		if status != analysis.Pass {
			status = analysis.BoundOf(*gain).AtMost(0)
		}
		if gain.Low != nil && gain.High != nil {
			j.Args["gain"], j.Args["least"], j.Args["most"] = message.Known(gain.Value), message.Known(gain.Low),
				message.Known(gain.High)
			j.Instead = againstModel[status]
		}
		j.Needs, j.Settles = settleBy(*gain, 0, stat.Range{Lo: -rng.Width(), Hi: rng.Width()}, r.AuditConfidence(), 1)
		return []analysis.Finding{j.Finding(status, lazy)}
	}),
}

const balanceLabels = "Balance the data set so that no single answer is right that often, or also grade how the " +
	"answer was reached."

// againstModel replaces the words if the model's rewards on the same items are known.
var againstModel = map[analysis.Status]*analysis.Wording{
	analysis.Fail: new(analysis.NewWording("grader.guessable.more", "one constant answer earns {value} on average, "+
		"{gain} [{least}, {most}] more than the model on the same items: {answer} to every item",
		balanceLabels)),
	analysis.Unknown: new(analysis.NewWording("grader.guessable.open", "one constant answer may earn more than the "+
		"model: giving {answer} to every item earns {value} on average, {gain} [{least}, {most}] compared with the model "+
		"on the same items", "{more}")),
}

// modelMean returns the mean reward of the model on train, else on another split; nil if unknown.
func modelMean(r *analysis.Result) *float64 {
	for _, split := range rollout.Splits() {
		if s := r.Splits[split]; s != nil && s.Reward.Known() {
			return s.Reward.Value
		}
	}
	return nil
}

var noConstant = message.New("skip.no_constant", "no constant answer was sent to the grader")

var graderTooGood = &analysis.Gate{
	Name:  "grader.too_good",
	Label: "too good to be true",
	Doc: "Advisory: the mean reward is not suspiciously near the top of the range (98 %). What else looks too good " +
		"is listed for reading and decides nothing: " +
		"items always at the top, the top without a tool call although others made some, one answer that earns the " +
		"top on several items.",
	Charts: []string{"rewards"},
	Words: analysis.Words{
		Why:           "A mean reward near the top can mean an easy task, or a grader that accepts anything.",
		Pass:          "the mean reward on {split} is not suspiciously high{patterns}",
		Caution:       "the mean reward on {split} is {mean}: suspiciously near the top",
		CautionRemedy: "Read some rollouts before believing it{patterns}.",
	},
	Check: onSplits(analysis.Advisory, noRewards, func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) []analysis.Finding {
		if !sr.Reward.Known() {
			return nil
		}
		rng := r.Range()
		limit := rng.Lo + t.At(shortcutTooGood)*rng.Width()
		j := analysis.Judgement{
			Split: split, Severity: analysis.Advisory, Unit: "reward",
			Want: analysis.WantBelow.With(analysis.Limit(limit)),
			Args: message.Args{
				"mean":     message.Known(sr.Reward.Value),
				"patterns": message.Nested(patterns(r.Grader, split)),
			},
		}
		status := failIf(*sr.Reward.Value >= limit)
		if status == analysis.Fail {
			j.Items = itemsOfClass(sr, analysis.Saturated)
		}
		return []analysis.Finding{j.Finding(status, analysis.BoundOf(sr.Reward.Estimate))}
	}),
}

// patterns describes what looks too good on a split.
func patterns(g *analysis.Grader, split rollout.Split) message.Text {
	var text message.Text
	if g == nil {
		return text
	}
	for _, p := range g.TooGood {
		if p.Split == split && p.Pattern != analysis.AtTop {
			text = message.Concat(text, worthReading.With(message.Args{"what": message.Nested(p.Note)}))
		}
	}
	return text
}

var worthReading = message.New("grader.too_good.read", "; worth reading: {what}")

var graderForm = &analysis.Gate{
	Name:  "grader.form",
	Label: "answers without the form",
	Doc: "Advisory: where practically all answers at the top share a form, such as a line ANSWER: n, fewer than one " +
		"in ten of the answers that earned least lack it, " +
		"or none of those states the right value; where fewer than five answers earned the top, fewer than one in ten " +
		"of those that earned least state the right value.",
	Words: analysis.Words{
		Why: "An answer with the right value in another form earns nothing, so part of what training " +
			"improves is the form. A sentence in the prompt can do that before training.",
		Pass: "answers that earned least have the form of those at the top, {form}, or do not state the " +
			"right value",
		Caution: "{value} of the answers that earned least ({without} of {least}) lack the form of those at " +
			"the top, {form}{right}",
		CautionRemedy: "Before changing anything else, let the grader accept other forms, or add an example of the " +
			"required form to the prompt if it has none. Rollout {key} earned the lowest reward with " +
			"{answer}{reference}.",
	},
	Check: func(r *analysis.Result, _ analysis.Thresholds) []analysis.Finding {
		if r.Grader == nil || r.Grader.Form == nil || r.Grader.Form.Least == 0 {
			return analysis.Skip("", analysis.Advisory, noForm.Text())
		}
		f := r.Grader.Form
		share := float64(f.Without) / float64(f.Least)
		j := analysis.Judgement{
			Severity: analysis.Advisory, Unit: "share", Want: analysis.WantBelow.With(analysis.Limit(0.1)),
			Args: message.Args{
				"without": message.Int(f.Without), "least": message.Int(f.Least), "form": message.Quote(f.Template),
				"right": message.Nested(message.Text{}), "key": message.Nested(message.Text{}),
				"answer": message.Nested(message.Text{}), "reference": message.Nested(message.Text{}),
			},
		}
		if f.Known > 0 {
			j.Args["right"] = message.Nested(stateRight.With(message.Args{"right": message.Int(f.Right)}))
		}
		if e := f.Example; e != nil {
			j.Items = []string{e.Item}
			j.Args["key"], j.Args["answer"] = message.Name(fmt.Sprintf("%s/%s/%d", e.Split, e.Item, e.Sample)),
				message.Quote(wording.ClipBytes(e.Answer, analysis.ExcerptLength))
			if e.Reference != "" {
				j.Args["reference"] = message.Nested(
					whereRight.With(
						message.Args{"reference": message.Quote(wording.ClipBytes(e.Reference,
							analysis.ExcerptLength))}))
			}
		}
		status := analysis.Pass
		if unpaid := rightUnpaid(r); unpaid != nil && !f.Explains() {
			status, j.Instead, j.Items = analysis.Fail, &rightUnpaidWords, f.Items
			nameUnpaid(j.Args, f)
			share = float64(f.Right) / float64(checked(f))
		} else if f.Explains() && f.Example != nil {
			status = analysis.Fail
		} else if f.Top == 0 {
			return analysis.Skip("", analysis.Advisory, noForm.Text())
		} else {
			j.Items = nil
		}
		return []analysis.Finding{j.Finding(status, analysis.Observed(share))}
	},
}

// fewTops is the number of answers at the top from which they can show their form.
const fewTops = 5

// rightUnpaid returns the form of a run's answers if the first thing to change is what the grader accepts:
// many of the answers that earned least and whose reference is known state it, and nearly none earned the
// top; or most do, and lack the form of those that earned it. Otherwise it returns nil.
func rightUnpaid(r *analysis.Result) *analysis.AnswerForm {
	if r.Grader == nil || r.Grader.Form == nil {
		return nil
	}
	f := r.Grader.Form
	if f.Right >= fewTops && (f.Top < fewTops && 10*f.Right >= checked(f) || f.Explains() && 2*f.Right > checked(f)) {
		return f
	}
	return nil
}

// checked returns the number of lowest-scored answers whose reference is known.
func checked(f *analysis.AnswerForm) int { return f.Least - f.Unknown }

// nameUnpaid adds the arguments about right answers that are not paid.
func nameUnpaid(args message.Args, f *analysis.AnswerForm) {
	words := rightNotPaid
	if f.Unknown > 0 {
		words = rightOfKnown
	}
	args["unpaid"] = message.Nested(words.With(
		message.Args{"right": message.Int(f.Right), "least": message.Count(checked(f), "answer")}))
	args["accept"] = message.Nested(acceptForm.Text())
}

// rightUnpaidWords replaces the words if too few answers earned the top to show a form.
var rightUnpaidWords = analysis.NewWording("grader.form.unpaid", "{unpaid}: rollout {key} with {answer}{reference}",
	"{accept}")

var (
	acceptForm = message.New("grader.form.accept", "Ask in the prompt for the bare answer, or let a python grader take "+
		"it from the end of a sentence. A grader that looks for it anywhere pays for lists of guesses.")
	rightNotPaid = message.New("grader.form.not_paid",
		"{right} of the {least} of all splits that earned least state the right value")
	rightOfKnown = message.New("grader.form.not_paid_known", "{right} of the {least} of all splits that earned least and "+
		"whose reference is known state it")
	noForm     = message.New("skip.no_form", "the answers at the top share no form, or none earned less")
	stateRight = message.New("grader.form.right", "; the right value is in {right} of them")
	whereRight = message.New("grader.form.reference", ", where {reference} is right")
)

var graderLength = &analysis.Gate{
	Name: "grader.length",
	Doc: "Advisory: within items, the reward does not depend on the answer's length (correlation with its log " +
		"below 0.3 either way, or p above 0.01), or long answers are less than a tenth longer than short ones.",
	Words: analysis.Words{
		Why: "If longer answers earn more on the same question, whatever they say, training makes answers " +
			"long; if shorter ones do, it makes them terse. The comparison is within each item, so hard questions " +
			"with long answers play no part.",
		Pass:          "the reward does not depend on the answer's length (correlation {value} within items)",
		Caution:       "{longer} answers earn more on the same item: correlation {value} with the length ({p})",
		CautionRemedy: "{advice} Over all items together the correlation is {pooled}.",
	},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		if r.Grader == nil || r.Grader.Length == nil || !r.Grader.Length.Within.Known() || r.Grader.Length.P == nil {
			return analysis.Skip("", analysis.Advisory, noLengths.Text())
		}
		l := r.Grader.Length
		const level = 0.01 // p-value below which such a correlation counts
		const longer = 1.1 // times: a digit more is no longer answer
		want := t.At(shortcutLength)
		j := analysis.Judgement{
			Severity: analysis.Advisory, Unit: "correlation",
			Want: wantWithin.With(message.Args{"most": message.Number(want), "p": message.Number(level)}),
			Args: message.Args{
				"longer": message.Nested(longerAnswers.Text()), "p": message.PValue(*l.P),
				"pooled": message.Known(l.Pooled.Value),
				"advice": message.Nested(longerPays.With(lengthArgs(l))),
			},
		}
		if *l.Within.Value < 0 {
			j.Args["longer"], j.Args["advice"] = message.Nested(shorterAnswers.Text()),
				message.Nested(shorterPays.With(lengthArgs(l)))
		}
		return []analysis.Finding{j.Finding(failIf(math.Abs(*l.Within.Value) >= want && *l.P < level &&
			stat.ValueOr(l.Ratio, longer) >= longer),
			analysis.BoundOf(l.Within))}
	},
}

var (
	wantWithin     = message.New("want.within", "within ±{most}, or p ≥ {p}") // no limit: there are two
	longerAnswers  = message.New("grader.length.longer", "longer")
	shorterAnswers = message.New("grader.length.shorter", "shorter")
)

var noLengths = message.New("skip.no_lengths",
	"the rollouts have no answers of different length, or rewards that do not differ within items")

// lengthArgs gives the ratio of the lengths of an item's long and short answers, and what the long
// ones gain.
func lengthArgs(l *analysis.LengthEffect) message.Args {
	return message.Args{"times": message.Number(stat.ValueOr(l.Ratio, 1)), "gain": message.Number(stat.ValueOr(l.Gain, 0))}
}

// What to do if the length of an answer correlates with its reward.
var (
	longerPays = message.New("grader.length.longer_pays", "Read a long and a short answer of one item side by "+
		"side (the long ones are longer by a factor of about {times} and earn about {gain} more): if the longer is "+
		"not better, limit the length or tell the grader to disregard it.")
	shorterPays = message.New("grader.length.shorter_pays", "Read a long and a short answer of one item side "+
		"by side (the long ones are longer by a factor of about {times} and earn about {gain} less). If the shorter "+
		"is not better, find out why the grader pays less for length (a limit, a penalty, a "+
		"cut, a sign that it misreads), or training will leave out what the task needs.")
)
