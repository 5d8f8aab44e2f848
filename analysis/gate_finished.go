package analysis

import (
	"fmt"
	"strings"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var rolloutsFinished = Gate{
	Name: "rollouts.finished",
	Doc: "Blocking, on every sampled split: at most 20 % of rollouts end without a finished answer (cut off by the token limit, refused, filtered, empty), and on train " +
		"`signal.informative` and `exploration.lift` reach their thresholds without those rollouts, too. Advisory: at most 2 %.",
	Check: func(r *Result, t Thresholds) []Finding {
		var out []Finding
		for _, split := range rollout.Splits() {
			if sr := r.Splits[split]; sr != nil && sr.Ends.Unfinished != nil {
				out = append(out, finishedOf(r, t, split)...)
			}
		}
		if out == nil {
			return []Finding{skipped(r.Lang, "rollouts.finished", "", Blocking, "no record says how the model's last reply ended")}
		}
		return out
	},
}

func finishedOf(r *Result, t Thresholds, split rollout.Split) []Finding {
	const gate = "rollouts.finished"
	e := &r.Splits[split].Ends
	seen := observed(*e.Unfinished)
	want, caution := t.At(gate), t.At(gate+".caution")
	j := judgement{
		gate: gate, split: split, severity: Blocking, unit: "share", want: "<= " + message.Plain(want), items: e.Items,
		vars: map[string]string{"kinds": e.kinds(r.Lang), "advice": e.advice(r.Lang), "without": ""},
	}
	status := seen.atMost(want)
	if training, ok := trainingSplit(r); ok && training == split && e.Without != nil {
		j.vars["without"] = e.withoutWords(r, split)
		if hangs := e.hangs(r, t, split); status == Pass && hangs != Pass {
			status = hangs
			if hangs == Fail {
				j.said = &hangsWords
			}
			j.needs, j.settles = &Needs{Items: r.Splits[split].Items.Sampled, Samples: max(r.GroupSize, int(r.Splits[split].Samples.Median))}, true
		}
	}
	if status == Pass {
		j.items = nil
	}
	blocking := j.finding(r.Lang, status, seen)
	j.severity, j.want, j.needs, j.settles, j.said = Advisory, "<= "+message.Plain(caution), nil, false, nil
	advisory := seen.atMost(caution)
	if j.items = nil; advisory != Pass {
		j.items = e.Items
	}
	return []Finding{blocking, j.finding(r.Lang, advisory, seen)}
}

// hangs judges the signal of the finished rollouts alone, where that of all
// rollouts passes: else it is another gate's to judge.
func (e *Ends) hangs(r *Result, t Thresholds, split rollout.Split) Status {
	all, alone := r.Splits[split], e.alone(r.Splits[split])
	out := Pass
	judge := func(want float64, all, alone bound) {
		if all.atLeast(want) != Pass {
			return
		}
		switch alone.atLeast(want) {
		case Fail:
			out = Fail
		case Unknown:
			if out == Pass {
				out = Unknown
			}
		}
	}
	_, signal := signalAt(all, r)
	_, rest := signalAt(alone, r)
	judge(t.At("signal.informative"), signal, rest)
	if r.Normalize == NormalizeStd { // the size of the lift does not matter to such a trainer
		return out
	}
	lift := stat.Range{Lo: 0, Hi: r.rng().Width()}
	judge(t.At("exploration.lift")*r.rng().Width(), boundOf(onFile(all.Lift, all, r, lift)), boundOf(onFile(alone.Lift, alone, r, lift)))
	return out
}

// alone is the split as far as the gates of the signal read it, without
// unfinished rollouts.
func (e *Ends) alone(sr *SplitResult) *SplitResult {
	return &SplitResult{Items: sr.Items, Samples: sr.Samples, Variance: sr.Variance, Signal: e.Without.Signal, Lift: e.Without.Lift}
}

// kinds tells how rollouts ended without a finished answer, most frequent kinds
// in a fixed order.
func (e *Ends) kinds(l message.Language) string {
	var parts []string
	for _, k := range []struct {
		n    int
		said string
	}{{e.Length, "%s cut off by the token limit"}, {e.Refusal, "%s refused"}, {e.Filter, "%s withheld by a content filter"}, {e.Empty, "%s empty"}} {
		if k.n > 0 {
			parts = append(parts, l.Say(k.said, message.Whole(k.n)))
		}
	}
	return strings.Join(parts, l.Text(", "))
}

// advice says what to do about the most frequent kind.
func (e *Ends) advice(l message.Language) string {
	switch most := max(e.Length, e.Refusal, e.Filter, e.Empty); {
	case most == e.Length && e.FinishedTokens != nil:
		return l.Say("Raise max_output_tokens (P99 of finished answers: %s tokens).", message.Whole(int(*e.FinishedTokens)))
	case most == e.Length:
		return l.Text("Raise max_output_tokens; the server does not say how many tokens the finished answers took.")
	case most == e.Refusal:
		return l.Text("Read the refusals, then change the prompt so that the model does not decline, or drop those items.")
	case most == e.Filter:
		return l.Text("Have the content filter relaxed for this data, or drop those items.")
	}
	return l.Text("Read the raw replies: an empty answer mostly comes from a wrong chat template, or from reasoning that took all the tokens.")
}

// withoutWords tells the signal with and without unfinished rollouts.
func (e *Ends) withoutWords(r *Result, split rollout.Split) string {
	sr := r.Splits[split]
	all, _ := signalAt(sr, r)
	rest, _ := signalAt(e.alone(sr), r)
	return r.Lang.Say("Without these rollouts %s of groups of %s teach something (with them %s), and the best of a group earns %s more than the mean (with them %s).",
		percentOf(r.Lang, rest.Value), fmt.Sprint(r.GroupSize), percentOf(r.Lang, all.Value), valueOf(r.Lang, e.Without.Lift.Value), valueOf(r.Lang, sr.Lift.Value))
}
