package analysis

import (
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

var rolloutsLeaks = Gate{
	Name: "rollouts.leaks",
	Doc: "Blocking, where rollouts had canaries (docs/sessions.md): at most 1 % of them met what another one had left; with its whole interval above that it fails. " +
		"Advisory: none did. Each such leak is certain.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "rollouts.leaks"
		l := r.Leaks
		if l == nil {
			return []Finding{skipped(r.Lang, gate, "", Blocking, "no canary stood where another rollout could have met it (session.canary)")}
		}
		want, caution := t.At(gate), t.At(gate+".caution")
		j := judgement{
			gate: gate, severity: Blocking, unit: "share", want: "<= " + message.Plain(want), items: l.Items,
			vars: map[string]string{"leaking": message.Whole(l.Leaking), "rollouts": r.Lang.Count(l.Rollouts, "rollout"), "examples": l.exampleWords(r)},
		}
		if n, ok := stat.Needed(l.Share, want, l.Share.Items, &unitRange, r.Confidence); ok {
			j.needs, j.settles = &Needs{Items: n, Samples: (l.Rollouts + l.Share.Items - 1) / max(1, l.Share.Items)}, true
		}
		seen := observed(share(l.Leaking, l.Rollouts))
		blocking := j.finding(r.Lang, seen.atMost(want), seen)
		if blocking.Status == Fail { // so it was seen; whether it is so of all, the interval says
			b := boundOf(l.Share)
			blocking = j.finding(r.Lang, b.atMost(want), b)
		}
		j.severity, j.want, j.needs, j.settles = Advisory, "<= "+message.Plain(caution), nil, false
		return []Finding{blocking, j.finding(r.Lang, seen.atMost(caution), seen)}
	},
}

// exampleWords tells a few of the leaks.
func (l *Leaks) exampleWords(r *Result) string {
	var parts []string
	for _, x := range l.Examples[:min(3, len(l.Examples))] {
		parts = append(parts, x.words(r.Lang))
	}
	return strings.Join(parts, r.Lang.Text("; "))
}
