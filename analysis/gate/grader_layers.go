package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
)

var graderLayers = &analysis.Gate{
	Name:  "grader.layers",
	Label: "reward without the core part",
	Doc: "Blocking, for a reward made of parts with a declared core or a hard gate: at most 10 % of the rollouts " +
		"whose core is at zero earn more than 5 % of the range; it fails when " +
		"the whole interval is above. Advisory: 2 %.",
	Words: analysis.Words{
		Why: "A reward made of parts should pay for style only once the task itself is done. If the " +
			"other parts pay without it, the model can earn reward by looking good and never doing the work.",
		Pass: "without the core part ({core}) hardly anything is earned: {percent} of {zero} with the " +
			"core at zero earn something",
		Fail: "the model can earn reward without doing the task: {percent} of {zero} with the core part " +
			"({core}) at zero earn something, {earned} of the range on average",
		FailRemedy: "Make the core a condition, for example by multiplying: {core} * (0.7 + 0.3 * the rest). " +
			"{moving}",
		Unknown:       "{percent} of {zero} with the core part ({core}) at zero earn something: it may not stay rare",
		UnknownRemedy: "{needs} {moving}",
		Caution: "{percent} of {zero} with the core part ({core}) at zero earn something, {earned} of the " +
			"range on average",
		CautionRemedy:   "Make the core a condition of the other parts. {moving}",
		CautionUnknown:  "{percent} of {zero} with the core part ({core}) at zero earn something",
		CautionUnknownR: "{needs} {moving}",
	},
	Charts: []string{"rewards"},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		if r.Grader == nil || r.Grader.Layers == nil {
			return analysis.Skip("", analysis.Blocking, noParts.Text())
		}
		l := r.Grader.Layers
		switch {
		case l.Core == "":
			return analysis.Skip("", analysis.Blocking, noCore.Text())
		case l.ZeroN == 0 || !l.Bought.Known():
			return analysis.Skip("", analysis.Blocking, coreNeverZero.With(message.Args{"core": message.Name(l.Core)}))
		}
		j := analysis.Judgement{
			Severity: analysis.Blocking, Unit: "share", Items: l.Items,
			Args: message.Args{
				"core": message.Name(l.Core), "zero": message.Count(l.ZeroN, "rollout"),
				"earned": message.KnownShare(l.AtZero.Value), "moving": message.Nested(movesAlone.Text()),
			},
		}
		if len(l.Moving) > 0 {
			j.Args["moving"] = message.Nested(movesWith.With(message.Args{"parts": message.Names(l.Moving)}))
		}
		const caution = 0.02 // share of rollouts that earn something while the core is at zero
		want := t.At(shortcutLayers)
		b := analysis.BoundOf(l.Bought)
		j.Want = analysis.WantAtMost(want)
		status := atMostObserved(b, want)
		each := (l.ZeroN + l.ZeroItems - 1) / l.ZeroItems
		j.Needs, j.Settles = settleBy(l.Bought, want, unitRange, r.AuditConfidence(), each)
		blocking := j.Finding(status, b)
		j.Severity, j.Want = analysis.Advisory, analysis.WantAtMost(caution)
		j.Needs, j.Settles = settleBy(l.Bought, caution, unitRange, r.AuditConfidence(), each)
		return []analysis.Finding{blocking, j.Finding(atMostObserved(b, caution), b)}
	},
}

var (
	movesAlone = message.New("grader.layers.alone", "The other parts pay this whatever the rollout does.")
	movesWith  = message.New("grader.layers.moves_with", "It varies with {parts}.")
)

var (
	noParts = analysis.Moot(message.New("skip.no_parts", "the reward is not made of parts"))
	noCore  = message.New("skip.no_core",
		"the configuration names no core part of the reward (audit.core), and the formula makes none a condition")
)

var coreNeverZero = message.New("skip.core_never_zero", "no rollout has the core part of the reward ({core}) at zero")
