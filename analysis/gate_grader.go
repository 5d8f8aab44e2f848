package analysis

import (
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var samplingIdentical = newPart(Gate{
	Name: "sampling.identical",
	Doc:  "Advisory: the outputs of most items are not all the same text, as one seed for all samples or a response cache would make them.",
	Words: Words{
		Why:             "One seed for all samples, temperature 0 or a cache of responses makes all rollouts of an item the same. Then every number about variety is wrong.",
		Pass:            "rollouts of the same item differ in their text",
		Caution:         "on {percent} of items all rollouts are the same text",
		CautionRemedy:   "Look for a fixed seed, temperature 0 or a response cache between here and the model.",
		CautionUnknown:  "on {lowpercent} to {highpercent} of items all rollouts are the same text",
		CautionUnknownR: "{needs}",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		want := t.At("rollouts.independent.identical")
		var out []Finding
		for _, split := range rollout.Splits() {
			sr := r.Splits[split]
			if sr == nil || !sr.Identical.Known() {
				continue
			}
			j := judgement{gate: "sampling.identical", split: split, severity: Advisory, unit: "share", want: atMost(want)}
			j.needs, j.settles = settle(sr.Identical, want, unitRange, r.Confidence, sr)
			b := boundOf(sr.Identical)
			out = append(out, j.finding(b.atMost(want), b))
		}
		if out == nil {
			return []Finding{skipped("sampling.identical", "", Advisory, noOutputs.Text())}
		}
		return out
	},
})

var graderResolution = newPart(Gate{
	Name:   "grader.resolution",
	Doc:    "Advisory: the grader gives more than two different rewards. A yes-or-no grader needs larger groups for the same signal.",
	Charts: []string{"rewards"},
	Words: Words{
		Why:           "With only two grades, rollouts that are nearly right and plainly wrong look alike, and groups are more often all equal.",
		Pass:          "the grader gives {rewards}",
		Caution:       "the grader gives only {rewards}",
		CautionRemedy: "Partial credit would make more groups teach something. {ends}",
	},
	Check: func(r *Result, _ Thresholds) []Finding {
		if r.Grader == nil || r.Grader.Resolution == nil {
			return []Finding{skipped("grader.resolution", "", Advisory, noRewards.Text())}
		}
		n := r.Grader.Resolution.Distinct
		j := judgement{
			gate: "grader.resolution", severity: Advisory, unit: "values", want: wantAbove.With(limitOf(2)),
			vars: message.Args{"rewards": message.Count(n, "different reward"), "ends": message.Said(ends(r.Grader))},
		}
		status := Pass
		if n <= 2 {
			status = Fail
		}
		return []Finding{j.finding(status, observed(float64(n)))}
	},
})

// ends tells in words how much of the rewards lies at the ends of the range, and
// how many grades lay outside the judge's own.
func ends(g *Grader) message.Text {
	text := endsOfRange.With(message.Args{"low": message.KnownShare(g.Resolution.ShareLow), "high": message.KnownShare(g.Resolution.ShareHigh)})
	if g.Clipped > 0 {
		text = message.Glued(text, clippedGrades.With(message.Args{"grades": message.Count(g.Clipped, "grade")}))
	}
	return text
}

var graderTooGood = newPart(Gate{
	Name: "grader.too_good",
	Doc: "Advisory: the mean reward is not suspiciously near the top of the range (98 %). What else looks too good is listed beside it for reading and decides nothing: " +
		"items always at the top, the top without a tool call where others made some, one answer that earns the top on several items.",
	Charts: []string{"rewards"},
	Words: Words{
		Why:           "A mean reward near the top can mean an easy task, or a grader that accepts anything.",
		Pass:          "the mean reward on {split} is not suspiciously high{patterns}",
		Caution:       "the mean reward on {split} is {mean}: suspiciously near the top",
		CautionRemedy: "Read some rollouts before believing it{patterns}.",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		var out []Finding
		rng := r.rng()
		limit := rng.Lo + t.At("grader.shortcuts.too_good")*rng.Width()
		for _, split := range rollout.Splits() {
			sr := r.Splits[split]
			if sr == nil || !sr.Reward.Known() {
				continue
			}
			j := judgement{
				gate: "grader.too_good", split: split, severity: Advisory, unit: "reward", want: wantBelow.With(limitOf(limit)),
				vars: message.Args{"mean": message.Known(sr.Reward.Value), "patterns": message.Said(patterns(r.Grader, split))},
			}
			status := Pass
			if *sr.Reward.Value >= limit {
				status = Fail
				j.items = itemsOfClass(sr, Saturated)
			}
			out = append(out, j.finding(status, boundOf(sr.Reward.Estimate)))
		}
		if out == nil {
			return []Finding{skipped("grader.too_good", "", Advisory, noRewards.Text())}
		}
		return out
	},
})

// patterns tells what looks too good on a split.
func patterns(g *Grader, split rollout.Split) message.Text {
	var text message.Text
	if g == nil {
		return text
	}
	for _, p := range g.TooGood {
		if p.Split == split && p.Pattern != AtTop {
			text = message.Glued(text, worthReading.With(message.Args{"what": message.Said(p.Note)}))
		}
	}
	return text
}

var (
	endsOfRange   = message.New("grader.resolution.ends", "Over all splits {low} of the rewards lie at the bottom of the range, {high} at the top.")
	clippedGrades = message.New("grader.resolution.clipped", " {grades} lay outside the judge's own range and were cut.")
	worthReading  = message.New("grader.too_good.read", "; worth reading: {what}")
)

var (
	noOutputs = message.New("skip.no_outputs", "the rollouts hold no output text long enough to compare, or one sample an item")
	noRewards = message.New("skip.no_rewards", "there are no rewards")
)
