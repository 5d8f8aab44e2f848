package analysis

import (
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
)

var dataConflicts = NewGate(Gate{
	Name: "data.conflicts",
	Doc: "Blocking: no two rows have the same prompt and different references. Advisory: nor almost the same prompt " +
		"(the same words that carry content, in the same order).",
	Words: Words{
		Why:           "One question with two right answers cannot be learnt: whatever the model says, half of its rollouts are punished for it.",
		Pass:          "no prompt has two references",
		Fail:          "{prompts} {have} references that contradict each other",
		FailRemedy:    "Look at the rows listed here: at least one reference of each pair is wrong, or the prompt leaves out what tells the tasks apart. Mend or drop them.",
		Caution:       "{prompts} that are almost the same {have} references that contradict each other",
		CautionRemedy: "Read the pairs listed here. Where they ask the same, one reference is wrong.",
	},
	Check: func(r *Result, _ Thresholds) []Finding {
		const gate = "data.conflicts"
		switch {
		case r.Shift == nil:
			return []Finding{skip(gate, "", Blocking, noItems.Text())}
		case r.Shift.References == 0:
			return []Finding{skip(gate, "", Blocking, noReference.Text())}
		}
		var out []Finding
		for _, level := range []struct {
			severity Severity
			kind     shift.ConflictKind
		}{{Blocking, shift.SamePrompt}, {Advisory, shift.AlmostPrompt}} {
			n := 0
			j := judgement{gate: gate, severity: level.severity, unit: "prompts", want: wantNone.Text()}
			for _, c := range r.Shift.Conflicts {
				if c.Kind == level.kind {
					n++
					withRow(&j, beside(c.ASplit, c.A, c.BSplit, c.B), c.A, c.B)
				}
			}
			j.vars = message.Args{"prompts": message.Count(n, "prompt"), "have": message.Said(has(n))}
			out = append(out, j.finding(observed(float64(n)).atMost(0), observed(float64(n))))
		}
		return out
	},
})

var noReference = message.New("skip.no_reference", "no row has a reference answer in one of the usual fields")

func has(n int) message.Text {
	if n == 1 {
		return hasOne.Text()
	}
	return haveMany.Text()
}

var (
	hasOne   = message.New("phrase.has", "has")
	haveMany = message.New("phrase.have", "have")
)
