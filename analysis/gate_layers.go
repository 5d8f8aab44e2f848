package analysis

import (
	"fmt"
	"gonogo/analysis/message"
	"strings"
)

var graderLayers = Gate{
	Name: "grader.layers",
	Doc: "Blocking, for a reward made of parts with a declared core or a hard gate: at most 10 % of the rollouts whose core is at zero earn more than 5 % of the range; it fails when " +
		"the whole interval lies above. Advisory: 2 %.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.layers"
		if r.Grader == nil || r.Grader.Layers == nil {
			return []Finding{skipped(r.Lang, gate, "", Blocking, "the reward is not made of parts")}
		}
		l := r.Grader.Layers
		switch {
		case l.Core == "":
			return []Finding{skipped(r.Lang, gate, "", Blocking, "the configuration names no core part of the reward (audit.core), and the formula makes none a condition")}
		case l.ZeroN == 0 || !l.Bought.Known():
			return []Finding{skipped(r.Lang, gate, "", Blocking, "no rollout has the core part of the reward (%s) at zero", l.Core)}
		}
		j := judgement{
			gate: gate, severity: Blocking, unit: "share", items: l.Items,
			vars: map[string]string{
				"core": l.Core, "zero": r.Lang.Count(l.ZeroN, "rollout"), "earned": percentOf(r.Lang, l.AtZero.Value), "moving": r.Lang.Text("The other parts give it whatever the rollout does."),
			},
		}
		if len(l.Moving) > 0 {
			j.vars["moving"] = r.Lang.Say("It moves with: %s.", strings.Join(l.Moving, r.Lang.Text(", ")))
		}
		want, caution := t.At(gate), t.At(gate+".caution")
		b := boundOf(l.Bought)
		j.want = fmt.Sprintf("<= %s", message.Plain(want))
		status := atMostObserved(b, want)
		each := (l.ZeroN + l.ZeroItems - 1) / l.ZeroItems
		j.needs, j.settles = settleBy(l.Bought, want, unitRange, r.onceConfidence(), each)
		blocking := j.finding(r.Lang, status, b)
		j.severity, j.want = Advisory, "<= "+message.Plain(caution)
		j.needs, j.settles = settleBy(l.Bought, caution, unitRange, r.onceConfidence(), each)
		return []Finding{blocking, j.finding(r.Lang, atMostObserved(b, caution), b)}
	},
}

// atMostObserved passes on the observed share, fails when the whole interval is
// above, and is unknown otherwise: what was never seen is not held against a
// grader that was seen few times.
func atMostObserved(b bound, want float64) Status {
	switch {
	case b.value == nil:
		return Unknown
	case *b.value <= want:
		return Pass
	case b.low != nil && *b.low > want:
		return Fail
	}
	return Unknown
}
