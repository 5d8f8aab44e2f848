package analysis

import (
	"fmt"
	"slices"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var dataValid = NewGate(Gate{
	Name: "data.valid",
	Doc:  "Blocking: no row of the data files breaks a verified rule of the target platform. Advisory: none breaks a rule of advice.",
	Words: Words{
		Why:            "A training service refuses a file that breaks its rules, or trains on something other than you meant.",
		Pass:           "the data files keep the platform's rules",
		Fail:           "the data files break the platform's rules in {places}",
		FailRemedy:     "Fix the lines listed here, then measure into a new run directory: gonogo run -o RUN-2.",
		Caution:        "the data files go against the platform's advice in {places}",
		CautionRemedy:  "Look at the lines listed here; the job would be accepted, but it may not be what you want.",
		Unknown:        "the data files could not be judged",
		CautionUnknown: "the data files could not be judged",
	},
	Check: func(r *Result, _ Thresholds) []Finding {
		if len(r.Run.Data) == 0 {
			return []Finding{skipped("data.valid", "", Blocking, noFiles.Text())}
		}
		count := func(blocking bool) (n int, where []message.Text) {
			for _, p := range r.Problems {
				if p.Blocking != blocking {
					continue
				}
				n++
				if len(where) < itemsListed {
					where = append(where, message.Verbatim(place(p)))
				}
			}
			return n, where
		}
		var out []Finding
		for _, severity := range []Severity{Blocking, Advisory} {
			n, where := count(severity == Blocking)
			j := judgement{gate: "data.valid", severity: severity, unit: "problems", want: wantNone.Text(), rows: where, vars: message.Args{"places": message.Count(n, "place")}}
			out = append(out, j.finding(observed(float64(n)).atMost(0), observed(float64(n))))
		}
		return out
	},
})

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

var dataEnough = NewGate(Gate{
	Name: "data.enough",
	Doc: "Blocking: at least 20 items, each with min(group size, 4) valid rollouts, and at most 2 % of the sampled items lost; " +
		"else the run cannot decide. Advisory: at least 100 items and 8 samples.",
	Thresholds: []Threshold{
		{"data.enough.items", "items", "fewest items, each sampled min(group size, 4) times, for a verdict", 20},
		{"data.enough.lost", "share", "largest share of sampled items that may be without any reward", 0.02},
	},
	Charts: []string{"variance"},
	Words: Words{
		Why:             "With few items or few samples every number below is a guess: chance alone can make a hopeless task look trainable, or the reverse.",
		Pass:            "{have} items were sampled often enough to decide",
		Unknown:         "{have} items with at least {least} valid rollouts each (of {sampled} sampled, {lost} without any) cannot decide; {wanted} are needed",
		UnknownRemedy:   "Sample more items, or more rollouts of each, or mend what made rollouts fail. {needs}",
		Caution:         "{have} items with {median} valid rollouts each (median) are a small basis",
		CautionRemedy:   "The verdict stands, but its intervals are wide. 100 items with 8 samples each are a good basis.",
		CautionUnknown:  "the number of items is not known",
		CautionUnknownR: "",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		split, ok := trainingSplit(r)
		if !ok {
			return []Finding{skipped("data.enough", rollout.Train, Blocking, noTraining.Text())}
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
			want: wantItemsLost.With(message.Args{"limit": message.Int(want), "samples": message.Int(least), "lost": message.Share(t.At("data.enough.lost"))}),
			vars: message.Args{
				"have": message.Int(have), "sampled": message.Int(sr.Items.Sampled), "least": message.Int(least),
				"lost": message.Int(len(sr.Items.Lost)), "wanted": message.Int(want),
			},
			needs: &Needs{Items: max(want, have), Samples: max(least, sr.Samples.Max)}, settles: true,
		}
		status := Pass
		if have < want || lost > t.At("data.enough.lost") {
			status = Unknown
			if have >= want { // more items would lose as many
				j.said, j.needs.Items = &lostWords, sr.Items.Sampled
				j.vars["lostshare"], j.vars["most"], j.vars["cause"] = message.Share(lost), message.Share(t.At("data.enough.lost")), message.Said(firstCause(sr))
			}
			j.items = append(slices.Clone(sr.Items.Lost), short...)
			j.items = j.items[:min(len(j.items), itemsListed)]
		}
		return []Finding{j.finding(status, observed(float64(have))), enoughCaution(r, split)}
	},
})

func enoughCaution(r *Result, split rollout.Split) Finding {
	sr := r.Splits[split]
	const items, samples = 100, 8
	j := judgement{
		gate: "data.enough", split: split, severity: Advisory, unit: "items",
		want: wantItems.With(message.Args{"limit": message.Int(items), "samples": message.Int(samples)}),
		vars: message.Args{"have": message.Int(sr.Items.Measured), "median": message.Number(sr.Samples.Median)},
	}
	status := Pass
	if sr.Items.Measured < items || sr.Samples.Median < samples {
		status = Fail
	}
	return j.finding(status, observed(float64(sr.Items.Measured)))
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

var (
	wantItemsLost = message.New("want.items_lost", "≥ {limit} items with {samples} samples, at most {lost} lost")
	wantItems     = message.New("want.items", "≥ {limit} items with {samples} samples")
)

var noFiles = message.New("skip.no_files", "the run holds no data files")
