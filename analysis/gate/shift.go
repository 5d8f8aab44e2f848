package gate

import (
	"math"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
)

var (
	shiftText = shiftGate("shift.text", analysis.OnLastUser, "Blocking: the last user messages"+shiftDoc,
		message.New("skip.no_user_message", "no user message is known"),
		"If this fails, the prompts of the two splits differ, "+
			"so a gain on one may not show on the other.",
		"Draw both from the same source, or at random from one pool; or say why they should differ.")
	shiftFields = shiftGate("shift.fields", analysis.OnFields,
		"Blocking: the fields of the rows other than messages, tools and reference"+shiftDoc,
		analysis.Moot(message.New("skip.no_fields",
			"the rows have no field other than messages, tools and reference that can be compared")),
		"If this fails, the rows of the two splits come from different places. If the mix of kinds, sources or "+
			"sizes differs, a mean over one split says little about the other.",
		"Draw both at random from one pool, stratified by what is listed here; or compare kind by kind.")
	shiftReward = shiftGate("shift.reward", analysis.OnReward, "Blocking: the items' mean rewards"+shiftDoc,
		message.New("skip.no_split_rewards", "not both splits have rewards"),
		"If this fails, the two splits are not equally hard. If one is much easier, a gain on one "+
			"says little about the other.",
		"Find out what makes one split harder, and draw both from one pool, stratified by difficulty.")
	shiftTools = shiftGate("shift.tools", analysis.OnTools,
		"Blocking: the tool calls, tools, turns and tokens of rollouts"+shiftDoc,
		message.New("skip.no_split_calls", "not both splits have rollouts whose calls are known"),
		"If this fails, the model works differently on the two splits. Different tools, more calls or longer "+
			"outputs mean different tasks, at a different cost in training.",
		"Look at what is listed here; draw both from the same pool.")
)

// shiftDoc is the part of the documentation that all gates about shift share.
const shiftDoc = " are alike in any two splits. It fails when a classifier distinguishes the splits with an AUC " +
	"whose interval is above 0.75, and " +
	"the test has p < 0.01 (Holm over all such tests); it passes when the interval is below 0.70, and decides " +
	"nothing otherwise. Advisory: the test has p >= 0.05; any smaller p is a caution, whatever the size of the " +
	"difference, and it is unknown if p is larger but the interval of the AUC reaches 0.70."

// shiftGate returns a gate that compares each pair of splits in one respect.
func shiftGate(name, on, doc string, without message.Def, why, remedy string) *analysis.Gate {
	return &analysis.Gate{
		Name:  name,
		Doc:   doc,
		Words: shiftWordsOf(why, remedy),
		Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
			switch {
			case r.Shift == nil && len(r.Splits) > 1:
				return analysis.Skip("", analysis.Blocking, noItems.Text())
			case r.Shift == nil || len(r.Shift.Crossings) == 0:
				return analysis.Skip("", analysis.Blocking, oneSplit.Text())
			}
			var out []analysis.Finding
			for _, c := range r.Shift.Crossings {
				out = append(out, judgeShift(r, t, name, on, c)...)
			}
			return orSkip(out, analysis.Blocking, without)
		},
	}
}

// unclearShift is how far below the failing AUC the whole interval must be to pass.
const unclearShift = 0.05

// judgeShift judges one comparison; it returns nothing if the comparison was not made.
func judgeShift(r *analysis.Result, t analysis.Thresholds, gate, on string, c analysis.Crossing) []analysis.Finding {
	test, classifier := testsOf(r.Shift, on, c)
	if test == nil || classifier == nil {
		return nil
	}
	vars := shiftVars(gate, c, *test, *classifier)
	if !classifier.Effect.Known() || test.PHolm == nil {
		return analysis.Skip(c.B, analysis.Blocking, notComparable.With(message.Args{
			"a": message.Name(c.A), "b": message.Name(c.B),
			"why": message.Nested(message.Clauses(slices.Concat(classifier.Effect.Warnings, test.Effect.Warnings)...)),
		}))
	}
	auc, p := analysis.BoundOf(classifier.Effect), *test.PHolm
	fail, sure, likely := t.At(shiftFail), t.At(shiftSure), t.At(shiftLikely)
	pass := fail - unclearShift
	items := classifier.Items
	if len(items) == 0 {
		items = test.Items
	}
	blocking := analysis.Judgement{
		Split: c.B, Severity: analysis.Blocking, Unit: "AUC",
		Want: wantBelowFails.With(message.Args{
			"limit": message.Number(pass), "fail": message.Number(fail),
			"p": message.Number(sure),
		}), Args: vars,
	}
	advisory := analysis.Judgement{
		Split: c.B, Severity: analysis.Advisory, Unit: "AUC",
		Want: wantLikely.With(message.Args{"p": message.Number(likely)}), Args: vars,
	}
	hint := analysis.Pass
	if p < likely {
		hint = analysis.Fail
		advisory.Items = items
		vars["size"] = message.Nested(sizeOf(classifier, analysis.ClearShift))
	}
	switch {
	case auc.Low != nil && *auc.Low > fail && p < sure:
		blocking.Items = items
		return []analysis.Finding{blocking.Finding(analysis.Fail, auc), advisory.Finding(hint, auc)}
	case auc.High != nil && *auc.High < pass && (hint == analysis.Pass || len(classifier.LeftOut) == 0):
		return []analysis.Finding{blocking.Finding(analysis.Pass, auc), advisory.Finding(hint, auc)}
	case hint == analysis.Pass: // no difference was found, but a large one cannot be ruled out
		hint = analysis.Unknown
		advisory.Needs, advisory.Settles = settleShift(classifier, pass)
	}
	return []analysis.Finding{advisory.Finding(hint, auc)}
}

// sizeOf describes the size of a difference; limit is the AUC of a clear one.
func sizeOf(classifier *analysis.ShiftPair, limit float64) message.Text {
	switch e := classifier.Effect; {
	case e.Low != nil && *e.Low > limit:
		return clearDifference.Text()
	case len(classifier.LeftOut) > 0 || e.High == nil || *e.High > limit:
		return unclearDifference.Text()
	}
	return smallDifference.Text()
}

// settleShift says with how many items in each split the interval of an AUC would be below a
// threshold: it shrinks with the square root of their number.
func settleShift(classifier *analysis.ShiftPair, threshold float64) (*analysis.Needs, bool) {
	e, gap := classifier.Effect, threshold-*classifier.Effect.Value
	if e.High == nil || gap < 1e-3 {
		return nil, false
	}
	factor := math.Pow((*e.High-*e.Value)/gap, 2)
	if factor > 100 {
		return nil, false
	}
	return &analysis.Needs{Items: int(math.Ceil(factor * float64(min(classifier.NA, classifier.NB)))), Samples: 1}, true
}

// testsOf returns the test that decides and the classifier test whose AUC is the effect.
func testsOf(sh *analysis.Shift, on string, c analysis.Crossing) (primary, auc *analysis.ShiftPair) {
	for i := range sh.Pairs {
		p := &sh.Pairs[i]
		if p.A != c.A || p.B != c.B || p.On != on {
			continue
		}
		if p.Primary {
			primary = p
		}
		if p.Test == shift.C2ST {
			auc = p
		}
	}
	return primary, auc
}

func shiftVars(gate string, c analysis.Crossing, test, classifier analysis.ShiftPair) message.Args {
	vars := message.Args{
		"what": message.Nested(shiftSubject[gate].Text()), "a": message.Name(c.A),
		"na": message.Int(classifier.NA), "nb": message.Int(classifier.NB), "p": pText(test.PHolm),
		"words": message.Nested(message.Text{}), "missed": message.Nested(message.Text{}),
	}
	telling := slices.Clone(classifier.Top)
	for _, text := range test.Top { // including values that the classifier is not shown
		if !slices.ContainsFunc(telling, func(t message.Text) bool { return t.String() == text.String() }) {
			telling = append(telling, text)
		}
	}
	if len(telling) > 0 {
		vars["words"] = message.Nested(whatDistinguishes.With(message.Args{
			"what": message.Nested(message.Clauses(telling[:min(len(telling), 5)]...)),
		}))
	}
	if classifier.Missed != nil {
		vars["missed"] = message.Nested(
			couldBeMissed.With(message.Args{"auc": message.Number(stat.ValueOr(classifier.Missed, 1))}))
	}
	return vars
}

// pText is a p-value that may be unknown.
func pText(p *float64) message.Arg {
	if p == nil {
		return message.Nested(pUnknown.Text())
	}
	return message.PValue(*p)
}

var (
	clearDifference   = message.New("shift.clear", "a clear difference")
	unclearDifference = message.New("shift.unclear", "a difference of unclear size")
	smallDifference   = message.New("shift.small", "a small difference")
	notComparable     = message.New("shift.not_comparable", "{a} and {b} cannot be compared: {why}")
	wantBelowFails    = message.New("want.below_fails", "< {limit} (fails above {fail} with p < {p})")
	wantLikely        = message.New("want.p_of_auc", "p ≥ {p}") // no limit: the value is an AUC
	whatDistinguishes = message.New("shift.tells", " They differ most in {what}.")
	couldBeMissed     = message.New("shift.missed", " A shift of less than about AUC {auc} could have been missed.")
	pUnknown          = message.New("phrase.p_unknown", "p unknown")
)

var (
	shiftFail = analysis.Threshold{
		Name: "shift", Unit: "AUC", Doc: "AUC of a classifier that tells two splits " +
			"apart: they differ if its whole interval is above this, and are alike if it is below this minus 0.05",
		Default: 0.75,
	}
	shiftSure = analysis.Threshold{
		Name: "shift.p", Unit: "p",
		Doc: "adjusted p-value below which a difference counts", Default: 0.01,
	}
	shiftLikely = analysis.Threshold{
		Name: "shift.caution.p", Unit: "p",
		Doc: "adjusted p-value below which any difference is a caution", Default: 0.05,
	}
)

var shiftGates = &analysis.Gate{
	Name:       "shift",
	Label:      "Shift between splits",
	Charts:     []string{"shift"},
	Doc:        "The splits are alike.",
	Thresholds: []analysis.Threshold{shiftFail, shiftSure, shiftLikely},
	Words:      analysis.Words{Pass: "no large difference between the splits was found"},
	Parts:      []*analysis.Gate{shiftText, shiftFields, shiftReward, shiftTools},
}

// shiftSubject holds {what} of the gates about shift.
var shiftSubject = map[string]message.Def{
	"shift.text":   message.New("shift.text.what", "the messages"),
	"shift.fields": message.New("shift.fields.what", "the fields of the rows"),
	"shift.reward": message.New("shift.reward.what", "the items' mean rewards"),
	"shift.tools":  message.New("shift.tools.what", "tool calls, turns and tokens"),
}

// shiftWordsOf returns the words of a gate about shift.
func shiftWordsOf(why, remedy string) analysis.Words {
	return analysis.Words{
		Why: why,
		Pass: "no large difference in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to " +
			"{high}), {p}.{missed}",
		Fail: "a large difference in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to " +
			"{high}), {p}.{words}",
		FailRemedy: remedy,
		Caution: "{size} in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to {high}), " +
			"{p}.{words}",
		CautionRemedy: remedy,
		CautionUnknown: "no difference in {what} between {a} ({na}) and {split} ({nb}) is shown, and a large one " +
			"cannot be ruled out: AUC {value} ({low} to {high}), {p}.{missed}",
	}
}
