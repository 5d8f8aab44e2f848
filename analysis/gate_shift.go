package analysis

import (
	"math"
	"slices"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
)

var (
	shiftText   = shiftGate("shift.text", OnLastUser, "Blocking: the last user messages"+shiftDoc, "no message of a user is known")
	shiftFields = shiftGate("shift.fields", OnFields, "Blocking: the fields of the rows beside messages, tools and reference"+shiftDoc, "the rows hold no field beside messages, tools and reference that can be compared")
	shiftReward = shiftGate("shift.reward", OnReward, "Blocking: the items' mean rewards"+shiftDoc, "not both splits have rewards")
	shiftTools  = shiftGate("shift.tools", OnTools, "Blocking: the tool calls, tools, turns and tokens of rollouts"+shiftDoc, "not both splits have rollouts whose calls are known")
)

// shiftDoc is what the gates about shift do with what they compare.
const shiftDoc = " are alike in each two splits. It fails when a classifier tells the splits apart with an AUC whose interval lies above 0.75, and " +
	"the test has p < 0.01 (Holm over all such tests); it passes when the interval lies below 0.70, and decides nothing otherwise. Advisory: the test has p >= 0.05; " +
	"any smaller p is a caution, whatever the size of the difference."

// shiftGate compares each two splits on one thing.
func shiftGate(name, on, doc, without string) Gate {
	return Gate{
		Name: name,
		Doc:  doc,
		Check: func(r *Result, t Thresholds) []Finding {
			switch {
			case r.Shift == nil:
				return []Finding{skipped(r.Lang, name, "", Blocking, noItems)}
			case len(r.Shift.Crossings) == 0:
				return []Finding{skipped(r.Lang, name, "", Blocking, oneSplit)}
			}
			var out []Finding
			for _, c := range r.Shift.Crossings {
				out = append(out, judgeShift(r, t, name, on, c)...)
			}
			if out == nil {
				return []Finding{skipped(r.Lang, name, "", Blocking, without)}
			}
			return out
		},
	}
}

// judgeShift judges one comparison: nothing where it was not made.
func judgeShift(r *Result, t Thresholds, gate, on string, c Crossing) []Finding {
	test, told := r.Shift.tests(on, c)
	if test == nil || told == nil {
		return nil
	}
	l, vars := r.Lang, shiftVars(r.Lang, gate, c, *test, *told)
	if !told.Effect.Known() || test.PHolm == nil {
		why := strings.Join(append(list(told.Effect.Warnings), list(test.Effect.Warnings)...), l.Text("; "))
		return []Finding{skipped(l, gate, c.B, Blocking, "%s and %s cannot be compared: %s", c.A, c.B, why)}
	}
	auc, p := boundOf(told.Effect), *test.PHolm
	fail, pass, sure, likely := t.At(gate), t.At(gate+".pass"), t.At(gate+".p"), t.At(gate+".caution.p")
	items := told.Items
	if len(items) == 0 {
		items = test.Items
	}
	blocking := judgement{gate: gate, split: c.B, severity: Blocking, unit: "AUC", want: l.Say("< %s (fails above %s with p < %s)", message.Plain(pass), message.Plain(fail), message.Plain(sure)), vars: vars}
	advisory := judgement{gate: gate, split: c.B, severity: Advisory, unit: "AUC", want: "p >= " + message.Plain(likely), vars: vars}
	hint := Pass
	if p < likely {
		hint = Fail
		advisory.items = items
		vars["size"] = l.Text(sizeOf(told, t.At(gate+".caution")))
	}
	switch {
	case auc.low != nil && *auc.low > fail && p < sure:
		blocking.items = items
		return []Finding{blocking.finding(l, Fail, auc), advisory.finding(l, hint, auc)}
	case auc.high != nil && *auc.high < pass && (hint == Pass || len(told.LeftOut) == 0):
		return []Finding{blocking.finding(l, Pass, auc), advisory.finding(l, hint, auc)}
	case hint == Pass: // no difference is shown, and a large one is not excluded
		hint = Unknown
		advisory.needs, advisory.settles = settleShift(told, pass)
	}
	return []Finding{advisory.finding(l, hint, auc)}
}

// sizeOf says how large a difference is that is there.
func sizeOf(told *ShiftPair, clear float64) string {
	switch e := told.Effect; {
	case e.Low != nil && *e.Low > clear:
		return "a clear difference"
	case len(told.LeftOut) > 0 || e.High == nil || *e.High > clear:
		return "a difference of unclear size"
	}
	return "a small difference"
}

// settleShift says of how many items a split, and as many of the other, the
// interval of an AUC would lie below a threshold: it shrinks with the root of
// their number.
func settleShift(told *ShiftPair, threshold float64) (*Needs, bool) {
	e, gap := told.Effect, threshold-*told.Effect.Value
	if e.High == nil || gap < 1e-3 {
		return nil, false
	}
	factor := math.Pow((*e.High-*e.Value)/gap, 2)
	if factor > 100 {
		return nil, false
	}
	return &Needs{Items: int(math.Ceil(factor * float64(min(told.NA, told.NB)))), Samples: 1}, true
}

// tests finds the test that decides and the classifier whose AUC is the effect.
func (sh *Shift) tests(on string, c Crossing) (primary, auc *ShiftPair) {
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

func shiftVars(l message.Language, gate string, c Crossing, test, told ShiftPair) map[string]string {
	vars := map[string]string{"what": l.Text(shiftSubject[gate]), "a": string(c.A), "na": message.Whole(told.NA), "nb": message.Whole(told.NB), "p": pText(l, test.PHolm), "words": "", "missed": ""}
	telling := told.Telling(l)
	for _, text := range test.Telling(l) { // of values that the classifier is not shown, too
		if !slices.Contains(telling, text) {
			telling = append(telling, text)
		}
	}
	if len(telling) > 0 {
		vars["words"] = l.Say(" What tells %s from %s: %s.", c.B, c.A, strings.Join(telling[:min(len(telling), 5)], l.Text("; ")))
	}
	if told.Missed != nil {
		vars["missed"] = l.Say(" A shift of less than about AUC %s could have been missed.", message.Plain(stat.Or(told.Missed, 1)))
	}
	return vars
}

// pText writes a p value.
func pText(l message.Language, p *float64) string {
	switch {
	case p == nil:
		return l.Text("p unknown")
	case *p < 0.001:
		return "p < 0.001"
	}
	return "p = " + message.Plain(*p)
}

// shiftThresholds are those of one gate about shift.
func shiftThresholds(gate string) []Threshold {
	return []Threshold{
		{gate, "AUC of telling two splits apart above which, with its whole interval, they differ", 0.75},
		{gate + ".pass", "AUC below which, with its whole interval, they are alike", 0.70},
		{gate + ".p", "adjusted p-value below which a difference counts", 0.01},
		{gate + ".caution", "AUC above which, with its whole interval, a difference is called clear", 0.60},
		{gate + ".caution.p", "adjusted p-value below which any difference is a caution", 0.05},
	}
}
