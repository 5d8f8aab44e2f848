package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/markup"
)

var rolloutsFinished = &analysis.Gate{
	Name: "rollouts.unfinished",
	Doc: "Blocking, on every sampled split: at most 20 % of rollouts end without a finished answer (cut off by the " +
		"token limit, refused, filtered, empty), and on train " +
		"`signal.informative` passes without those rollouts, too. Advisory: at most 2 %.",
	Words: analysis.Words{
		Why: "An answer that was cut off, refused, withheld or left empty earns the bottom of the range, " +
			"whatever the model knows. Groups then differ by which rollouts were cut off, not by which were right, " +
			"and training learns to write less.",
		Pass:       "{percent} of rollouts end without a finished answer",
		Fail:       "{percent} of rollouts end without a finished answer ({kinds})",
		FailRemedy: "{advice} {without}",
		Unknown: "it is not clear that enough groups teach something without the {percent} of rollouts that " +
			"end without a finished answer ({kinds})",
		UnknownRemedy:  "{advice} {without} {needs}",
		Caution:        "{percent} of rollouts end without a finished answer ({kinds})",
		CautionRemedy:  "{advice} {without}",
		CautionUnknown: "it is not known how many rollouts end without a finished answer",
	},
	Check: onSplits(analysis.Blocking, noEnds, finishedOf),
}

func finishedOf(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
	sr *analysis.SplitResult,
) []analysis.Finding {
	e := &sr.Ends
	if e.Unfinished == nil {
		return nil
	}
	seen := analysis.Observed(*e.Unfinished)
	want, caution := t.At(finishedLimit), t.At(finishedCaution)
	j := analysis.Judgement{
		Split: split, Severity: analysis.Blocking, Unit: "share", Want: analysis.WantAtMost(want), Items: e.Items,
		Args: message.Args{
			"kinds": message.Nested(endKinds(e)), "advice": message.Nested(endAdvice(e)),
			"without": message.Nested(message.Text{}),
		},
	}
	status := seen.AtMost(want)
	if training, ok := analysis.TrainingSplit(r); ok && training == split && e.Without != nil {
		j.Args["without"] = message.Nested(withoutWords(e, r, split))
		if finished := signalWithoutUnfinished(e, r, t, split); status == analysis.Pass && finished != analysis.Pass {
			status = finished
			if finished == analysis.Fail {
				j.Instead = &signalFromUnfinished
			}
			j.Needs, j.Settles = &analysis.Needs{
				Items:   r.Splits[split].Items.Sampled,
				Samples: max(r.GroupSize, int(r.Splits[split].Samples.Median)),
			}, true
		}
	}
	if status == analysis.Pass {
		j.Items = nil
	}
	blocking := j.Finding(status, seen)
	j.Severity, j.Want, j.Needs, j.Settles, j.Instead = analysis.Advisory, analysis.WantAtMost(caution), nil, false, nil
	advisory := seen.AtMost(caution)
	if j.Items = nil; advisory != analysis.Pass {
		j.Items = e.Items
	}
	return []analysis.Finding{blocking, j.Finding(advisory, seen)}
}

// signalWithoutUnfinished judges the signal of the finished rollouts alone if that of all rollouts
// passes; otherwise another gate judges it.
func signalWithoutUnfinished(e *analysis.FinishStats, r *analysis.Result, t analysis.Thresholds,
	split rollout.Split,
) analysis.Status {
	_, signal := signalAt(r.Splits[split], r)
	if enoughTeach(signal, r, t) != analysis.Pass {
		return analysis.Pass
	}
	_, rest := signalAt(aloneOf(e, r.Splits[split]), r)
	return enoughTeach(rest, r, t)
}

// aloneOf returns the split without unfinished rollouts, with the fields that the gates of the
// signal read.
func aloneOf(e *analysis.FinishStats, sr *analysis.SplitResult) *analysis.SplitResult {
	return &analysis.SplitResult{
		Items: sr.Items, Samples: sr.Samples, Variance: sr.Variance,
		Signal: e.Without.Signal, Lift: e.Without.Lift,
	}
}

// endKinds says how rollouts ended without a finished answer, with the kinds in a fixed order.
func endKinds(e *analysis.FinishStats) message.Text {
	var parts []message.Text
	for _, k := range []struct {
		n    int
		text message.Def
	}{{e.Length, cutOff}, {e.Refusal, refused}, {e.Filter, withheld}, {e.Empty, leftEmpty}} {
		if k.n > 0 {
			parts = append(parts, k.text.With(message.Args{"n": message.Int(k.n)}))
		}
	}
	return message.Commas(parts...)
}

// endAdvice says what to do about the most frequent kind.
func endAdvice(e *analysis.FinishStats) message.Text {
	switch most := max(e.Length, e.Refusal, e.Filter, e.Empty); {
	case most == e.Length && 2*e.Outgrown > e.Length:
		return raiseContext.Text()
	case most == e.Length && 2*e.NoLimit > e.Length:
		return raiseServer.Text()
	case most == e.Length && e.FinishedTokens != nil:
		return raiseTokens.With(message.Args{"tokens": message.Int(int(*e.FinishedTokens))})
	case most == e.Length:
		return raiseTokensUnknown.Text()
	case most == e.Refusal:
		return readRefusals.Text()
	case most == e.Filter:
		return relaxFilter.Text()
	}
	return readEmpty.Text()
}

// withoutWords describes the signal with and without unfinished rollouts.
func withoutWords(e *analysis.FinishStats, r *analysis.Result, split rollout.Split) message.Text {
	sr := r.Splits[split]
	all, _ := signalAt(sr, r)
	rest, _ := signalAt(aloneOf(e, sr), r)
	return withoutThem.With(message.Args{
		"share": message.KnownShare(rest.Value), "group": message.Int(r.GroupSize),
		"all": message.KnownShare(all.Value), "lift": message.Known(e.Without.Lift.Value),
		"lift_all": message.Known(sr.Lift.Value),
	})
}

var (
	cutOff      = message.New("rollouts.finished.cut_off", "{n} cut off by the token limit")
	refused     = message.New("rollouts.finished.refused", "{n} refused")
	withheld    = message.New("rollouts.finished.withheld", "{n} withheld by a content filter")
	leftEmpty   = message.New("rollouts.finished.left_empty", "{n} empty")
	raiseTokens = message.New("rollouts.finished.raise",
		"Raise max_output_tokens (P99 of finished answers: {tokens|token}).")
	raiseTokensUnknown = message.New("rollouts.finished.raise_unknown",
		"Raise max_output_tokens; how many tokens the finished answers took is not known.")
	raiseServer = message.New("rollouts.finished.server", "Raise the server's context (llama.cpp: "+
		"--ctx-size; vLLM: --max-model-len; SGLang: --context-length), or set model.max_output_tokens if the "+
		"server's default is smaller: it is not set, so the server itself cut these replies off.")
	raiseContext = message.New("rollouts.finished.context", "Raise the context of the model's server "+
		"(llama.cpp: --ctx-size; vLLM: --max-model-len; SGLang: --context-length), or have the tools return less: "+
		"the conversations, replies included, outgrow it.")
	readRefusals = message.New("rollouts.finished.refusals",
		"Read the refusals, then change the prompt so that the model does not decline, or drop those items.")
	relaxFilter = message.New("rollouts.finished.filter",
		"Have the content filter relaxed for this data, or drop those items.")
	readEmpty = message.New("rollouts.finished.empty", "Read the raw replies: an empty answer usually "+
		"comes from a wrong chat template, or from reasoning that took all the tokens.")
	withoutThem = message.New("rollouts.finished.without", "Without these rollouts {share} of groups of "+
		"{group} teach something (with them {all}), and the best of a group earns {lift} more than the mean (with "+
		"them {lift_all}).")
)

var noEnds = message.New("skip.no_ends", "no record says how the model's last reply ended")

var (
	finishedLimit = analysis.Threshold{
		Name: "rollouts.finished", Unit: "share",
		Doc: "share of rollouts without a finished answer, above which it fails", Default: 0.20,
	}
	finishedCaution = analysis.Threshold{
		Name: "rollouts.finished.caution", Unit: "share",
		Doc: "the same, above which it is a caution", Default: 0.02,
	}
	finishedMarkup = analysis.Threshold{
		Name: "rollouts.finished.markup", Unit: "share",
		Doc: "share of answers with text that the server should have parsed, above which it fails", Default: 0.02,
	}
)

var rolloutsSound = &analysis.Gate{
	Name:       "rollouts.finished",
	Label:      "Unfinished or unparsed answers",
	Doc:        "Replies finish, and the server has parsed them.",
	Thresholds: []analysis.Threshold{finishedLimit, finishedCaution, finishedMarkup},
	Words:      analysis.Words{Pass: "replies finish and are parsed"},
	Parts:      []*analysis.Gate{rolloutsMarkup, rolloutsFinished},
}

// signalFromUnfinished replaces the words if the signal comes from rollouts without a finished
// answer.
var signalFromUnfinished = analysis.NewWording("rollouts.finished.signal",
	"the signal comes from the {percent} of rollouts that end without a finished answer ({kinds})",
	"{advice} {without}")

// markedAnswers counts the answers with unparsed text.
func markedAnswers(e *analysis.FinishStats) (n int) {
	for _, kind := range markup.Kinds() {
		n += e.Markup[kind]
	}
	return n
}
