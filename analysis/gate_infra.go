package analysis

import (
	"fmt"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

var infraFailures = Gate{
	Name: "infra.failures",
	Doc: "Blocking, on every sampled split: the observed share of rollouts that model endpoint, tools or grader failed is at most 5 %; " +
		"above 20 % it fails; between, the run cannot decide. Advisory: at most 1 %, counting failed rollouts that were made again; at most 5 % of rollouts needed a request repeated; " +
		"and which rollouts fail depends neither on the item nor on its reward (permutation tests, p >= 0.01).",
	Check: func(r *Result, t Thresholds) []Finding {
		var out []Finding
		for _, split := range rollout.Splits() {
			if sr := r.Splits[split]; sr != nil {
				out = append(out, failuresOf(r, t, split)...)
			}
		}
		if out == nil {
			return []Finding{skipped(r.Lang, "infra.failures", "", Blocking, "there are no rollouts")}
		}
		return out
	},
}

func failuresOf(r *Result, t Thresholds, split rollout.Split) []Finding {
	sr := r.Splits[split]
	if sr.Missing.Share == nil {
		return nil
	}
	missing := *sr.Missing.Share
	pass, fail := t.At("infra.failures.pass"), t.At("infra.failures.fail")
	j := judgement{
		gate: "infra.failures", split: split, severity: Blocking, unit: "share",
		want: r.Lang.Say("<= %s (fails above %s)", message.Plain(pass), message.Plain(fail)),
		vars: map[string]string{
			"model_api": fmt.Sprint(sr.Missing.ModelAPI),
			"tool":      fmt.Sprint(sr.Missing.Tool), "grader": fmt.Sprint(sr.Missing.Grader),
			"cause": firstCause(r.Lang, sr), "repeated": "", "retried": retried(r.Lang, sr), "retries": r.Lang.Count(sr.Missing.Retries, "request"),
		},
		// The same again, once the endpoints answer: what they failed is made anew.
		needs: &Needs{Items: sr.Items.Sampled, Samples: (sr.rollouts() + sr.Items.Sampled - 1) / max(1, sr.Items.Sampled)}, settles: true,
	}
	j.vars["lost"], j.vars["mend"] = missedBy(r.Lang, sr.Missing)
	if n := sr.Missing.Repeated; n > 0 {
		j.vars["repeated"] = r.Lang.Say(", counting %s that were made again since", message.Whole(n))
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
	blocking := j.finding(r.Lang, status, observed(missing))
	caution := t.At("infra.failures.caution")
	j.severity, j.want = Advisory, "<= "+message.Plain(caution)
	ever := observed(sr.everMissing())
	out := []Finding{blocking, j.finding(r.Lang, ever.atMost(caution), ever)}
	if by := sr.MissingBy; by != nil && by.words(r.Lang) != "" && sr.everMissing() >= leastLost {
		j.want, j.items, j.said = "p >= "+message.Plain(lossLevel), by.Items, &notRandomWords
		j.vars["how"], j.vars["bounds"] = by.words(r.Lang), ""
		if b := sr.Reward.Bounds; sr.Missing.Total() > 0 && b.Low != nil && b.High != nil {
			j.vars["bounds"] = r.Lang.Say(" Whatever the missing rollouts would have earned, the mean of all is between %s and %s.", message.Plain(*b.Low), message.Plain(*b.High))
		}
		j.unit = ""
		out = append(out, j.finding(r.Lang, Fail, observed(min(stat.Or(by.Item.P, 1), stat.Or(by.Reward.P, 1)))))
		j.unit = "share"
	}
	again, most := observed(share(sr.Missing.Retried, sr.rollouts())), t.At("infra.failures.retried")
	if again.atMost(most) == Fail {
		j.want, j.items, j.said = "<= "+message.Plain(most), nil, &retriedWords
		out = append(out, j.finding(r.Lang, Fail, again))
	}
	return out
}

// missedBy names whose failures the missing grades are, and what to do about most of
// them.
func missedBy(l message.Language, m Missing) (whose, remedy string) {
	whose, remedy = l.Text("failing endpoints"), l.Text("Fix the endpoint where it is, then run the same command again: only what failed is made again. An endpoint at another address is another run, and needs a directory of its own.")
	switch {
	case m.Grader > 0 && m.Grader == m.Total():
		whose = l.Text("failures of the grader")
	case m.Grader > 0:
		whose = l.Text("failing endpoints and failures of the grader")
	}
	if 2*m.Grader > m.Total() {
		remedy = l.Text("Fix the grader, then run gonogo grade RUN -o RUN-2: it grades the recorded answers again, without a new rollout.")
	}
	return whose, remedy
}

// rollouts counts the rollouts recorded.
func (sr *SplitResult) rollouts() int { return sr.Missing.Total() + sr.Reward.N }

// retried tells how many rollouts needed a request repeated; "" when none did.
func retried(l message.Language, sr *SplitResult) string {
	m := sr.Missing
	if m.Retried == 0 {
		return ""
	}
	return l.Say("; %s (%s) needed requests repeated, %s in all", l.Count(m.Retried, "rollout"), message.Percent(share(m.Retried, sr.rollouts())), message.Whole(m.Retries))
}

// everMissing is the share of rollouts that an endpoint failed, those
// included that were made again since: repeating them until they pass does not
// mend the endpoint.
func (sr *SplitResult) everMissing() float64 {
	lost := sr.Missing.Total() + sr.Missing.Repeated
	return share(lost, sr.Missing.Total()+sr.Reward.N+sr.Missing.Repeated)
}

// firstCause is the most frequent cause of missing grades.
func firstCause(l message.Language, sr *SplitResult) string {
	for _, f := range sr.Failures {
		if f.Outcome.Missing() {
			return l.Say("%s: %s (%d times)", f.Outcome, f.Error, f.Count)
		}
	}
	return l.Text("none")
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
