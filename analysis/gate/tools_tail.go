package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var toolsLatency = analysis.NewGate(analysis.Gate{
	Name:  "tools.tail",
	Label: "Long rollouts",
	Doc:   "Tools and rollouts keep to their time.",
	Thresholds: []analysis.Threshold{
		{Name: "tools.tail", Unit: "times", Doc: "95th percentile over median of a tool's latency", Default: 3},
		analysis.TimeLimit,
	},
	Words: analysis.Words{Pass: "tools and rollouts keep to their time"},
	Parts: []analysis.Gate{toolsTail, latencyLimit},
})

var toolsTail = analysis.NewPart(analysis.Gate{
	Name:   "tools.slow",
	Doc:    "Advisory: the 95th percentile of every tool's latency is at most 3 times its median; tools below 100 ms are not judged.",
	Charts: []string{"calls_by_tool"},
	Words: analysis.Words{
		Why:           "A training step waits for its slowest rollout, so that a tool's slow calls set the pace.",
		Pass:          "no tool has a long tail: at most {value|time} the median at the 95th percentile ({worst})",
		Caution:       "the tool {worst} has a long tail: its 95th percentile is {value|time} its median",
		CautionRemedy: "Find out what makes some calls slow; waits for repeated requests count.",
	},
	Check: perSplit("tools.slow", func(r *analysis.Result, t analysis.Thresholds, split rollout.Split, sr *analysis.SplitResult) analysis.Finding {
		return worstTool("tools.slow", "tools.tail", "times", r, t, split, sr, func(s analysis.ToolStat) *float64 {
			// A call this quick sets no pace, and its tail is the scheduler's.
			if s.P50 == nil || s.P95 == nil || *s.P95 < quickCall || *s.P50 <= 0 {
				return nil
			}
			ratio := *s.P95 / *s.P50
			return &ratio
		})
	}),
})

var latencyLimit = analysis.NewPart(analysis.Gate{
	Name: "latency.limit",
	Doc:  "Advisory: rollouts keep to a time limit, where one is configured.",
	Words: analysis.Words{
		Why:             "Rollouts past the limit are cut off or discarded by the trainer.",
		Pass:            "rollouts keep to {limit} s",
		Caution:         "{percent} of rollouts take longer than {limit} s",
		CautionRemedy:   "The 95th percentile is {p95} s: fewer steps or faster tools.",
		CautionUnknown:  "{lowpercent} to {highpercent} of rollouts take longer than {limit} s",
		CautionUnknownR: "{needs}",
	},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		limit := t.At("tools.tail.limit")
		if limit <= 0 {
			return []analysis.Finding{analysis.Skip("latency.limit", "", analysis.Advisory, noLimit.Text())}
		}
		var out []analysis.Finding
		for _, split := range rollout.Splits() {
			sr := r.Splits[split]
			if sr == nil || sr.Latency.OverLimit == nil {
				continue
			}
			j := analysis.Judgement{
				Gate: "latency.limit", Split: split, Severity: analysis.Advisory, Unit: "share", Want: wantSeconds.With(message.Args{"limit": message.Share(slowest), "seconds": message.Number(limit)}),
				Args: message.Args{"limit": message.Number(limit), "p95": message.Known(sr.Latency.P95)},
			}
			j.Needs, j.Settles = settle(*sr.Latency.OverLimit, slowest, unitRange, r.Confidence, sr)
			out = append(out, j.Finding(analysis.BoundOf(*sr.Latency.OverLimit).AtMost(slowest), analysis.BoundOf(*sr.Latency.OverLimit)))
		}
		if out == nil {
			return []analysis.Finding{analysis.Skip("latency.limit", "", analysis.Advisory, noTimes.Text())}
		}
		return out
	},
})

var (
	noLimit = message.New("skip.no_limit", "no limit is configured (threshold tools.tail.limit)")
	noTimes = message.New("skip.no_times", "the rollouts hold no times")
)

var wantSeconds = message.New("want.seconds", "≤ {limit} longer than {seconds} s")

// slowest is the share of rollouts that may take longer than the limit.
const slowest = 0.05

// quickCall is the 95th percentile, in seconds, below which a tool's tail is
// not judged.
const quickCall = 0.100
