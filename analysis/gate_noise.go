package analysis

import (
	"math"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var graderNoise = Gate{
	Name: "grader.noise",
	Doc: "Blocking, on train, wherever the same outputs were graded more than once, by the audit or in what was imported: at most half of the variance of rewards within an item " +
		"is the grader's own noise. Advisory: a quarter.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.noise"
		split, ok := trainingSplit(r)
		if !ok {
			return []Finding{skipped(r.Lang, gate, rollout.Train, Blocking, noTraining)}
		}
		sr := r.Splits[split]
		e := sr.Variance.GraderShare
		switch {
		case !e.Known() && e.N == 0 && r.unaudited() != "":
			return []Finding{skipped(r.Lang, gate, split, Blocking, r.noAudit())}
		case !e.Known() && e.N == 0:
			return []Finding{skipped(r.Lang, gate, split, Blocking, "the audit graded no output again (audit.regrades)")}
		case !e.Known():
			return []Finding{skipped(r.Lang, gate, split, Blocking, "the rewards of one item never differ: there is nothing that noise could be a share of")}
		}
		var out []Finding
		for _, level := range []struct {
			severity Severity
			name     string
		}{{Blocking, gate}, {Advisory, gate + ".caution"}} {
			want := t.At(level.name)
			b := boundOf(e)
			j := judgement{
				gate: gate, split: split, severity: level.severity, unit: "share", want: "<= " + message.Plain(want),
				vars: map[string]string{"outputs": r.Lang.Count(e.N, "output"), "more": noiseNeeds(r.Lang, e, want), "flips": flips(r)},
			}
			if outputs, ok := outputsNeeded(e, want); ok {
				each := max(1, e.N/max(1, e.Items)) // outputs of an item
				j.needs, j.settles = &Needs{Items: (outputs + each - 1) / each, Samples: each}, true
			}
			out = append(out, j.finding(r.Lang, b.atMost(want), b))
		}
		return out
	},
}

// flips tells the flip rate of a yes-or-no grader in words.
func flips(r *Result) string {
	if r.Grader == nil || r.Grader.FlipRate == nil || *r.Grader.FlipRate.Value == 0 {
		return ""
	}
	return r.Lang.Say(" It gives the wrong one of its two grades in about %s of all cases.", message.Percent(*r.Grader.FlipRate.Value))
}

// noiseNeeds says how many outputs to grade again: the interval shrinks with the
// root of their number, and the bound on noise that was not seen with the
// number itself.
func noiseNeeds(l message.Language, e stat.Estimate, want float64) string {
	outputs, ok := outputsNeeded(e, want)
	if !ok {
		return l.Text("The share sits on the threshold: more gradings alone may not settle it.")
	}
	return l.Say("About %s graded again would settle it (audit.regrades).", l.Count(outputs, "output"))
}

func outputsNeeded(e stat.Estimate, want float64) (int, bool) {
	gap := math.Abs(*e.Value - want)
	if gap <= 0.01 || e.N == 0 {
		return 0, false
	}
	factor := math.Pow((*e.High-*e.Value)/gap, 2)
	switch {
	case *e.Value == 0:
		factor = *e.High / gap
	case *e.Value > want:
		factor = math.Pow((*e.Value-*e.Low)/gap, 2)
	}
	return int(math.Ceil(1.1 * factor * float64(e.N))), true
}
