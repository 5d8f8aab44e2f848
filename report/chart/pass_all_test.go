package chart

import (
	"slices"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// pass^k has a line of its own where it is not the worst of k, and always a column.
func TestAllRightIsDrawnWhereItDiffersFromTheWorst(t *testing.T) {
	r := reporttest.Load(t, "go")
	s := r.Splits[rollout.Train]
	with := func(change float64) Figure {
		s.PassAll = slices.Clone(s.WorstOf)
		for i := range s.PassAll {
			s.PassAll[i].Estimate = stat.Estimate{Value: new(max(0, *s.WorstOf[i].Value-change))}
		}
		f, err := drawBestOfK(r, rollout.Train, s)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	line := func(f Figure) bool {
		return slices.ContainsFunc(f.Legend, func(e Entry) bool { return e.Label == "pass^k, all k right" })
	}
	column := func(f Figure) bool { return slices.Contains(f.Table.Head, "pass^k") }
	if f := with(0); line(f) || !column(f) {
		t.Errorf("equal to the worst of k: a line %v, a column %v", line(f), column(f))
	}
	if f := with(0.1); !line(f) || !column(f) {
		t.Errorf("other than the worst of k: a line %v, a column %v", line(f), column(f))
	}
	r.RewardRange = [2]float64{-1, 1}
	if f := with(0.1); line(f) || !column(f) {
		t.Errorf("rewards from -1: a line %v, a column %v", line(f), column(f))
	}
	s.PassAll = []analysis.AtK{}
	if f, err := drawBestOfK(r, rollout.Train, s); err != nil || column(f) {
		t.Errorf("no pass^k: a column %v, %v", column(f), err)
	}
}
