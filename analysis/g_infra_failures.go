package analysis

import (
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var infraFailures = NewGate(Gate{
	Name: "infra.failures",
	Doc: "Blocking, on every sampled split: the observed share of rollouts that model endpoint, tools or grader failed is at most 5 %; " +
		"above 20 % it fails; between, the run cannot decide. Advisory: at most 1 %, counting failed rollouts that were made again; at most 5 % of rollouts needed a request repeated; " +
		"and which rollouts fail depends neither on the item nor on its reward (permutation tests, p >= 0.01).",
	Thresholds: []Threshold{
		{"infra.failures.pass", "share", "share of rollouts that model, tool or grader failed, up to which the run stands", 0.05},
		{"infra.failures.fail", "share", "share above which the run says nothing", 0.20},
	},
	Charts: []string{"failures"},
	Words: Words{
		Why:            "A rollout that the model's endpoint, a tool or the grader failed says nothing about the model. Scored as zero, as many tools do, it would teach the model the wrong thing; and a trainer would lose the same share of its rollouts.",
		Pass:           "{percent} of rollouts were lost to {lost}{retried}",
		Fail:           "{percent} of rollouts were lost to {lost}",
		FailRemedy:     "{mend} Lost to the model endpoint: {model_api}, to tools: {tool}, to the grader: {grader}. Most frequent cause: {cause}.",
		Unknown:        "{percent} of rollouts were lost to {lost}: too many to trust the numbers, too few to give up",
		UnknownRemedy:  "{mend} Most frequent cause: {cause}.",
		Caution:        "{percent} of rollouts were lost to {lost}{repeated}{retried}",
		CautionRemedy:  "Most frequent cause now: {cause}. Under a training run's load it will be more, and a trainer does not repeat them as patiently.",
		CautionUnknown: "the share of failed rollouts is not known",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		var out []Finding
		for _, split := range rollout.Splits() {
			if sr := r.Splits[split]; sr != nil {
				out = append(out, failuresOf(r, t, split)...)
			}
		}
		if out == nil {
			return []Finding{skip("infra.failures", "", Blocking, noRollouts.Text())}
		}
		return out
	},
})

func failuresOf(r *Result, t Thresholds, split rollout.Split) []Finding {
	sr := r.Splits[split]
	if sr.Missing.Share == nil {
		return nil
	}
	missing := *sr.Missing.Share
	pass, fail := t.At("infra.failures.pass"), t.At("infra.failures.fail")
	j := judgement{
		gate: "infra.failures", split: split, severity: Blocking, unit: "share",
		want: wantAtMostFails.With(message.Args{"limit": message.Number(pass), "fail": message.Number(fail)}),
		vars: message.Args{
			"model_api": message.Int(sr.Missing.ModelAPI),
			"tool":      message.Int(sr.Missing.Tool), "grader": message.Int(sr.Missing.Grader),
			"cause": message.Said(firstCause(sr)), "repeated": message.Said(message.Text{}), "retried": message.Said(retried(sr)), "retries": message.Count(sr.Missing.Retries, "request"),
		},
		// The same again, once the endpoints answer: what they failed is made anew.
		needs: &Needs{Items: sr.Items.Sampled, Samples: (rolloutsOf(sr) + sr.Items.Sampled - 1) / max(1, sr.Items.Sampled)}, settles: true,
	}
	j.vars["lost"], j.vars["mend"] = message.Said(sr.Missing.LostTo()), message.Said(fixEndpoint.Text())
	if 2*sr.Missing.Grader > sr.Missing.Total() {
		j.vars["mend"] = message.Said(fixGrader.Text())
	}
	if n := sr.Missing.Repeated; n > 0 {
		j.vars["repeated"] = message.Said(countingRepeated.With(message.Args{"n": message.Int(n)}))
	}
	status := Unknown
	switch {
	case missing <= pass:
		status = Pass
	case missing > fail:
		status = Fail
	}
	if status != Pass {
		j.items = failedItems(sr)
	}
	blocking := j.finding(status, observed(missing))
	const caution = 0.01 // share of rollouts that failed at least once
	j.severity, j.want = Advisory, atMost(caution)
	ever := observed(everMissing(sr))
	out := []Finding{blocking, j.finding(ever.atMost(caution), ever)}
	if by := sr.MissingBy; by != nil && !missingWords(by).None() && everMissing(sr) >= leastLost {
		j.want, j.items, j.said = wantP.With(limitOf(lossLevel)), by.Items, &notRandomWords
		j.vars["how"], j.vars["bounds"] = message.Said(missingWords(by)), message.Said(message.Text{})
		if b := sr.Reward.Bounds; sr.Missing.Total() > 0 && b.Low != nil && b.High != nil {
			j.vars["bounds"] = message.Said(boundsOfMean.With(message.Args{"low": message.Number(*b.Low), "high": message.Number(*b.High)}))
		}
		j.unit = ""
		out = append(out, j.finding(Fail, observed(min(stat.Or(by.Item.P, 1), stat.Or(by.Reward.P, 1)))))
		j.unit = "share"
	}
	again, most := observed(stat.Fraction(sr.Missing.Retried, rolloutsOf(sr))), retriedMost
	if again.atMost(most) == Fail {
		j.want, j.items, j.said = atMost(most), nil, &retriedWords
		out = append(out, j.finding(Fail, again))
	}
	return out
}

// retriedMost is the share of rollouts with a repeated request, above which it is a
// caution.
const retriedMost = 0.05

// rolloutsOf counts the rollouts recorded.
func rolloutsOf(sr *SplitResult) int { return sr.Missing.Total() + sr.Reward.N }

// retried tells how many rollouts needed a request repeated; "" when none did.
func retried(sr *SplitResult) message.Text {
	m := sr.Missing
	if m.Retried == 0 {
		return message.Text{}
	}
	return neededRepeats.With(message.Args{"rollouts": message.Count(m.Retried, "rollout"), "share": message.Share(stat.Fraction(m.Retried, rolloutsOf(sr))), "retries": message.Int(m.Retries)})
}

// everMissing is the share of rollouts that an endpoint failed, those
// included that were made again since: repeating them until they pass does not
// mend the endpoint.
func everMissing(sr *SplitResult) float64 {
	lost := sr.Missing.Total() + sr.Missing.Repeated
	return stat.Fraction(lost, sr.Missing.Total()+sr.Reward.N+sr.Missing.Repeated)
}

// firstCause is the most frequent cause of missing grades.
func firstCause(sr *SplitResult) message.Text {
	for _, f := range sr.Failures {
		if f.Outcome.Missing() {
			return causeTimes.With(message.Args{"outcome": message.Name(f.Outcome), "error": message.Foreign(f.Error), "n": message.Int(f.Count)})
		}
	}
	return noneOfThem.Text()
}

func failedItems(sr *SplitResult) []string {
	ids := []string{}
	for _, it := range sr.Classes.Items {
		if it.Missing > 0 && len(ids) < itemsListed {
			ids = append(ids, it.Item)
		}
	}
	return ids
}

var (
	wantAtMostFails  = message.New("want.at_most_fails", "≤ {limit} (fails above {fail})")
	countingRepeated = message.New("infra.failures.repeated", ", counting {n} that were made again since")
	boundsOfMean     = message.New("infra.failures.bounds", " Whatever the missing rollouts would have earned, the mean of all is between {low} and {high}.")
	fixEndpoint      = message.New("infra.failures.fix_endpoint", "Fix the endpoint where it is, then run the same command again: only what failed is made again. An endpoint at another address is another run, and needs a directory of its own.")
	fixGrader        = message.New("infra.failures.fix_grader", "Fix the grader, then run gonogo grade RUN -o RUN-2: it grades the recorded answers again, without a new rollout.")
	neededRepeats    = message.New("infra.failures.repeats", "; {rollouts} ({share}) needed requests repeated, {retries} in all")
	causeTimes       = message.New("infra.failures.cause", "{outcome}: {error} ({n} times)")
)

var noRollouts = message.New("skip.no_rollouts", "there are no rollouts")

// retriedWords are the words where endpoints failed at first and then answered.
var retriedWords = newWording("infra.failures.retried", "{percent} of rollouts succeeded only because a request was repeated: {retries} in all",
	"The endpoint drops requests. See which one in the calls of rollouts.jsonl (retries), and mend it or give it more capacity: under a training run's load it will be more, and a trainer does not repeat them as patiently.")

// notRandomWords are the words where failures depend on the item or go with the reward.
var notRandomWords = newWording("infra.failures.not_random", "failures on {split} are not random: {how}",
	"What is left is not a fair sample of the file. Look for what these items have in common: long answers, one tool, or an outage while they were sampled.{bounds}")

// missingWords says what the tests find; "" where they find nothing.
func missingWords(b *MissingBy) message.Text {
	var found []message.Text
	if showsDependence(b.Item) {
		found = append(found, dependOnItem.With(message.Args{"p": pText(b.Item.P), "n": message.Int(b.Most), "items": message.Count(b.Item.N, "item"), "share": message.Share(stat.Or(b.Share, 1))}))
	}
	if showsDependence(b.Reward) {
		rho, p := message.Number(*b.Reward.Statistic), pText(b.Reward.P)
		if *b.Reward.Statistic < 0 {
			found = append(found, failEarnLess.With(message.Args{"rho": rho, "p": p}))
		} else {
			found = append(found, failEarnMore.With(message.Args{"rho": rho, "p": p}))
		}
	}
	return message.Clauses(found...)
}

var (
	dependOnItem = message.New("infra.failures.item", "they depend on the item ({p}): {n} of {items} had {share} of them")
	failEarnLess = message.New("infra.failures.less", "items that fail more earn less (rank correlation {rho}, {p}), so the mean is likely too high")
	failEarnMore = message.New("infra.failures.more", "items that fail more earn more (rank correlation {rho}, {p}), so the mean is likely too low")
)

const (
	leastLost = 0.01 // share of rollouts that failed at least once, below which that is no caution
	lossLevel = 0.01 // of each of the two tests: 2 % together (Bonferroni)
)

// showsDependence reports whether the test finds something, at the level of each of the two.
func showsDependence(t PermutationTest) bool {
	return t.P != nil && t.Statistic != nil && *t.P < lossLevel
}
