package gate

import (
	"maps"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// perSplit runs f for every sampled split. It skips each split without tool calls, and skips once
// if there is no split.
func perSplit(f func(*analysis.Result, analysis.Thresholds, rollout.Split,
	*analysis.SplitResult) analysis.Finding,
) check {
	return onSplits(analysis.Advisory, noTools, func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) []analysis.Finding {
		if len(sr.Tools.ByTool) == 0 {
			return analysis.Skip(split, analysis.Advisory, noTools.Text())
		}
		return []analysis.Finding{f(r, t, split, sr)}
	})
}

var toolsFailures = &analysis.Gate{
	Name: "tools.failures",
	Doc: "Advisory: at most 2 % of tool calls fail for good, after their retries; and every output is a string, " +
		"as the wire format asks.",
	Charts: []string{"calls_by_tool"},
	Words: analysis.Words{
		Why: "A tool call that fails for good ends its rollout; under the load of a training step it will " +
			"be worse.",
		Pass:          "{percent} of {calls|tool call} failed for good",
		Caution:       "{percent} of {calls|tool call} failed for good, most of them to {worst}",
		CautionRemedy: "Fix the tool, or give it more capacity, before training.",
	},
	Check: perSplit(func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) analysis.Finding {
		calls, failed, worst := 0, 0, ""
		odd, oddest := 0, ""
		most, mostOdd := 0, 0
		for _, name := range slices.Sorted(maps.Keys(sr.Tools.ByTool)) {
			s := sr.Tools.ByTool[name]
			calls, failed = calls+s.Calls, failed+s.Failed
			if s.Failed > most {
				most, worst = s.Failed, name
			}
			if odd += s.NotText; s.NotText > mostOdd {
				mostOdd, oddest = s.NotText, name
			}
		}
		want := t.At(healthFailures)
		j := analysis.Judgement{
			Split: split, Severity: analysis.Advisory, Unit: "share", Want: analysis.WantAtMost(want),
			Args: message.Args{"calls": message.Int(calls), "worst": message.Name(worst)},
		}
		b := analysis.Observed(stat.Fraction(failed, calls))
		if status := b.AtMost(want); status == analysis.Fail || odd == 0 {
			return j.Finding(status, b)
		}
		j.Want, j.Instead = analysis.WantNone.Text(), &notTextWords
		j.Args["odd"], j.Args["worst"] = message.Int(odd), message.Name(oddest)
		return j.Finding(analysis.Fail, analysis.Observed(stat.Fraction(odd, calls)))
	}),
}

var toolsErrors = &analysis.Gate{
	Name: "tools.errors",
	Doc: "Advisory: at most 5 % of tool calls are answered with an error, by the tool's server or by an output " +
		"that begins like one (tools.error_pattern).",
	Charts: []string{"calls_by_tool"},
	Words: analysis.Words{
		Why: "An answer that is an error is a wasted step, and a broken tool can answer every call " +
			"that way: the model is then graded on what the tool did not do.",
		Pass:    "{percent} of {calls|tool call} answered with an error",
		Caution: "{percent} of {calls|tool call} answered with an error, most of them by {worst}",
		CautionRemedy: "Read some in gonogo view. If the tool is at fault, fix it; if the model is, describe the " +
			"tool and its parameters better. If these outputs are not errors, set tools.error_pattern.",
	},
	Check: perSplit(func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) analysis.Finding {
		calls, errors, most, worst := 0, 0, 0, ""
		for _, name := range slices.Sorted(maps.Keys(sr.Tools.ByTool)) {
			s := sr.Tools.ByTool[name]
			calls, errors = calls+s.Calls, errors+s.Errors
			if s.Errors > most {
				most, worst = s.Errors, name
			}
		}
		j := analysis.Judgement{
			Split: split, Severity: analysis.Advisory, Unit: "share",
			Args: message.Args{"calls": message.Int(calls), "worst": message.Name(worst)},
		}
		return j.AtMost(t.At(healthMalformed), analysis.Observed(stat.Fraction(errors, calls)))
	}),
}

var toolsMalformed = &analysis.Gate{
	Name:   "tools.malformed",
	Doc:    "Advisory: at most 5 % of tool calls name an unknown tool or carry arguments that do not parse.",
	Charts: []string{"calls_by_tool"},
	Words: analysis.Words{
		Why: "Calls that name no tool of the job or carry broken arguments are wasted steps. Training " +
			"can reduce them, but a clearer schema is cheaper.",
		Pass:            "{percent} of tool calls are malformed",
		Caution:         "{percent} of tool calls are malformed",
		CautionRemedy:   "Describe the tools and their parameters better, or make the schemas strict.",
		CautionUnknown:  "{lowpercent} to {highpercent} of tool calls are malformed",
		CautionUnknownR: "{needs}",
	},
	Check: perSplit(func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) analysis.Finding {
		want := t.At(healthMalformed)
		j := analysis.Judgement{
			Split: split, Severity: analysis.Advisory, Unit: "share",
			Want: analysis.WantAtMost(want),
		}
		b := analysis.BoundOf(sr.Tools.Malformed)
		if b.Value != nil { // judged by the observed share, like the other gates about tool calls
			return j.Finding(analysis.Observed(*b.Value).AtMost(want), b)
		}
		j.Needs, j.Settles = &analysis.Needs{Items: 1, Samples: 1}, true // a single call is enough
		return j.Finding(b.AtMost(want), b)
	}),
}

var toolsBudget = &analysis.Gate{
	Name:   "tools.budget",
	Doc:    "Advisory: at most 5 % of rollouts run into the limit of steps or tool calls.",
	Charts: []string{"tool_calls"},
	Words: analysis.Words{
		Why:     "A rollout that runs out of steps is graded on what little it has, however well it was going.",
		Pass:    "{hit} of {rollouts|rollout} ran out of steps",
		Caution: "{percent} of rollouts ran out of steps",
		CautionRemedy: "Raise the limit, or look at what the model spends its steps on: 95 % of rollouts make at " +
			"most {p95|call}.",
	},
	Check: perSplit(func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) analysis.Finding {
		valid := sr.Reward.N
		j := analysis.Judgement{
			Split: split, Severity: analysis.Advisory, Unit: "share",
			Args: message.Args{
				"hit": message.Int(sr.OwnFailures.StepLimit), "rollouts": message.Int(valid),
				"p95": message.Known(sr.Tools.P95.Value),
			},
		}
		return j.AtMost(t.At(healthBudget), analysis.Observed(stat.Fraction(sr.OwnFailures.StepLimit, valid)))
	}),
}

var toolsOutputSize = &analysis.Gate{
	Name: "tools.output_size",
	Doc:  "Advisory: the 95th percentile of every tool's output is at most 4,000 tokens (bytes / 4).",
	Words: analysis.Words{
		Why: "Long tool outputs fill the context, cost money at every later turn, and may pass the " +
			"platform's limit.",
		Pass:          "the longest tool outputs are those of {worst}, 95 % within {value|token}",
		Caution:       "outputs of the tool {worst} are long: the 95th percentile is {value|token}",
		CautionRemedy: "Return less: page the output, or cut it.",
	},
	Check: perSplit(func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) analysis.Finding {
		return worstTool(healthOutputSize, t, split, sr,
			func(s analysis.ToolStat) *float64 { return s.OutputTokensP95 })
	}),
}

// worstTool judges the tool with the largest figure.
func worstTool(
	threshold analysis.Threshold, t analysis.Thresholds, split rollout.Split, sr *analysis.SplitResult,
	figure func(analysis.ToolStat) *float64,
) analysis.Finding {
	worst, most := "", (*float64)(nil)
	for _, name := range slices.Sorted(maps.Keys(sr.Tools.ByTool)) {
		if x := figure(sr.Tools.ByTool[name]); x != nil && (most == nil || *x > *most) {
			worst, most = name, x
		}
	}
	if most == nil {
		return analysis.Skip(split, analysis.Advisory, noTimedCall.Text())[0]
	}
	j := analysis.Judgement{
		Split: split, Severity: analysis.Advisory, Unit: threshold.Unit,
		Args: message.Args{"worst": message.Name(worst)},
	}
	return j.AtMost(t.At(threshold), analysis.Observed(*most))
}

var noTimedCall = message.New("skip.no_call_tells", "no tool call has a recorded time, or all are too fast to judge")

var (
	healthFailures = analysis.Threshold{
		Name: "tools.health.failures", Unit: "share",
		Doc: "share of tool calls that failed for good", Default: 0.02,
	}
	healthMalformed = analysis.Threshold{
		Name: "tools.health.malformed", Unit: "share",
		Doc: "share of tool calls with an unknown name or unparsable arguments; also of those answered with an " +
			"error",
		Default: 0.05,
	}
	healthBudget = analysis.Threshold{
		Name: "tools.health.budget", Unit: "share",
		Doc: "share of rollouts that reached the call limit or the step limit", Default: 0.05,
	}
	healthOutputSize = analysis.Threshold{
		Name: "tools.health.output_size", Unit: "tokens",
		Doc: "95th percentile of a tool output, in tokens (bytes / 4)", Default: 4000,
	}
)

var toolsHealth = &analysis.Gate{
	Name:       "tools.health",
	Label:      "Tool calls",
	Doc:        "Tool calls are made and work.",
	Thresholds: []analysis.Threshold{healthFailures, healthMalformed, healthBudget, healthOutputSize},
	Words:      analysis.Words{Pass: "tool calls work"},
	Parts:      []*analysis.Gate{toolsUnused, toolsFailures, toolsErrors, toolsMalformed, toolsBudget, toolsOutputSize},
}

// notTextWords replaces the words if a tool's outputs are not strings.
var notTextWords = analysis.NewWording("tools.failures.not_text",
	"{odd} of {calls|tool call} returned an output that is not a string, most of them from {worst}",
	"The wire format asks for {\"output\": \"text\"}; the model was shown the JSON instead. Return text: a training "+
		"service may refuse anything else.")
