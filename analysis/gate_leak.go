package analysis

import (
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Reasons for which gates about the data's rows are skipped.
const (
	noItems     = "the run holds no items with their rows (items.jsonl)"
	noReference = "no row has a reference answer in one of the usual fields"
	oneSplit    = "there is one split only: with data.eval or data.production there is something to compare"
)

var dataConflicts = Gate{
	Name: "data.conflicts",
	Doc: "Blocking: no two rows have the same prompt and different references. Advisory: nor almost the same prompt " +
		"(the same words that carry content, in the same order).",
	Check: func(r *Result, _ Thresholds) []Finding {
		const gate = "data.conflicts"
		switch {
		case r.Shift == nil:
			return []Finding{skipped(r.Lang, gate, "", Blocking, noItems)}
		case r.Shift.References == 0:
			return []Finding{skipped(r.Lang, gate, "", Blocking, noReference)}
		}
		var out []Finding
		for _, level := range []struct {
			severity Severity
			kind     shift.ConflictKind
		}{{Blocking, shift.SamePrompt}, {Advisory, shift.AlmostPrompt}} {
			n := 0
			j := judgement{gate: gate, severity: level.severity, unit: "prompts", want: "0"}
			for _, c := range r.Shift.Conflicts {
				if c.Kind == level.kind {
					n++
					j.items = listed(j.items, beside(r.Lang, c.ASplit, c.A, c.BSplit, c.B))
				}
			}
			j.vars = map[string]string{"prompts": r.Lang.Count(n, "prompt"), "have": has(r.Lang, n)}
			out = append(out, j.finding(r.Lang, observed(float64(n)).atMost(0), observed(float64(n))))
		}
		return out
	},
}

var dataDegenerate = Gate{
	Name: "data.degenerate",
	Doc: "Advisory: no prompt is empty, one word over and over, or cut off, no row repeats another of its split, and no prompt holds its own reference word for word " +
		"(unless most do: then finding it there is the task).",
	Check: func(r *Result, _ Thresholds) []Finding {
		const gate = "data.degenerate"
		if r.Shift == nil {
			return []Finding{skipped(r.Lang, gate, "", Advisory, noItems)}
		}
		kinds := map[shift.FlawKind]int{}
		j := judgement{gate: gate, severity: Advisory, unit: "rows", want: "0"}
		for _, f := range r.Shift.Flaws {
			kinds[f.Kind]++
			j.items = listed(j.items, r.Lang.Say("%s %s: %s", f.Split, f.Item, r.Lang.Text(string(f.Kind))))
		}
		repeats := map[shift.LeakKind]int{}
		for _, d := range r.Shift.Duplicates {
			repeats[d.Kind]++
			if d.Kind == shift.ExactLeak {
				j.items = listed(j.items, beside(r.Lang, d.ASplit, d.A, d.BSplit, d.B))
			}
		}
		given, told := r.Shift.given(r.Lang)
		for _, row := range given {
			j.items = listed(j.items, r.Lang.Say("%s %s: the prompt holds the reference", row.Split, row.Item))
		}
		n := len(r.Shift.Flaws) + repeats[shift.ExactLeak] + len(given)
		j.vars = map[string]string{
			"empty": message.Whole(kinds[shift.Empty]), "constant": message.Whole(kinds[shift.Constant]), "cut": message.Whole(kinds[shift.Truncated]),
			"repeats": message.Whole(repeats[shift.ExactLeak]), "near": message.Whole(repeats[shift.NearLeak]), "given": message.Whole(len(given)), "told": told,
		}
		return []Finding{j.finding(r.Lang, observed(float64(n)).atMost(0), observed(float64(n)))}
	},
}

// given are the rows whose prompt holds their own reference, as long as they are
// not most of those for which that can be told; of most rows it is the task, which
// told says.
func (sh *Shift) given(l message.Language) (rows []RowName, told string) {
	if 2*len(sh.InPrompt) <= sh.InPromptOf {
		return sh.InPrompt, ""
	}
	return nil, l.Say("; %s of %s prompts hold their reference word for word: finding it there is taken to be the task", message.Whole(len(sh.InPrompt)), message.Whole(sh.InPromptOf))
}

var leakage = Gate{
	Name: "leakage",
	Doc: "Blocking: eval and production have no row in common with train, by prompt (after normalisation) or by declared family. " +
		"Advisory, also between eval and production: at most 1 % of the rows share most of their text with a row of the other split, and none is the same but for names or numbers. " +
		"Phrases that more than 5 % of the rows have are templates and weigh nothing.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "leakage"
		switch {
		case r.Shift == nil:
			return []Finding{skipped(r.Lang, gate, "", Blocking, noItems)}
		case len(r.Shift.Crossings) == 0:
			return []Finding{skipped(r.Lang, gate, "", Blocking, oneSplit)}
		}
		var out []Finding
		for _, c := range r.Shift.Crossings {
			if c.A == rollout.Train {
				out = append(out, c.sure(r))
			}
			out = append(out, c.likely(r, t.At("leakage.near")))
		}
		return out
	},
}

// sure judges rows and families that two splits have in common.
func (c Crossing) sure(r *Result) Finding {
	j := judgement{
		gate: "leakage", split: c.B, severity: Blocking, unit: "rows", want: "0", vars: c.vars(r.Lang),
		items: r.Shift.leaked(r.Lang, c, shift.ExactLeak, shift.FamilyLeak),
	}
	n := observed(float64(c.Exact + c.Family))
	return j.finding(r.Lang, n.atMost(0), n)
}

// likely judges rows that are near or swapped copies. A few among few rows are
// chance until the whole interval of their share lies above what is allowed.
func (c Crossing) likely(r *Result, most float64) Finding {
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
		gate: "leakage", split: c.B, severity: Advisory, unit: "share", want: r.Lang.Say("<= %s near, 0 swapped", message.Percent(most)),
		vars: c.vars(r.Lang), items: r.Shift.leaked(r.Lang, c, kinds...),
	}
	j.needs, j.settles = settleBy(near, most, unitRange, r.onceConfidence(), 1)
	return j.finding(r.Lang, status, boundOf(near))
}

func (c Crossing) vars(l message.Language) map[string]string {
	note := ""
	if c.Note != "" {
		note = l.Say(" (%s)", c.Note)
	}
	return map[string]string{
		"a": string(c.A), "rows": message.Whole(c.RowsB), "exact": message.Whole(c.Exact), "swapped": message.Whole(c.Swapped), "near": message.Whole(c.Near),
		"family": message.Whole(c.Family), "note": note,
	}
}

// leaked lists the pairs of some kinds between two splits.
func (sh *Shift) leaked(l message.Language, c Crossing, kinds ...shift.LeakKind) []string {
	out := []string{}
	for _, kind := range kinds {
		for _, p := range sh.Leakage {
			if p.ASplit == c.A && p.BSplit == c.B && p.Kind == kind {
				out = listed(out, l.Say("%s (%s)", beside(l, p.ASplit, p.A, p.BSplit, p.B), l.Text(string(kind))))
			}
		}
	}
	return out
}

// listed adds to the items that a finding points at, as long as they are few.
func listed(items []string, item string) []string {
	if len(items) < itemsListed && !slices.Contains(items, item) {
		items = append(items, item)
	}
	return items
}

// beside names two rows as one line.
func beside(l message.Language, aSplit rollout.Split, a string, bSplit rollout.Split, b string) string {
	if aSplit == bSplit {
		return l.Say("%s %s and %s", aSplit, a, b)
	}
	return l.Say("%s %s and %s %s", aSplit, a, bSplit, b)
}

func has(l message.Language, n int) string {
	if n == 1 {
		return l.Text("has")
	}
	return l.Text("have")
}
