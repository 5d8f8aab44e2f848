package analysis

import (
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

var rolloutsLeaks = newPart(Gate{
	Name: "rollouts.leaks",
	Doc: "Blocking, where rollouts had canaries (docs/sessions.md): at most 1 % of them met what another one had left; with its whole interval above that it fails. " +
		"Advisory: none did. Each such leak is certain.",
	Words: Words{
		Why:           "A rollout that meets what another one left is no attempt of its own: it may have read the other's answer, or stumbled over its remains. Rewards then hang together, so that groups, spreads and intervals tell less than they seem to, and training would teach to look for what others left.",
		Pass:          "{leaking} of {rollouts} met what another one had left",
		Fail:          "{percent} of {rollouts} met what another one had left: they do not run apart",
		FailRemedy:    "Give each rollout a place of its own, fresh when it starts and cleared away when it stops (docs/sessions.md), then sample into a new run directory: what is recorded stays as it is. {examples}.",
		Unknown:       "{percent} of {rollouts} met what another one had left: too many to pass over, too few to give up",
		UnknownRemedy: "Give each rollout a place of its own, fresh when it starts and cleared away when it stops (docs/sessions.md), then sample into a new run directory. {examples}. {needs}",
		Caution:       "{leaking} of {rollouts} met what another one had left",
		CautionRemedy: "Their rewards are not their own; each of these is certain. Give each rollout a place of its own, fresh when it starts and cleared away when it stops (docs/sessions.md). {examples}.",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "rollouts.leaks"
		l := r.Leaks
		if l == nil {
			return []Finding{skipped(gate, "", Blocking, noCanary.Text())}
		}
		const caution = 0 // any
		want := t.At("rollouts.independent.leaks")
		j := judgement{
			gate: gate, severity: Blocking, unit: "share", want: atMost(want), items: l.Items,
			vars: message.Args{"leaking": message.Int(l.Leaking), "rollouts": message.Count(l.Rollouts, "rollout"), "examples": message.Said(exampleWords(l))},
		}
		if n, ok := stat.Needed(l.Share, want, l.Share.Items, &unitRange, r.Confidence); ok {
			j.needs, j.settles = &Needs{Items: n, Samples: (l.Rollouts + l.Share.Items - 1) / max(1, l.Share.Items)}, true
		}
		seen := observed(share(l.Leaking, l.Rollouts))
		blocking := j.finding(seen.atMost(want), seen)
		if blocking.Status == Fail { // so it was seen; whether it is so of all, the interval says
			b := boundOf(l.Share)
			blocking = j.finding(b.atMost(want), b)
		}
		j.severity, j.want, j.needs, j.settles = Advisory, atMost(caution), nil, false
		return []Finding{blocking, j.finding(seen.atMost(caution), seen)}
	},
})

// exampleWords tells a few of the leaks.
func exampleWords(l *Leaks) message.Text {
	var parts []message.Text
	for _, x := range l.Examples[:min(3, len(l.Examples))] {
		parts = append(parts, leakExampleWords(x))
	}
	return message.Clauses(parts...)
}

var noCanary = message.New("skip.no_canary", "no canary stood where another rollout could have met it (session.canary)")
