package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var toolsLatency = &analysis.Gate{
	Name:       "tools.tail",
	Label:      "Long rollouts",
	Doc:        "Few rollouts are far longer than the others, and tools and rollouts are fast enough.",
	Thresholds: []analysis.Threshold{analysis.TailTimes, analysis.TimeLimit},
	Words: analysis.Words{Pass: "few rollouts are far longer than the others, and tools and rollouts are fast " +
		"enough"},
	Parts: []*analysis.Gate{toolsLong, toolsTail, latencyLimit},
}

var toolsLong = &analysis.Gate{
	Name: "tools.long",
	Doc: "Advisory: at most 5 % of rollouts make more than 3 times the median of tool calls, or take more than 3 " +
		"times the median of turns, " +
		"unless these earn more than the others, compared within items that have both. A rollout of up to 8 calls " +
		"and turns is never long.",
	Charts: []string{"tool_calls"},
	Words: analysis.Words{
		Why: "A training step waits for its longest rollouts and pays for their tokens. If these earn " +
			"no more than the others, that buys nothing.",
		Pass: "{percent} of rollouts are far longer than the others, with more than {calls|call} or " +
			"{turns|turn}",
		Caution: "{percent} of rollouts are far longer than the others, with more than {calls|call} or " +
			"{turns|turn}, and {earn}",
		CautionRemedy: "Read some of them: the items with most are listed. The section “What if” of the report " +
			"shows what a lower call limit would cost.",
		CautionUnknown: "{lowpercent} to {highpercent} of rollouts are far longer than the others, with more than " +
			"{calls|call} or {turns|turn}, and {earn}",
		CautionUnknownR: "{needs}",
	},
	Check: perSplit(func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) analysis.Finding {
		l := sr.Tools.Long
		if l == nil {
			return analysis.Skip(split, analysis.Advisory, noTools.Text())[0]
		}
		j := analysis.Judgement{
			Split: split, Severity: analysis.Advisory, Unit: "share", Want: analysis.WantAtMost(longRollouts),
			Items: l.Items,
			Args: message.Args{
				"calls": message.Number(l.Calls), "turns": message.Number(l.Turns),
				"earn": message.Nested(earn(l.Earn)),
			},
		}
		b := analysis.BoundOf(l.Share)
		status := atMostObserved(b, longRollouts)
		if d := l.Earn; status != analysis.Pass && d != nil && d.Difference.Low != nil && *d.Difference.Low > 0 {
			status, j.Instead = analysis.Pass, &longEarnMore
		}
		if status == analysis.Pass {
			j.Items = nil
		}
		j.Needs, j.Settles = settle(l.Share, longRollouts, unitRange, r.Confidence, sr)
		return j.Finding(status, b)
	}),
}

// longEarnMore replaces the words if long rollouts are worth their time.
var longEarnMore = analysis.NewWording("tools.long.worth",
	"{percent} of rollouts are far longer than the others, with more than {calls|call} or {turns|turn}, but {earn}", "")

// earn compares the rewards of long rollouts with those of the others.
func earn(c *analysis.Contrast) message.Text {
	if c == nil || c.These.Value == nil || c.Others.Value == nil {
		return earnUnknown.Text()
	}
	d, args := c.Difference, message.Args{
		"these":  message.Known(c.These.Value),
		"others": message.Known(c.Others.Value),
	}
	switch {
	case d.High != nil && *d.High < 0:
		return earnLess.With(args)
	case d.Low != nil && *d.Low > 0:
		return earnMore.With(args)
	}
	return earnAlike.With(args)
}

var (
	earnLess    = message.New("tools.long.less", "they earn less: {these} against {others}")
	earnMore    = message.New("tools.long.more", "they earn more: {these} against {others}")
	earnAlike   = message.New("tools.long.alike", "it is not clear that they earn more: {these} against {others}")
	earnUnknown = message.New("tools.long.unknown", "there is nothing to compare their rewards with")
)

// longRollouts is the share of rollouts that may be far longer than the others.
const longRollouts = 0.05

var toolsTail = &analysis.Gate{
	Name: "tools.slow",
	Doc: "Advisory: the 95th percentile of every tool's latency is at most 3 times its median; tools below 100 " +
		"ms are not judged.",
	Charts: []string{"calls_by_tool"},
	Words: analysis.Words{
		Why:           "A training step waits for its slowest rollout, so a tool's slow calls set the pace.",
		Pass:          "no tool has a long tail: at most {value|time} the median at the 95th percentile ({worst})",
		Caution:       "the tool {worst} has a long tail: its 95th percentile is {value|time} its median",
		CautionRemedy: "Find out what makes some calls slow; waits before retries are included.",
	},
	Check: perSplit(func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) analysis.Finding {
		return worstTool(analysis.TailTimes, t, split, sr, func(s analysis.ToolStat) *float64 {
			// Such a quick call does not set the pace; its tail comes from the scheduler.
			if s.P50 == nil || s.P95 == nil || *s.P95 < quickCall || *s.P50 <= 0 {
				return nil
			}
			ratio := *s.P95 / *s.P50
			return &ratio
		})
	}),
}

var latencyLimit = &analysis.Gate{
	Name: "latency.limit",
	Doc:  "Advisory: rollouts stay within the time limit, if one is configured.",
	Words: analysis.Words{
		Why:             "Rollouts past the limit are cut off or discarded by the trainer.",
		Pass:            "rollouts stay within {limit} s",
		Caution:         "{percent} of rollouts take longer than {limit} s",
		CautionRemedy:   "The 95th percentile is {p95} s: use fewer steps or faster tools.",
		CautionUnknown:  "{lowpercent} to {highpercent} of rollouts take longer than {limit} s",
		CautionUnknownR: "{needs}",
	},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		limit := t.At(analysis.TimeLimit)
		if limit <= 0 {
			return analysis.Skip("", analysis.Advisory, noLimit.Text())
		}
		return onSplits(analysis.Advisory, noTimes,
			func(r *analysis.Result, _ analysis.Thresholds, split rollout.Split,
				sr *analysis.SplitResult,
			) []analysis.Finding {
				if sr.Latency.OverLimit == nil {
					return nil
				}
				j := analysis.Judgement{
					Split: split, Severity: analysis.Advisory, Unit: "share",
					Want: wantSeconds.With(message.Args{
						"limit":   message.Share(slowest),
						"seconds": message.Number(limit),
					}),
					Args: message.Args{"limit": message.Number(limit), "p95": message.Known(sr.Latency.P95)},
				}
				j.Needs, j.Settles = settle(*sr.Latency.OverLimit, slowest, unitRange, r.Confidence, sr)
				return []analysis.Finding{j.Finding(analysis.BoundOf(*sr.Latency.OverLimit).AtMost(slowest),
					analysis.BoundOf(*sr.Latency.OverLimit))}
			})(r, t)
	},
}

var (
	noLimit = message.New("skip.no_limit", "no limit is configured (threshold tools.tail.limit)")
	noTimes = message.New("skip.no_times", "the rollouts have no times")
)

var wantSeconds = message.New("want.seconds", "≤ {limit} longer than {seconds} s")

// slowest is the share of rollouts that may take longer than the limit.
const slowest = 0.05

// quickCall is the 95th percentile, in seconds, below which a tool's tail is not judged.
const quickCall = 0.100
