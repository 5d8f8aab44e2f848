package gate

import (
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/sampler/rollout"
)

var noItems = message.New("skip.no_items", "the run has no items with their rows (items.jsonl)")

// withRow adds a row to those that a finding lists, up to the maximum.
func withRow(j *analysis.Judgement, text message.Text, items ...string) {
	if len(j.Rows) >= analysis.MaxItemsListed ||
		slices.ContainsFunc(j.Rows, func(t message.Text) bool { return t.String() == text.String() }) {
		return
	}
	j.Rows = append(j.Rows, text)
	for _, item := range items {
		if !slices.Contains(j.Items, item) {
			j.Items = append(j.Items, item)
		}
	}
}

// pairText names two rows in one line.
func pairText(aSplit rollout.Split, a string, bSplit rollout.Split, b string) message.Text {
	if aSplit == bSplit {
		return pairWithin.With(message.Args{"split": message.Name(aSplit), "a": message.Name(a), "b": message.Name(b)})
	}
	return pairAcross.With(message.Args{
		"split_a": message.Name(aSplit), "a": message.Name(a),
		"split_b": message.Name(bSplit), "b": message.Name(b),
	})
}

// kindOf holds the words for the kinds of flawed rows and of leaks.
var kindOf = map[string]message.Def{
	string(shift.ExactLeak):   message.New("kind.exact", "exact"),
	string(shift.FamilyLeak):  message.New("kind.family", "family"),
	string(shift.SwappedLeak): message.New("kind.swapped", "swapped"),
	string(shift.NearLeak):    message.New("kind.near", "near"),
	string(shift.Empty):       message.New("kind.empty", "empty"),
	string(shift.Constant):    message.New("kind.constant", "constant"),
	string(shift.Truncated):   message.New("kind.truncated", "truncated"),
}

var (
	pairIs     = message.New("phrase.pair_is", "{pair} ({what})")
	pairWithin = message.New("phrase.pair_within", "{split} {a} and {b}")
	pairAcross = message.New("phrase.pair_across", "{split_a} {a} and {split_b} {b}")
)

// leakedPairs lists the pairs of some kinds between two splits.
func leakedPairs(sh *analysis.Shift, j *analysis.Judgement, c analysis.Crossing, kinds ...shift.LeakKind) {
	for _, kind := range kinds {
		for _, p := range sh.Leakage {
			if p.ASplit == c.A && p.BSplit == c.B && p.Kind == kind {
				withRow(j,
					pairIs.With(message.Args{
						"pair": message.Nested(pairText(p.ASplit, p.A, p.BSplit, p.B)),
						"what": message.Nested(kindOf[string(kind)].Text()),
					}), p.A, p.B)
			}
		}
	}
}
