package analysis

import (
	"fmt"
	"slices"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var dataValid = Gate{
	Name: "data.valid",
	Doc:  "Blocking: no row of the data files breaks a verified rule of the target platform. Advisory: none breaks a rule of advice.",
	Check: func(r *Result, _ Thresholds) []Finding {
		if len(r.Run.Data) == 0 {
			return []Finding{skipped(r.Lang, "data.valid", "", Blocking, "the run holds no data files")}
		}
		count := func(blocking bool) (n int, where []string) {
			for _, p := range r.Problems {
				if p.Blocking != blocking {
					continue
				}
				n++
				if len(where) < itemsListed {
					where = append(where, place(p))
				}
			}
			return n, where
		}
		var out []Finding
		for _, severity := range []Severity{Blocking, Advisory} {
			n, where := count(severity == Blocking)
			j := judgement{gate: "data.valid", severity: severity, unit: "problems", want: "0", items: where, vars: map[string]string{"places": r.Lang.Count(n, "place")}}
			out = append(out, j.finding(r.Lang, observed(float64(n)).atMost(0), observed(float64(n))))
		}
		return out
	},
}

// place names a problem as one line: where, then what.
func place(p rollout.Problem) string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	case p.File != "":
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return p.Message
}

var dataEnough = Gate{
	Name: "data.enough",
	Doc: "Blocking: at least 20 items, each with min(group size, 4) valid rollouts, and at most 2 % of the sampled items lost; " +
		"else the run cannot decide. Advisory: at least 100 items and 8 samples.",
	Check: func(r *Result, t Thresholds) []Finding {
		split, ok := trainingSplit(r)
		if !ok {
			return []Finding{skipped(r.Lang, "data.enough", rollout.Train, Blocking, noTraining)}
		}
		sr := r.Splits[split]
		least := min(r.GroupSize, 4)
		have := 0
		short := []string{}
		for _, it := range sr.Classes.Items {
			if it.N >= least {
				have++
			} else if len(short) < itemsListed {
				short = append(short, it.Item)
			}
		}
		want := int(t.At("data.enough.items"))
		lost := share(len(sr.Items.Lost), sr.Items.Sampled)
		j := judgement{
			gate: "data.enough", split: split, severity: Blocking, unit: "items",
			want: r.Lang.Say(">= %d items with %d samples, at most %s lost", want, least, message.Percent(t.At("data.enough.lost"))),
			vars: map[string]string{
				"have": fmt.Sprint(have), "sampled": fmt.Sprint(sr.Items.Sampled), "least": fmt.Sprint(least),
				"lost": fmt.Sprint(len(sr.Items.Lost)), "wanted": fmt.Sprint(want),
			},
			needs: &Needs{Items: max(want, have), Samples: max(least, sr.Samples.Max)}, settles: true,
		}
		status := Pass
		if have < want || lost > t.At("data.enough.lost") {
			status = Unknown
			if have >= want { // more items would lose as many
				j.said, j.needs.Items = &lostWords, sr.Items.Sampled
				j.vars["lostshare"], j.vars["most"], j.vars["cause"] = message.Percent(lost), message.Percent(t.At("data.enough.lost")), firstCause(r.Lang, sr)
			}
			j.items = append(slices.Clone(sr.Items.Lost), short...)
			j.items = j.items[:min(len(j.items), itemsListed)]
		}
		return []Finding{j.finding(r.Lang, status, observed(float64(have))), enoughCaution(r, t, split)}
	},
}

// lostWords are said where items are enough, and too many of them were lost.
var lostWords = wording{
	title:  "{lost} of {sampled} sampled items ({lostshare}) have no valid rollout at all; at most {most} may be lost",
	remedy: "The items that were lost may differ from the rest, so that the numbers may not hold for them. Fix what made their rollouts fail, then run the same command again: only what is missing is made. Most frequent cause: {cause}.",
}

func enoughCaution(r *Result, t Thresholds, split rollout.Split) Finding {
	sr := r.Splits[split]
	items, samples := t.At("data.enough.caution_items"), t.At("data.enough.caution_samples")
	j := judgement{
		gate: "data.enough", split: split, severity: Advisory, unit: "items",
		want: r.Lang.Say(">= %s items with %s samples", message.Plain(items), message.Plain(samples)),
		vars: map[string]string{"have": fmt.Sprint(sr.Items.Measured), "median": message.Plain(sr.Samples.Median)},
	}
	status := Pass
	if float64(sr.Items.Measured) < items || sr.Samples.Median < samples {
		status = Fail
	}
	return j.finding(r.Lang, status, observed(float64(sr.Items.Measured)))
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
