package analysis

import (
	"fmt"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var rolloutsIndependent = NewGate(Gate{
	Name: "rollouts.independent",
	Doc:  "Each rollout is an attempt of its own.",
	Thresholds: []Threshold{
		{"rollouts.independent.leaks", "share", "share of rollouts that met what another one had left, above which, with its whole interval, it fails", 0.01},
		{"rollouts.independent.identical", "share", "share of items with identical outputs, from which a cache or a fixed seed is suspected", 0.50},
	},
	Words: Words{Pass: "each rollout is an attempt of its own"},
	Parts: []Gate{rolloutsLeaks, samplingIdentical},
})

var samplingIdentical = newPart(Gate{
	Name: "sampling.identical",
	Doc:  "Advisory: the outputs of most items are not all the same text, as one seed for all samples or a response cache would make them.",
	Words: Words{
		Why:             "One seed for all samples, temperature 0 or a cache of responses makes all rollouts of an item the same. Then every number about variety is wrong.",
		Pass:            "rollouts of the same item differ in their text",
		Caution:         "on {percent} of items all rollouts are the same text",
		CautionRemedy:   "Look for a fixed seed, temperature 0 or a response cache between here and the model.",
		CautionUnknown:  "on {lowpercent} to {highpercent} of items all rollouts are the same text",
		CautionUnknownR: "{needs}",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		want := t.At("rollouts.independent.identical")
		var out []Finding
		for _, split := range rollout.Splits() {
			sr := r.Splits[split]
			if sr == nil || !sr.Identical.Known() {
				continue
			}
			j := judgement{gate: "sampling.identical", split: split, severity: Advisory, unit: "share", want: atMost(want)}
			j.needs, j.settles = settle(sr.Identical, want, unitRange, r.Confidence, sr)
			b := boundOf(sr.Identical)
			out = append(out, j.finding(b.atMost(want), b))
		}
		if out == nil {
			return []Finding{skip("sampling.identical", "", Advisory, noOutputs.Text())}
		}
		return out
	},
})

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
			return []Finding{skip(gate, "", Blocking, noCanary.Text())}
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
		seen := observed(stat.Fraction(l.Leaking, l.Rollouts))
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

// rolloutWords tells the rollout's name.
func rolloutWords(n RolloutName) string { return fmt.Sprintf("%s %s/%d", n.Split, n.Item, n.Sample) }

// leakExampleWords tells who met whose.
func leakExampleWords(x LeakExample) message.Text {
	switch {
	case x.Of == nil:
		return metOther.With(message.Args{"rollout": message.Name(rolloutWords(x.RolloutName)), "at": message.Name(x.At)})
	case rolloutWords(*x.Of) == rolloutWords(x.RolloutName):
		return metOwn.With(message.Args{"rollout": message.Name(rolloutWords(x.RolloutName)), "at": message.Name(x.At)})
	}
	return metLeft.With(message.Args{"rollout": message.Name(rolloutWords(x.RolloutName)), "of": message.Name(rolloutWords(*x.Of)), "at": message.Name(x.At)})
}

var (
	metOther = message.New("rollouts.leaks.other_run", "{rollout} met what a rollout of another run left, or one without a record ({at})")
	metOwn   = message.New("rollouts.leaks.own", "{rollout} met what an earlier attempt of its own left ({at})")
	metLeft  = message.New("rollouts.leaks.left", "{rollout} met what {of} left ({at})")
)
