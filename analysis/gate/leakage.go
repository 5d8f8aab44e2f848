package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Reasons for skipping gates about the data's rows.
var (
	oneSplit = analysis.Moot(message.New("skip.one_split",
		"there is only one split: set data.eval or data.production to compare it with another"))
)

var leakageNear = analysis.Threshold{Name: "leakage.near", Unit: "share", Doc: "share of rows that share most of " +
	"their text with a row of another split, above which, with its whole interval, it is a caution", Default: 0.01}

var leakage = &analysis.Gate{
	Name:  "leakage",
	Label: "Leakage between splits",
	Doc: "Blocking: eval and production have no row in common with train, by prompt (after normalization) or by " +
		"declared family. " +
		"Advisory, also between eval and production: at most 1 % of the rows share most of their text with a row of " +
		"the other split, and none differs only in names or numbers. " +
		"Phrases in more than 5 % of the rows are templates and do not count.",
	Thresholds: []analysis.Threshold{leakageNear},
	Words: analysis.Words{
		Why: "The model may have memorized what it was trained on. Rows that are in train and in another " +
			"split make that split look better than new tasks will.",
		Pass: "{passes}: of {rows|row}, {exact|is a copy|are copies}, {swapped|differs|differ} only in " +
			"names or numbers, {near|shares|share} most of the text{note}",
		Fail: "a model trained on {a} knows {n} of the {rows|row} of {split} ({exact|copy|copies}{more})",
		FailRemedy: "Take these rows out of one of the two splits. From then on split by family (document, " +
			"repository, customer), not by row.",
		Caution: "rows of {split} resemble rows of {a}: of {rows|row}, {swapped|differs|differ} only in " +
			"names or numbers, {near|shares|share} most of the text, {exact|is a copy|are copies}{note}",
		CautionRemedy: "Read the pairs listed here. If they are the same task, take one out.",
		CautionUnknown: "of {rows|row} of {split}, {near|shares|share} most of the text with a row of {a}: few " +
			"enough to be chance{note}",
	},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		switch {
		case r.Shift == nil && len(r.Splits) > 1:
			return analysis.Skip("", analysis.Blocking, noItems.Text())
		case r.Shift == nil || len(r.Shift.Crossings) == 0:
			return analysis.Skip("", analysis.Blocking, oneSplit.Text())
		}
		var out []analysis.Finding
		for _, c := range r.Shift.Crossings {
			if c.A == rollout.Train {
				out = append(out, sureLeak(c, r))
			}
			out = append(out, likelyLeak(c, r, t.At(leakageNear)))
		}
		return out
	},
}

// sureLeak judges rows and families that are in both splits.
func sureLeak(c analysis.Crossing, r *analysis.Result) analysis.Finding {
	j := analysis.Judgement{
		Split: c.B, Severity: analysis.Blocking, Unit: "rows", Want: analysis.WantNone.Text(),
		Args: crossingArgs(c, nothingShared),
	}
	leakedPairs(r.Shift, &j, c, shift.ExactLeak, shift.FamilyLeak)
	n := analysis.Observed(float64(c.Exact + c.Family - c.Both))
	return j.Finding(n.AtMost(0), n)
}

// likelyLeak judges rows that are near or swapped copies. A few among few rows may be chance until
// the whole interval of their share is above the threshold.
func likelyLeak(c analysis.Crossing, r *analysis.Result, most float64) analysis.Finding {
	kinds := []shift.LeakKind{shift.SwappedLeak, shift.NearLeak}
	if c.A != rollout.Train {
		kinds = append(kinds, shift.ExactLeak, shift.FamilyLeak)
	}
	near := stat.Share(c.Near, c.RowsB, r.AuditConfidence())
	status := analysis.BoundOf(near).AtMost(most)
	if near.Known() && *near.Value <= most {
		status = analysis.Pass
	}
	if c.Swapped > 0 || c.A != rollout.Train && c.Exact+c.Family > 0 {
		status = analysis.Fail
	}
	j := analysis.Judgement{
		Split: c.B, Severity: analysis.Advisory, Unit: "share",
		Want: wantNear.With(message.Args{"limit": message.Share(most)}),
		Args: crossingArgs(c, fewResemble),
	}
	leakedPairs(r.Shift, &j, c, kinds...)
	j.Needs, j.Settles = settleBy(near, most, unitRange, r.AuditConfidence(), 1)
	return j.Finding(status, analysis.BoundOf(near))
}

// crossingArgs returns the numbers of a crossing, and the text for a pass.
func crossingArgs(c analysis.Crossing, passes message.Def) message.Args {
	var note, others message.Text
	if !c.Note.IsEmpty() {
		note = inBrackets.With(message.Args{"what": message.Nested(c.Note)})
	}
	if more := c.Family - c.Both; more > 0 {
		others = moreOfFamily.With(message.Args{"n": message.Int(more), "a": message.Name(c.A)})
	}
	return message.Args{
		"n": message.Int(c.Exact + c.Family - c.Both), "more": message.Nested(others),
		"a": message.Name(c.A), "rows": message.Int(c.RowsB), "exact": message.Int(c.Exact),
		"swapped": message.Int(c.Swapped), "near": message.Int(c.Near),
		"note":   message.Nested(note),
		"passes": message.Nested(passes.With(message.Args{"a": message.Name(c.A), "b": message.Name(c.B)})),
	}
}

// The texts of the two facts for a pass: no shared rows, and few similar ones.
var (
	nothingShared = message.New("leakage.nothing_shared", "{b} and {a} have no rows in common")
	fewResemble   = message.New("leakage.few_resemble", "few rows of {b} resemble rows of {a}")
)

var moreOfFamily = message.New("leakage.family", ", {n} of a family that {a} has too")

var wantNear = message.New("want.near", "≤ {limit} near, 0 swapped")
