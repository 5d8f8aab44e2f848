package gate

import (
	"fmt"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var (
	independentLeaks = analysis.Threshold{
		Name: "rollouts.independent.leaks", Unit: "share",
		Doc:     "share of rollouts that found data left by another, above which, with its whole interval, it fails",
		Default: 0.01,
	}
	independentMixed = analysis.Threshold{
		Name: "rollouts.independent.mixed", Unit: "share",
		Doc: "share of items whose rollouts were asked different things, or were answered by different models, " +
			"above which it is UNDECIDED", Default: 0.05,
	}
)

var rolloutsIndependent = &analysis.Gate{
	Name:       "rollouts.independent",
	Label:      "Independent rollouts",
	Doc:        "The rollouts of an item are independent attempts at one prompt by one model.",
	Thresholds: []analysis.Threshold{independentLeaks, independentMixed},
	Words:      analysis.Words{Pass: "each rollout is an independent attempt at its item, by one model"},
	Parts:      []*analysis.Gate{rolloutsLeaks, rolloutsPrompts, rolloutsModels, samplingIdentical, samplingSettings},
}

var rolloutsLeaks = &analysis.Gate{
	Name:  "rollouts.leaks",
	Label: "data left by others",
	Doc: "Blocking, if rollouts had canaries (docs/wire.md#sessions): at most 1 % of them found data left by " +
		"another; it fails if the whole interval is above that. " +
		"Advisory: none did. Each such leak is certain.",
	Words: analysis.Words{
		Why: "A rollout that finds what another one left behind is not an independent attempt: it may " +
			"have read the other's answer, or tripped over leftover files. Rewards are then correlated, so groups, " +
			"spreads and intervals say less than they seem to, and training teaches the model to look for leftovers.",
		Pass: "{leaking} of {rollouts} found data left by another",
		Fail: "{percent} of {rollouts} found data left by another: they are not isolated",
		FailRemedy: "Give each rollout its own workspace, created when it starts and deleted when it stops " +
			"(docs/wire.md#sessions), then sample into a new run directory: recorded rollouts do not change. " +
			"{examples}.",
		Unknown: "{percent} of {rollouts} found data left by another: too many to ignore, too few to fail the run",
		UnknownRemedy: "Give each rollout its own workspace, created when it starts and deleted when it stops " +
			"(docs/wire.md#sessions), then sample into a new run directory. {examples}. {needs}",
		Caution: "{leaking} of {rollouts} found data left by another",
		CautionRemedy: "Each of these cases is certain, and those rewards cannot be trusted. Give each rollout its " +
			"own workspace, created when it starts and deleted when it stops (docs/wire.md#sessions). {examples}.",
	},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		l := r.Leaks
		if l == nil {
			if r.Run.Source == string(rollout.Import) {
				return analysis.Skip("", analysis.Blocking, noCanaryImport.Text())
			}
			return analysis.Skip("", analysis.Blocking, noCanary.Text())
		}
		const caution = 0 // no rollout may leak
		want := t.At(independentLeaks)
		j := analysis.Judgement{
			Severity: analysis.Blocking, Unit: "share", Want: analysis.WantAtMost(want), Items: l.Items,
			Args: message.Args{
				"leaking": message.Int(l.Leaking), "rollouts": message.Count(l.Rollouts, "rollout"),
				"examples": message.Nested(exampleWords(l)),
			},
		}
		if n, ok := stat.Needed(l.Share, want, l.Share.Items, &unitRange, r.Confidence); ok {
			j.Needs, j.Settles = &analysis.Needs{Items: n, Samples: (l.Rollouts + l.Share.Items - 1) / max(1,
				l.Share.Items)}, true
		}
		seen := analysis.Observed(stat.Fraction(l.Leaking, l.Rollouts))
		blocking := j.Finding(seen.AtMost(want), seen)
		if blocking.Status == analysis.Fail { // observed in these rollouts; the interval tells whether it holds for all
			b := analysis.BoundOf(l.Share)
			blocking = j.Finding(b.AtMost(want), b)
		}
		j.Severity, j.Want, j.Needs, j.Settles = analysis.Advisory, analysis.WantAtMost(caution), nil, false
		return []analysis.Finding{blocking, j.Finding(seen.AtMost(caution), seen)}
	},
}

// exampleWords describes a few of the leaks.
func exampleWords(l *analysis.Leaks) message.Text {
	var parts []message.Text
	for _, x := range l.Examples[:min(3, len(l.Examples))] {
		parts = append(parts, leakExampleWords(x))
	}
	return message.Clauses(parts...)
}

var (
	noCanary = message.New("skip.no_canary",
		"canaries are off (session.canary), or none was placed where another rollout could find it")
	noCanaryImport = message.New("skip.no_canary_import", "the rollouts were imported: none of them had a canary")
)

// rolloutWords names the rollout.
func rolloutWords(n analysis.RolloutName) string {
	return fmt.Sprintf("%s %s/%d", n.Split, n.Item, n.Sample)
}

// leakExampleWords says which rollout found whose data.
func leakExampleWords(x analysis.LeakExample) message.Text {
	switch {
	case x.Of == nil:
		return metOther.With(message.Args{
			"rollout": message.Name(rolloutWords(x.RolloutName)),
			"at":      message.Name(x.At),
		})
	case rolloutWords(*x.Of) == rolloutWords(x.RolloutName):
		return metOwn.With(message.Args{"rollout": message.Name(rolloutWords(x.RolloutName)), "at": message.Name(x.At)})
	}
	return metLeft.With(message.Args{
		"rollout": message.Name(rolloutWords(x.RolloutName)),
		"of":      message.Name(rolloutWords(*x.Of)), "at": message.Name(x.At),
	})
}

var (
	metOther = message.New("rollouts.leaks.other_run",
		"{rollout} found data left by a rollout of another run, or by one without a record ({at})")
	metOwn  = message.New("rollouts.leaks.own", "{rollout} found data left by an earlier attempt of its own ({at})")
	metLeft = message.New("rollouts.leaks.left", "{rollout} found data left by {of} ({at})")
)
