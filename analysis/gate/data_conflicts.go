package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
)

var dataConflicts = &analysis.Gate{
	Name:  "data.conflicts",
	Label: "Conflicting items",
	Doc: "Blocking: no two rows have the same prompt and different references. Advisory: nor do any have nearly the " +
		"same prompt (the same words that carry content, in the same order).",
	Words: analysis.Words{
		Why: "One question with two right answers cannot be learnt: whatever the model says, half of its " +
			"rollouts are punished for it.",
		Pass: "no prompt has two references",
		Fail: "{value|prompt has|prompts have} references that contradict each other",
		FailRemedy: "Look at the rows listed here: at least one reference of each pair is wrong, or the prompt " +
			"leaves out what distinguishes the tasks. Fix or drop them.",
		Caution: "{value|pair of prompts that are almost the same has|pairs of prompts that are almost the " +
			"same have} references that contradict each other",
		CautionRemedy: "Read the pairs listed here. If they ask the same, one reference is wrong.",
	},
	Check: func(r *analysis.Result, _ analysis.Thresholds) []analysis.Finding {
		switch {
		case r.Shift == nil:
			return analysis.Skip("", analysis.Blocking, noItems.Text())
		case r.Shift.References == 0:
			return analysis.Skip("", analysis.Blocking, noReference.Text())
		}
		var out []analysis.Finding
		for _, level := range []struct {
			severity analysis.Severity
			kind     shift.ConflictKind
		}{{analysis.Blocking, shift.SamePrompt}, {analysis.Advisory, shift.AlmostPrompt}} {
			n := 0
			j := analysis.Judgement{Severity: level.severity, Unit: "prompts", Want: analysis.WantNone.Text()}
			for _, c := range r.Shift.Conflicts {
				if c.Kind == level.kind {
					n++
					withRow(&j, pairText(c.ASplit, c.A, c.BSplit, c.B), c.A, c.B)
				}
			}
			out = append(out, j.Finding(analysis.Observed(float64(n)).AtMost(0), analysis.Observed(float64(n))))
		}
		return out
	},
}

var noReference = message.New("skip.no_reference", "no row has a reference answer in one of the usual fields")
