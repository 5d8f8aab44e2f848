package analysis

import (
	"fmt"
	"math"

	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

var graderLength = Gate{
	Name: "grader.length",
	Doc:  "Advisory: within items, the reward does not go with the length of the answer (correlation with its log below 0.3 either way, or p above 0.01).",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.length"
		if r.Grader == nil || r.Grader.Length == nil || !r.Grader.Length.Within.Known() || r.Grader.Length.P == nil {
			return []Finding{skipped(r.Lang, gate, "", Advisory, "the rollouts hold no answers of differing length, or rewards that do not differ within items")}
		}
		l := r.Grader.Length
		want, level := t.At(gate), t.At(gate+".p")
		j := judgement{
			gate: gate, severity: Advisory, unit: "correlation", want: r.Lang.Say("within ±%s, or p >= %s", message.Plain(want), message.Plain(level)),
			vars: map[string]string{
				"longer": r.Lang.Text("longer"), "p": message.P(*l.P), "pooled": valueOf(r.Lang, l.Pooled.Value),
				"advice": r.Lang.Say(longerPays, valueOf(r.Lang, l.Slope.Value)),
			},
		}
		if *l.Within.Value < 0 {
			j.vars["longer"], j.vars["advice"] = r.Lang.Text("shorter"), r.Lang.Say(shorterPays, message.Digits(math.Abs(stat.Or(l.Slope.Value, 0))))
		}
		status := Pass
		if math.Abs(*l.Within.Value) >= want && *l.P < level {
			status = Fail
		}
		return []Finding{j.finding(r.Lang, status, boundOf(l.Within))}
	},
}

// usefulItems is how many items make a rank correlation useful.
const usefulItems = 20

var graderAgreement = Gate{
	Name: "grader.agreement",
	Doc:  "Advisory, with people's labels: rewards and labels of the same outputs rank alike (Spearman at least 0.8).",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.agreement"
		if r.Grader == nil || r.Grader.Agreement == nil {
			return []Finding{skipped(r.Lang, gate, "", Advisory, "there are no labels by people (gonogo audit RUN --labels FILE)")}
		}
		a := r.Grader.Agreement
		want := t.At(gate)
		j := judgement{
			gate: gate, severity: Advisory, unit: "correlation", want: ">= " + message.Plain(want), items: a.Items,
			vars: map[string]string{"outputs": r.Lang.Count(a.Outputs, "output"), "people": r.Lang.Text("1 person"), "ceiling": ""},
		}
		if a.Raters > 1 {
			j.vars["people"] = r.Lang.Say("%s people", message.Whole(a.Raters))
		}
		if a.Alpha != nil && a.Alpha.Known() {
			j.vars["ceiling"] = r.Lang.Say(" People agree with each other to %s (Krippendorff's alpha; 1 is wholly).", message.Digits(*a.Alpha.Value))
		}
		b := boundOf(a.Spearman)
		status := b.atLeast(want)
		if status == Pass {
			j.items = nil
		}
		if items, ok := stat.Needed(a.Spearman, want, a.Spearman.Items, &stat.Range{Lo: -1, Hi: 1}, r.onceConfidence()); ok && a.Spearman.SE != nil {
			j.needs, j.settles = &Needs{Items: items, Samples: max(1, a.Outputs/max(1, a.Spearman.Items))}, true
		}
		if a.Spearman.SE == nil && a.Spearman.Items < usefulItems {
			j.needs, j.settles = &Needs{Items: usefulItems, Samples: 1}, true
		}
		return []Finding{j.finding(r.Lang, status, b)}
	},
}

var graderGuessable = Gate{
	Name: "grader.guessable",
	Doc:  "Advisory, after an audit: the most common reference, given as the answer to every item, earns at most a quarter of the range.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.guessable"
		if why := r.unaudited(); why != "" {
			return []Finding{skipped(r.Lang, gate, "", Advisory, why)}
		}
		if r.Grader.Guessable == nil {
			return []Finding{skipped(r.Lang, gate, "", Advisory, "no constant answer was put to the grader")}
		}
		rng := r.rng()
		want := rng.Lo + t.At(gate)*rng.Width()
		j := judgement{
			gate: gate, severity: Advisory, unit: "reward", want: "<= " + message.Plain(want),
			vars: map[string]string{"answer": fmt.Sprintf("%q", clip(r.Grader.GuessableAnswer, headLength))},
		}
		j.needs, j.settles = settleBy(*r.Grader.Guessable, want, rng, r.onceConfidence(), 1)
		b := boundOf(*r.Grader.Guessable)
		return []Finding{j.finding(r.Lang, b.atMost(want), b)}
	},
}

var dataSuspect = Gate{
	Name: "data.suspect",
	Doc: "Advisory, after an audit: on no item most rollouts agree on one answer that is not the reference while none earns the top, or earn the top while the reference, given as the answer, earns the bottom. " +
		"Skipped where answers could not be compared and rewards show nothing.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "data.suspect"
		if why := r.unaudited(); why != "" {
			return []Finding{skipped(r.Lang, gate, "", Advisory, why)}
		}
		want, list := t.At(gate), r.Grader.SuspectReferences
		if len(list) == 0 && r.Grader.Compared == 0 {
			return []Finding{incomparable(r)}
		}
		j := judgement{
			gate: gate, severity: Advisory, unit: "items", want: "<= " + message.Plain(want),
			vars: map[string]string{"example": "", "on": r.Lang.Count(len(list), "item"), "compared": r.Lang.Count(max(r.Grader.Compared, r.Grader.ComparedRewards), "item")},
		}
		for i, s := range list {
			if i == 0 {
				j.vars["example"] = s.example(r.Lang)
			}
			if len(j.items) < itemsListed {
				j.items = append(j.items, s.Item)
			}
		}
		b := observed(float64(len(list)))
		return []Finding{j.finding(r.Lang, b.atMost(want), b)}
	},
}

// incomparable is the finding where nothing can be said of the references.
func incomparable(r *Result) Finding {
	const gate, why = "data.suspect", "answers could not be compared: no two rollouts of an item say the same"
	if n := r.Grader.ComparedRewards; n > 0 {
		return skipped(r.Lang, gate, "", Advisory, why+"; by rewards alone, none of %s earns the bottom where most rollouts earn the top", r.Lang.Count(n, "reference"))
	}
	return skipped(r.Lang, gate, "", Advisory, why)
}

// example tells what the rollouts of an item say against its reference.
func (s SuspectReference) example(l message.Language) string {
	text := l.Say("On %s, %s of the rollouts earn the top", s.Item, message.Percent(s.Share))
	if s.Answer != "" {
		text = l.Say("On %s, %s of the rollouts answer %q", s.Item, message.Percent(s.Share), clip(s.Answer, headLength))
	}
	if s.ReferenceReward != nil {
		text += l.Say("; the reference, %q, earns %s", clip(s.Reference, headLength), message.Digits(*s.ReferenceReward))
	}
	return text + l.Text(".")
}

// paid reports whether a rollout that the detector marks earned more than the
// bottom, or may have: of none the reward is known.
func (d *DetectorResult) paid(rng stat.Range) bool {
	return d.Mean.Value == nil || *d.Mean.Value > rng.Lo+hair*rng.Width()
}

// worstDetector marks the most; one that marks too many that were paid comes
// before those that mark more that were not.
func worstDetector(r *Result, want float64) *DetectorResult {
	share := func(d *DetectorResult) float64 { return stat.Or(d.Share.Value, -1) }
	hole := func(d *DetectorResult) bool { return share(d) > want && d.paid(r.rng()) }
	worst := &r.Grader.Detectors[0]
	for i := range r.Grader.Detectors {
		d := &r.Grader.Detectors[i]
		if hole(d) && !hole(worst) || hole(d) == hole(worst) && share(d) > share(worst) {
			worst = d
		}
	}
	return worst
}

var graderDetected = Gate{
	Name: "grader.detected",
	Doc:  "Advisory, where detectors are configured: no rollout is marked as a hack.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "grader.detected"
		if r.Grader == nil || len(r.Grader.Detectors) == 0 {
			return []Finding{skipped(r.Lang, gate, "", Advisory, "no detector was run over the rollouts (gonogo audit, with detectors configured)")}
		}
		want := t.At(gate)
		worst := worstDetector(r, want)
		j := judgement{
			gate: gate, severity: Advisory, unit: "share", want: "<= " + message.Plain(want), items: worst.Items,
			vars: map[string]string{
				"detector": worst.Detector, "marked": fmt.Sprint(worst.Marked), "rollouts": r.Lang.Count(worst.Rollouts, "rollout"),
				"mean": valueOf(r.Lang, worst.Mean.Value), "zeroed": r.Lang.Text("They count as they were graded."),
			},
		}
		if worst.Zeroed {
			j.vars["zeroed"] = r.Lang.Text("They count at the bottom of the range in the mean reward, the best of several, the groups and the classes of items. What tells of the grader itself (its resolution, noise, length, layers, agreement with people) goes by the reward that it gave, noise without them.")
		}
		if worst.Marked > 0 && !worst.paid(r.rng()) {
			j.said = &unpaidWords
		}
		b := boundOf(worst.Share)
		if b.value == nil {
			j.needs, j.settles = &Needs{Items: 1, Samples: 1}, true // any rollout that it reads
			return []Finding{j.finding(r.Lang, Unknown, b)}
		}
		return []Finding{j.finding(r.Lang, observed(*b.value).atMost(want), b)}
	},
}
