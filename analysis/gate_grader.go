package analysis

import (
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var samplingIdentical = Gate{
	Name: "sampling.identical",
	Doc:  "Advisory: the outputs of most items are not all the same text, as one seed for all samples or a response cache would make them.",
	Check: func(r *Result, t Thresholds) []Finding {
		want := t.At("sampling.identical")
		var out []Finding
		for _, split := range rollout.Splits() {
			sr := r.Splits[split]
			if sr == nil || !sr.Identical.Known() {
				continue
			}
			j := judgement{gate: "sampling.identical", split: split, severity: Advisory, unit: "share", want: "<= " + message.Plain(want)}
			j.needs, j.settles = settle(sr.Identical, want, unitRange, r.Confidence, sr)
			b := boundOf(sr.Identical)
			out = append(out, j.finding(r.Lang, b.atMost(want), b))
		}
		if out == nil {
			return []Finding{skipped(r.Lang, "sampling.identical", "", Advisory, "the rollouts hold no output text long enough to compare, or one sample an item")}
		}
		return out
	},
}

var graderResolution = Gate{
	Name: "grader.resolution",
	Doc:  "Advisory: the grader gives more than two different rewards. A yes-or-no grader needs larger groups for the same signal.",
	Check: func(r *Result, _ Thresholds) []Finding {
		if r.Grader == nil || r.Grader.Resolution == nil {
			return []Finding{skipped(r.Lang, "grader.resolution", "", Advisory, "there are no rewards")}
		}
		n := r.Grader.Resolution.Distinct
		j := judgement{
			gate: "grader.resolution", severity: Advisory, unit: "values", want: "> 2",
			vars: map[string]string{"rewards": r.Lang.Count(n, "different reward"), "ends": ends(r.Lang, r.Grader)},
		}
		status := Pass
		if n <= 2 {
			status = Fail
		}
		return []Finding{j.finding(r.Lang, status, observed(float64(n)))}
	},
}

// ends tells in words how much of the rewards lies at the ends of the range, and
// how many grades lay outside the judge's own.
func ends(l message.Language, g *Grader) string {
	text := l.Say("%s of the rewards lie at the bottom of the range, %s at the top.", percentOf(l, g.Resolution.ShareLow), percentOf(l, g.Resolution.ShareHigh))
	if g.Clipped > 0 {
		text += l.Say(" %s lay outside the judge's own range and were cut.", l.Count(g.Clipped, "grade"))
	}
	return text
}

var graderTooGood = Gate{
	Name: "grader.too_good",
	Doc: "Advisory: the mean reward is not suspiciously near the top of the range (98 %). What else looks too good is listed beside it for reading and decides nothing: " +
		"items always at the top, the top without a tool call where others made some, one answer that earns the top on several items.",
	Check: func(r *Result, t Thresholds) []Finding {
		var out []Finding
		rng := r.rng()
		limit := rng.Lo + t.At("grader.too_good")*rng.Width()
		for _, split := range rollout.Splits() {
			sr := r.Splits[split]
			if sr == nil || !sr.Reward.Known() {
				continue
			}
			j := judgement{
				gate: "grader.too_good", split: split, severity: Advisory, unit: "reward", want: "< " + message.Plain(limit),
				vars: map[string]string{"mean": valueOf(r.Lang, sr.Reward.Value), "patterns": patterns(r.Lang, r.Grader, split)},
			}
			status := Pass
			if *sr.Reward.Value >= limit {
				status = Fail
				j.items = sr.byClass(Saturated)
			}
			out = append(out, j.finding(r.Lang, status, boundOf(sr.Reward.Estimate)))
		}
		if out == nil {
			return []Finding{skipped(r.Lang, "grader.too_good", "", Advisory, "there are no rewards")}
		}
		return out
	},
}

// patterns tells what looks too good on a split.
func patterns(l message.Language, g *Grader, split rollout.Split) string {
	text := ""
	if g == nil {
		return text
	}
	for _, p := range g.TooGood {
		if p.Split == split && p.Pattern != AtTop {
			text += l.Say("; worth reading: %s", p.Note)
		}
	}
	return text
}
