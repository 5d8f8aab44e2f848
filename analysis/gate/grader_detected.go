package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

var graderDetected = &analysis.Gate{
	Name: "grader.detected",
	Doc:  "Advisory, if detectors are configured: no rollout is marked as a hack.",
	Words: analysis.Words{
		Why: "A detector looks for rollouts that earn reward by a trick. What the base model does now and " +
			"then, training makes it do always.",
		Pass:          "none of {rollouts} is marked as a hack",
		Caution:       "“{detector}” marks {marked} of {rollouts} as hacks; they had earned {mean} on average",
		CautionRemedy: "Read them. If they are hacks, close the hole in the grader. {zeroed}",
		Unmeasured:    "not known: the detector failed on every rollout",
		UnmeasuredR:   "Fix the detector, then run {audit} again.",
	},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		if r.Grader == nil || len(r.Grader.Detectors) == 0 {
			return analysis.Skip("", analysis.Advisory, noDetector.Text())
		}
		const want = 0 // no rollout may be marked
		worst := worstDetector(r, want)
		j := analysis.Judgement{
			Severity: analysis.Advisory, Unit: "share", Want: analysis.WantAtMost(want), Items: worst.Items,
			Args: message.Args{
				"detector": message.Name(worst.Detector), "marked": message.Int(worst.Marked),
				"rollouts": message.Count(worst.Rollouts, "rollout"),
				"mean":     message.Known(worst.Mean.Value), "zeroed": message.Nested(countAsGraded.Text()),
			},
		}
		if worst.Zeroed {
			j.Args["zeroed"] = message.Nested(countAtBottom.Text())
		}
		if worst.Marked > 0 && !paidFor(worst, r.Range()) {
			j.Instead = &unpaidWords
		}
		b := analysis.BoundOf(worst.Share)
		if b.Value == nil {
			j.Needs, j.Settles = &analysis.Needs{Items: 1, Samples: 1}, true // one rollout that the detector can judge
			return []analysis.Finding{j.Finding(analysis.Unknown, b)}
		}
		return []analysis.Finding{j.Finding(analysis.Observed(*b.Value).AtMost(want), b)}
	},
}

// paidFor reports whether the marked rollouts earned more than the bottom of the range on average,
// or may have: their reward is unknown.
func paidFor(d *analysis.DetectorResult, rng stat.Range) bool {
	return d.Mean.Value == nil || *d.Mean.Value > rng.Lo+roundingSlack*rng.Width()
}

// worstDetector returns the detector that marks the most rollouts. A detector above the limit whose
// rollouts were paid for comes before others.
func worstDetector(r *analysis.Result, want float64) *analysis.DetectorResult {
	share := func(d *analysis.DetectorResult) float64 { return stat.ValueOr(d.Share.Value, -1) }
	hole := func(d *analysis.DetectorResult) bool { return share(d) > want && paidFor(d, r.Range()) }
	worst := &r.Grader.Detectors[0]
	for i := range r.Grader.Detectors {
		d := &r.Grader.Detectors[i]
		if hole(d) && !hole(worst) || hole(d) == hole(worst) && share(d) > share(worst) {
			worst = d
		}
	}
	return worst
}

var (
	countAsGraded = message.New("grader.detected.as_graded", "They count as they were graded.")
	countAtBottom = message.New("grader.detected.at_bottom", "In the mean reward, best of several, groups and item "+
		"classes they count at the bottom of the range. Findings about the grader itself (resolution, noise, "+
		"length, layers, agreement with people) use the reward that it gave; noise leaves these rollouts out.")
)

var noDetector = message.New("skip.no_detector",
	"no detector was run over the rollouts (gonogo audit, with detectors configured)")

// unpaidWords replaces the words if no marked rollout earned anything.
var unpaidWords = analysis.NewWording("grader.detected.unpaid",
	"“{detector}” marks {marked} of {rollouts} as hacks; the grader paid for none of them",
	"There is no hole to close: they earned the bottom of the range, and training does not move towards what "+
		"earns nothing. Read some to see that the detector is right, and keep it: it shows when the trick begins to "+
		"pay.")
