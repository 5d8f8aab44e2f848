package chart

import (
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// ShownSplit returns the split that a chart of one split shows: train, else the
// first. ok is false when the Result has no split.
func ShownSplit(r *analysis.Result) (split rollout.Split, s *analysis.SplitResult, ok bool) {
	for _, split := range rollout.Splits() {
		if s := r.Splits[split]; s != nil {
			return split, s, true
		}
	}
	return "", nil, false
}

// counted words how much was measured: "train: 120 items × 8 samples, n = 960
// rollouts".
func counted(l message.Language, split rollout.Split, s *analysis.SplitResult) string {
	return l.Say("chart.counted", "%s: %s × %s, n = %s", split, l.Count(s.Items.Measured, "item"), samples(l, s.Samples), l.Count(s.Reward.N, "rollout"))
}

// samples words the samples per item: "8 samples", "3 to 8 samples".
func samples(l message.Language, n analysis.Spread) string {
	if n.Min == n.Max {
		return l.Count(n.Max, "sample")
	}
	return message.Whole(n.Min) + l.Text("chart.range", " to ") + l.Count(n.Max, "sample")
}

// intervals words what a band is: "95 % Korn–Graubard intervals". Of a method
// that names an estimator and an interval, the interval comes last.
func intervals(r *analysis.Result, e stat.Estimate) string {
	return intervalsAt(r.Lang, r.Confidence, e)
}

func intervalsAt(l message.Language, confidence float64, e stat.Estimate) string {
	share := message.Percent(confidence)
	method, _, _ := strings.Cut(e.Method[strings.LastIndex(e.Method, "; ")+1:], ", widened")
	if kind, ok := strings.CutSuffix(strings.TrimSpace(method), " interval"); ok {
		return l.Say("chart.intervals_of_kind", "%s %s intervals", share, kind)
	}
	return l.Say("chart.intervals", "%s intervals", share)
}
