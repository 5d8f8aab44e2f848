package analysis

import (
	"fmt"

	"gonogo/sampler/rollout"
)

var infraFailures = Gate{
	Name: "infra.failures",
	Doc: "Blocking, on every sampled split: the observed share of rollouts that model endpoint, tools or grader failed is at most 5 %; " +
		"above 20 % it fails; between, the run cannot decide. Advisory: at most 1 %, counting failed rollouts that were made again.",
	Check: func(r *Result, t Thresholds) []Finding {
		var out []Finding
		for _, split := range rollout.Splits() {
			if sr := r.Splits[split]; sr != nil {
				out = append(out, failuresOf(sr, t, split)...)
			}
		}
		if out == nil {
			return []Finding{skipped("infra.failures", "", Blocking, "there are no rollouts")}
		}
		return out
	},
}

func failuresOf(sr *SplitResult, t Thresholds, split rollout.Split) []Finding {
	if sr.Missing.Share == nil {
		return nil
	}
	missing := *sr.Missing.Share
	pass, fail := t.At("infra.failures.pass"), t.At("infra.failures.fail")
	j := judgement{
		gate: "infra.failures", split: split, severity: Blocking, unit: "share",
		want: fmt.Sprintf("<= %s (fails above %s)", number(pass), number(fail)),
		vars: map[string]string{
			"model_api": fmt.Sprint(sr.Missing.ModelAPI),
			"tool":      fmt.Sprint(sr.Missing.Tool), "grader": fmt.Sprint(sr.Missing.Grader),
			"cause": firstCause(sr), "repeated": "",
		},
		settles: true,
	}
	if n := sr.Missing.Repeated; n > 0 {
		j.vars["repeated"] = ", counting " + count(n) + " that were made again since"
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
	caution := t.At("infra.failures.caution")
	j.severity, j.want = Advisory, "<= "+number(caution)
	ever := observed(sr.everMissing())
	return []Finding{blocking, j.finding(ever.atMost(caution), ever)}
}

// everMissing is the share of rollouts that an endpoint failed, those
// included that were made again since: repeating them until they pass does not
// mend the endpoint.
func (sr *SplitResult) everMissing() float64 {
	lost := sr.Missing.Total() + sr.Missing.Repeated
	return share(lost, sr.Missing.Total()+sr.Reward.N+sr.Missing.Repeated)
}

// firstCause is the most frequent cause of missing grades.
func firstCause(sr *SplitResult) string {
	for _, f := range sr.Failures {
		if f.Outcome.Missing() {
			return fmt.Sprintf("%s: %s (%d times)", f.Outcome, f.Error, f.Count)
		}
	}
	return "none"
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
