package judge

import (
	"math"
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// looksNote describes the state of sampling.
func looksNote(x *analysis.Looks, confidence float64) message.Text {
	if x == nil {
		return message.Text{}
	}
	text := looksUnderWay.With(message.Args{"looks": message.Count(x.Made, "look"), "all": message.Int(len(x.At))})
	last := x.At[len(x.At)-1]
	switch x.Ended {
	case rollout.EndedDecided:
		text = looksDecided.With(message.Args{
			"look": message.Int(x.Made), "all": message.Int(len(x.At)),
			"samples": message.Count(x.At[x.Made-1], "sample"), "most": message.Int(last),
		})
	case rollout.EndedAtMax:
		text = looksEnded.With(message.Args{
			"looks":   message.Count(len(x.At), "look"),
			"samples": message.Count(last, "sample"),
		})
	}
	return looksConfidence.With(message.Args{
		"where": message.Nested(text),
		"each":  message.Name(confidently(confidence)), "all": message.Name(confidently(x.Confidence)),
	})
}

var (
	looksUnderWay = message.New("note.looks.under_way",
		"sampling continues until the verdict is decided: {looks} of {all} made")
	looksDecided = message.New("note.looks.decided",
		"sampling was stopped by the rule at look {look} of {all}, with {samples} of at most {most} per item")
	looksEnded      = message.New("note.looks.ended", "sampling ended with the last of {looks}, at {samples} per item")
	looksConfidence = message.New("note.looks",
		"{where}; the intervals of rollouts are at {each}, so that all looks together keep {all}")
)

// confidently writes a confidence with enough digits to distinguish it from 1.
func confidently(x float64) string {
	places := max(0, int(math.Ceil(-math.Log10(1-x)))-1)
	return strings.TrimSuffix(strconv.FormatFloat(100*x, 'f', places, 64), ".0") + " %"
}

// Look returns the plan after a look at that many samples with this result. Sampling ends when the
// verdict is decided, or when nothing more is planned.
func Look(plan *rollout.Looks, samples int, r *analysis.Result) *rollout.Looks {
	next := plan.With(rollout.Look{Samples: samples, Confidence: r.Confidence, Verdict: string(r.Verdict)})
	switch {
	case r.Verdict != analysis.Undecided:
		next.Ended = rollout.EndedDecided
	case samples >= plan.At[len(plan.At)-1]:
		next.Ended = rollout.EndedAtMax
	}
	return next
}
