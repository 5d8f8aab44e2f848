package gate

import (
	"math"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var (
	noiseLimit = analysis.Threshold{
		Name: "grader.noise", Unit: "share",
		Doc: "share of the variance within items that may be the grader's own noise", Default: 0.50,
	}
	noiseCaution = analysis.Threshold{
		Name: "grader.noise.caution", Unit: "share",
		Doc: "the same, above which it is a caution", Default: 0.25,
	}
)

var graderNoise = &analysis.Gate{
	Name:  "grader.noise",
	Label: "Grader noise",
	Doc: "Blocking, on train, if the same outputs were graded more than once, by the audit or in an imported log: " +
		"at most half of the variance of rewards within an item " +
		"is the grader's own noise. It also passes if a hundred outputs or more were graded again and none got a " +
		"different grade: at most one in 27 would then (95 %, exact), " +
		"even if rewards hardly differ. Advisory: a quarter.",
	Thresholds: []analysis.Threshold{noiseLimit, noiseCaution},
	Charts:     []string{"noise"},
	Words: analysis.Words{
		Why: "Grading the same answer twice should give the same reward. What differs is noise: a " +
			"trainer takes it for a better or worse answer and learns from chance.",
		Pass: "grading the same answer again changes little: {percent} of the variation between rewards " +
			"of the same item is grader noise ({low} to {high}, {outputs} graded again)",
		Fail: "the rewards are mostly noise: {percent} of the variation between rewards of the same item " +
			"is grader noise ({outputs} graded again)",
		FailRemedy: "Make the grader steadier: set a judge to temperature 0 and give it a rubric of checkable " +
			"points. If that is not enough, average several judgements, or use a rule instead of a judge.{flips}",
		Unknown: "between {lowpercent} and {highpercent} of the variation between rewards of the same item " +
			"is grader noise ({outputs} graded again)",
		UnknownRemedy: "{more}{flips}",
		Caution: "{percent} of the variation between rewards of the same item is grader noise ({outputs} " +
			"graded again)",
		CautionRemedy: "Make the grader steadier, or average several judgements: part of what looks like a better " +
			"answer is chance, so training would be slower.{flips}",
		CautionUnknown: "between {lowpercent} and {highpercent} of the variation between rewards of the same item " +
			"is grader noise ({outputs} graded again)",
		CautionUnknownR: "{more}{flips}",
	},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		split, ok := analysis.TrainingSplit(r)
		if !ok {
			return analysis.Skip(rollout.Train, analysis.Blocking, whyNoTraining(r))
		}
		sr := r.Splits[split]
		e := sr.Variance.GraderShare
		switch {
		case !e.Known() && e.N == 0 && unaudited(r):
			return analysis.Skip(split, analysis.Blocking, whyNoAudit(r))
		case !e.Known() && e.N == 0:
			return analysis.Skip(split, analysis.Blocking, noRegrades.Text())
		case !e.Known():
			return analysis.Skip(split, analysis.Blocking, noSpread.Text())
		}
		var out []analysis.Finding
		for _, level := range []struct {
			severity  analysis.Severity
			threshold analysis.Threshold
		}{{analysis.Blocking, noiseLimit}, {analysis.Advisory, noiseCaution}} {
			want := t.At(level.threshold)
			b := analysis.BoundOf(e)
			j := analysis.Judgement{
				Split: split, Severity: level.severity, Unit: "share", Want: analysis.WantAtMost(want),
				Args: message.Args{
					"outputs": message.Count(e.N, "output"),
					"more":    message.Nested(noiseNeeds(e, want)), "flips": message.Nested(flips(r)),
				},
			}
			if outputs, ok := outputsNeeded(e, want); ok {
				each := max(1, e.N/max(1, e.Items)) // outputs of an item
				j.Needs, j.Settles = &analysis.Needs{Items: (outputs + each - 1) / each, Samples: each}, true
			}
			status := b.AtMost(want)
			if level.severity == analysis.Blocking && status == analysis.Unknown && sr.Variance.NoneSeen() {
				_, most := stat.ClopperPearson(0, float64(e.N), r.AuditConfidence())
				j.Args["most"] = message.Share(most)
				status, j.Instead = analysis.Pass, &noNoiseSeen
			}
			out = append(out, j.Finding(status, b))
		}
		return out
	},
}

// flips describes the flip rate of a yes-or-no grader.
func flips(r *analysis.Result) message.Text {
	if r.Grader == nil || r.Grader.FlipRate == nil || *r.Grader.FlipRate.Value == 0 {
		return message.Text{}
	}
	return wrongGrades.With(message.Args{"share": message.Share(*r.Grader.FlipRate.Value)})
}

// noiseNeeds says how many outputs to regrade: the interval shrinks with the square root of their
// number, the bound on noise that was not seen with the number itself.
func noiseNeeds(e stat.Estimate, want float64) message.Text {
	outputs, ok := outputsNeeded(e, want)
	if !ok {
		return onThreshold.Text()
	}
	return regradesSettle.With(message.Args{"outputs": message.Count(outputs, "output")})
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

var (
	wrongGrades = message.New("grader.noise.flips",
		" It gives the wrong one of its two grades in about {share} of all cases.")
	onThreshold = message.New("grader.noise.on_threshold",
		"The share sits on the threshold: more gradings alone may not settle it.")
	regradesSettle = message.New("grader.noise.settles",
		"About {outputs} graded again would settle it (audit.regrades).")
)

// noNoiseSeen replaces the words if enough outputs were regraded and no grade changed.
var noNoiseSeen = analysis.NewWording("grader.noise.none_seen", "grading the same answer again changes nothing: "+
	"none of {outputs} got a different grade, so at most {most} of all would", "")

var (
	noRegrades = message.New("skip.no_regrades", "the audit graded no output again (audit.regrades)")
	noSpread   = analysis.Moot(message.New("skip.no_spread",
		"the rewards of one item never differ, so noise has no share in their differences"))
)
