package analysis

import (
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Reasons for which gates about the data's rows are skipped.
var (
	noItems     = message.New("skip.no_items", "the run holds no items with their rows (items.jsonl)")
	noReference = message.New("skip.no_reference", "no row has a reference answer in one of the usual fields")
	oneSplit    = message.New("skip.one_split", "there is one split only: with data.eval or data.production there is something to compare")
)

var dataConflicts = NewGate(Gate{
	Name: "data.conflicts",
	Doc: "Blocking: no two rows have the same prompt and different references. Advisory: nor almost the same prompt " +
		"(the same words that carry content, in the same order).",
	Words: Words{
		Why:           "One question with two right answers cannot be learnt: whatever the model says, half of its rollouts are punished for it.",
		Pass:          "no prompt has two references",
		Fail:          "{prompts} {have} references that contradict each other",
		FailRemedy:    "Look at the rows listed here: at least one reference of each pair is wrong, or the prompt leaves out what tells the tasks apart. Mend or drop them.",
		Caution:       "{prompts} that are almost the same {have} references that contradict each other",
		CautionRemedy: "Read the pairs listed here. Where they ask the same, one reference is wrong.",
	},
	Check: func(r *Result, _ Thresholds) []Finding {
		const gate = "data.conflicts"
		switch {
		case r.Shift == nil:
			return []Finding{skipped(gate, "", Blocking, noItems.Text())}
		case r.Shift.References == 0:
			return []Finding{skipped(gate, "", Blocking, noReference.Text())}
		}
		var out []Finding
		for _, level := range []struct {
			severity Severity
			kind     shift.ConflictKind
		}{{Blocking, shift.SamePrompt}, {Advisory, shift.AlmostPrompt}} {
			n := 0
			j := judgement{gate: gate, severity: level.severity, unit: "prompts", want: wantNone.Text()}
			for _, c := range r.Shift.Conflicts {
				if c.Kind == level.kind {
					n++
					withRow(&j, beside(c.ASplit, c.A, c.BSplit, c.B), c.A, c.B)
				}
			}
			j.vars = message.Args{"prompts": message.Count(n, "prompt"), "have": message.Said(has(n))}
			out = append(out, j.finding(observed(float64(n)).atMost(0), observed(float64(n))))
		}
		return out
	},
})

var dataDegenerate = newPart(Gate{
	Name: "data.degenerate",
	Doc: "Advisory: no prompt is empty, one word over and over, or cut off, no row repeats another of its split, and no prompt holds its own reference word for word " +
		"(unless most do: then finding it there is the task).",
	Words: Words{
		Why:           "Rows without a task teach nothing, rows that appear twice count twice, and a model that finds the answer in the prompt learns to copy it.",
		Pass:          "no row is empty, cut off or repeated, or gives its answer away{told}",
		Caution:       "{value} rows are of little use: {empty} empty, {constant} of one word over and over, {cut} cut off, {repeats} that repeat another of their split, {given} whose prompt holds the reference{told}",
		CautionRemedy: "Fix or drop the rows listed here. {near} more rows share most of their text with another row of their split.",
	},
	Check: func(r *Result, _ Thresholds) []Finding {
		const gate = "data.degenerate"
		if r.Shift == nil {
			return []Finding{skipped(gate, "", Advisory, noItems.Text())}
		}
		kinds := map[shift.FlawKind]int{}
		j := judgement{gate: gate, severity: Advisory, unit: "rows", want: wantNone.Text()}
		for _, f := range r.Shift.Flaws {
			kinds[f.Kind]++
			withRow(&j, rowIs.With(message.Args{"split": message.Name(f.Split), "item": message.Name(f.Item), "what": message.Said(kindOf[string(f.Kind)].Text())}), f.Item)
		}
		repeats := map[shift.LeakKind]int{}
		for _, d := range r.Shift.Duplicates {
			repeats[d.Kind]++
			if d.Kind == shift.ExactLeak {
				withRow(&j, beside(d.ASplit, d.A, d.BSplit, d.B), d.A, d.B)
			}
		}
		given, told := givenReference(r.Shift)
		for _, row := range given {
			withRow(&j, rowGiven.With(message.Args{"split": message.Name(row.Split), "item": message.Name(row.Item)}), row.Item)
		}
		n := len(r.Shift.Flaws) + repeats[shift.ExactLeak] + len(given)
		j.vars = message.Args{
			"empty": message.Int(kinds[shift.Empty]), "constant": message.Int(kinds[shift.Constant]), "cut": message.Int(kinds[shift.Truncated]),
			"repeats": message.Int(repeats[shift.ExactLeak]), "near": message.Int(repeats[shift.NearLeak]), "given": message.Int(len(given)), "told": message.Said(told),
		}
		return []Finding{j.finding(observed(float64(n)).atMost(0), observed(float64(n)))}
	},
})

// givenReference are the rows whose prompt holds their own reference, as long as they are
// not most of those for which that can be told; of most rows it is the task, which
// told says.
func givenReference(sh *Shift) (rows []RowName, told message.Text) {
	if 2*len(sh.InPrompt) <= sh.InPromptOf {
		return sh.InPrompt, message.Text{}
	}
	return nil, givenIsTask.With(message.Args{"n": message.Int(len(sh.InPrompt)), "prompts": message.Int(sh.InPromptOf)})
}

var leakage = NewGate(Gate{
	Name: "leakage",
	Doc: "Blocking: eval and production have no row in common with train, by prompt (after normalisation) or by declared family. " +
		"Advisory, also between eval and production: at most 1 % of the rows share most of their text with a row of the other split, and none is the same but for names or numbers. " +
		"Phrases that more than 5 % of the rows have are templates and weigh nothing.",
	Thresholds: []Threshold{
		{"leakage.near", "share", "share of rows that share most of their text with a row of another split, above which, with its whole interval, it is a caution", 0.01},
	},
	Words: Words{
		Why:            "What the model was trained on it may have learnt by heart. Rows that stand in train and in another split make that split look better than new tasks will.",
		Pass:           "{split} and {a} have no rows in common: {exact} copies, {swapped} that differ in names or numbers alone, {near} of {rows} that share most of their text{note}",
		Fail:           "{split} is not new to a model trained on {a}: {exact} of {rows} rows are copies, {family} belong to a family that {a} has too",
		FailRemedy:     "Take the rows listed here out of one of the two, and split by family (document, repository, customer), not by row.",
		Caution:        "rows of {split} resemble rows of {a}: {swapped} of {rows} differ in names or numbers alone, {near} share most of their text, {exact} are copies{note}",
		CautionRemedy:  "Read the pairs listed here. Where they are the same task, take one out.",
		CautionUnknown: "{near} of {rows} rows of {split} share most of their text with a row of {a}: few enough for chance{note}",
	},
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "leakage"
		switch {
		case r.Shift == nil:
			return []Finding{skipped(gate, "", Blocking, noItems.Text())}
		case len(r.Shift.Crossings) == 0:
			return []Finding{skipped(gate, "", Blocking, oneSplit.Text())}
		}
		var out []Finding
		for _, c := range r.Shift.Crossings {
			if c.A == rollout.Train {
				out = append(out, sureLeak(c, r))
			}
			out = append(out, likelyLeak(c, r, t.At("leakage.near")))
		}
		return out
	},
})

// sureLeak judges rows and families that two splits have in common.
func sureLeak(c Crossing, r *Result) Finding {
	j := judgement{
		gate: "leakage", split: c.B, severity: Blocking, unit: "rows", want: wantNone.Text(), vars: crossingArgs(c),
	}
	leakedPairs(r.Shift, &j, c, shift.ExactLeak, shift.FamilyLeak)
	n := observed(float64(c.Exact + c.Family))
	return j.finding(n.atMost(0), n)
}

// likelyLeak judges rows that are near or swapped copies. A few among few rows are
// chance until the whole interval of their share lies above what is allowed.
func likelyLeak(c Crossing, r *Result, most float64) Finding {
	kinds := []shift.LeakKind{shift.SwappedLeak, shift.NearLeak}
	if c.A != rollout.Train {
		kinds = append(kinds, shift.ExactLeak, shift.FamilyLeak)
	}
	near := stat.Share(c.Near, c.RowsB, r.onceConfidence())
	status := boundOf(near).atMost(most)
	if near.Known() && *near.Value <= most {
		status = Pass
	}
	if c.Swapped > 0 || c.A != rollout.Train && c.Exact+c.Family > 0 {
		status = Fail
	}
	j := judgement{
		gate: "leakage", split: c.B, severity: Advisory, unit: "share", want: wantNear.With(message.Args{"limit": message.Share(most)}),
		vars: crossingArgs(c),
	}
	leakedPairs(r.Shift, &j, c, kinds...)
	j.needs, j.settles = settleBy(near, most, unitRange, r.onceConfidence(), 1)
	return j.finding(status, boundOf(near))
}

func crossingArgs(c Crossing) message.Args {
	var note message.Text
	if !c.Note.None() {
		note = inBrackets.With(message.Args{"what": message.Said(c.Note)})
	}
	return message.Args{
		"a": message.Name(c.A), "rows": message.Int(c.RowsB), "exact": message.Int(c.Exact), "swapped": message.Int(c.Swapped), "near": message.Int(c.Near),
		"family": message.Int(c.Family), "note": message.Said(note),
	}
}

// leakedPairs lists the pairs of some kinds between two splits.
func leakedPairs(sh *Shift, j *judgement, c Crossing, kinds ...shift.LeakKind) {
	for _, kind := range kinds {
		for _, p := range sh.Leakage {
			if p.ASplit == c.A && p.BSplit == c.B && p.Kind == kind {
				withRow(j, pairIs.With(message.Args{"pair": message.Said(beside(p.ASplit, p.A, p.BSplit, p.B)), "what": message.Said(kindOf[string(kind)].Text())}), p.A, p.B)
			}
		}
	}
}

// withRow adds to the rows that a finding points at, as long as they are few.
func withRow(j *judgement, said message.Text, items ...string) {
	if len(j.rows) >= itemsListed || slices.ContainsFunc(j.rows, func(t message.Text) bool { return t.String() == said.String() }) {
		return
	}
	j.rows = append(j.rows, said)
	for _, item := range items {
		if !slices.Contains(j.items, item) {
			j.items = append(j.items, item)
		}
	}
}

// beside names two rows as one line.
func beside(aSplit rollout.Split, a string, bSplit rollout.Split, b string) message.Text {
	if aSplit == bSplit {
		return pairWithin.With(message.Args{"split": message.Name(aSplit), "a": message.Name(a), "b": message.Name(b)})
	}
	return pairAcross.With(message.Args{"split_a": message.Name(aSplit), "a": message.Name(a), "split_b": message.Name(bSplit), "b": message.Name(b)})
}

func has(n int) message.Text {
	if n == 1 {
		return hasOne.Text()
	}
	return haveMany.Text()
}

var (
	rowIs       = message.New("phrase.row_is", "{split} {item}: {what}")
	rowGiven    = message.New("phrase.row_given", "{split} {item}: the prompt holds the reference")
	givenIsTask = message.New("data.degenerate.given_is_task", "; {n} of {prompts} prompts hold their reference word for word: finding it there is taken to be the task")
	wantNear    = message.New("want.near", "≤ {limit} near, 0 swapped")
	pairIs      = message.New("phrase.pair_is", "{pair} ({what})")
	pairWithin  = message.New("phrase.pair_within", "{split} {a} and {b}")
	pairAcross  = message.New("phrase.pair_across", "{split_a} {a} and {split_b} {b}")
	hasOne      = message.New("phrase.has", "has")
	haveMany    = message.New("phrase.have", "have")
)

// kindOf words the kinds of flawed rows and of leaks.
var kindOf = map[string]message.Def{
	string(shift.ExactLeak):   message.New("kind.exact", "exact"),
	string(shift.FamilyLeak):  message.New("kind.family", "family"),
	string(shift.SwappedLeak): message.New("kind.swapped", "swapped"),
	string(shift.NearLeak):    message.New("kind.near", "near"),
	string(shift.Empty):       message.New("kind.empty", "empty"),
	string(shift.Constant):    message.New("kind.constant", "constant"),
	string(shift.Truncated):   message.New("kind.truncated", "truncated"),
}
