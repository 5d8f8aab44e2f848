package measure

import (
	"math"
	"slices"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

func TestPlanOfLooks(t *testing.T) {
	tests := []struct {
		name        string
		most, group int
		want        []int
	}{
		{"an eighth of the most at a time, from four samples", 16, 8, []int{4, 6, 8, 10, 12, 14, 16}},
		{"few samples are looked at one by one", 8, 8, []int{4, 5, 6, 7, 8}},
		{"a group of two needs two", 4, 2, []int{2, 3, 4}},
		{"fewer samples than a verdict takes: one look", 3, 8, []int{3}},
		{"one sample", 1, 8, []int{1}},
		{"eighths are rounded up", 20, 8, []int{5, 8, 10, 13, 15, 18, 20}},
	}
	for _, test := range tests {
		s := analysis.DefaultSettings()
		s.GroupSize = test.group
		plan := PlanLooks(test.most, s)
		if !slices.Equal(plan.At, test.want) {
			t.Errorf("%s: %v, want %v", test.name, plan.At, test.want)
		}
		if last := plan.At[len(plan.At)-1]; last != test.most {
			t.Errorf("%s: the last look is at %d", test.name, last)
		}
	}
}

// All looks of a plan together reject a true threshold as often as one interval
// of the plan's confidence, by the boundaries alone.
func TestLooksSpendTheErrorOfOne(t *testing.T) {
	plan := PlanLooks(16, analysis.DefaultSettings())
	var times, z []float64
	before := 1.0
	for _, n := range plan.At {
		conf := ConfidenceAtLook(plan, n)
		if conf <= 0.95 || conf >= before {
			t.Errorf("at %d samples the confidence is %g, after %g: it falls from look to look and stays above 0.95", n, conf, before)
		}
		before = conf
		low, high := 0.0, 8.0
		for range 60 {
			if middle := (low + high) / 2; stat.ConfidenceAt(middle) < conf {
				low = middle
			} else {
				high = middle
			}
		}
		times, z = append(times, float64(n)/16), append(z, low)
	}
	if got := stat.Crossing(times, z); math.Abs(got-0.05) > 1e-5 {
		t.Errorf("the looks together err in %g, want 0.05", got)
	}
	if between, look := ConfidenceAtLook(plan, 7), ConfidenceAtLook(plan, 6); between != look {
		t.Errorf("between looks the confidence is %g, not that of the look before, %g", between, look)
	}
	if early, first := ConfidenceAtLook(plan, 1), ConfidenceAtLook(plan, 4); early != first {
		t.Errorf("before the first look the confidence is %g, not that of the first, %g", early, first)
	}
}

// The audit of the grader is judged once, however often rollouts are looked at.
func TestLooksWidenTheIntervalsOfRolloutsAlone(t *testing.T) {
	judged := func(looks *rollout.Looks) *analysis.Result {
		r := new(analysis.Result)
		s := analysis.DefaultSettings()
		rolled, told, err := atLook(s, &rollout.Manifest{Looks: looks})
		if err != nil {
			t.Fatal(err)
		}
		r.Confidence, r.Looks = rolled.Confidence, told
		return r
	}
	fixed, looked := judged(nil), judged(PlanLooks(16, analysis.DefaultSettings()))
	if fixed.Confidence != 0.95 || fixed.AuditConfidence() != 0.95 || fixed.Looks != nil {
		t.Errorf("a fixed run is judged at %g and %g", fixed.Confidence, fixed.AuditConfidence())
	}
	if looked.Confidence <= 0.95 || looked.AuditConfidence() != 0.95 {
		t.Errorf("a run that is looked at is judged at %g, its audit at %g", looked.Confidence, looked.AuditConfidence())
	}
}

func TestAPlanOfAnUnknownRuleIsRefused(t *testing.T) {
	for name, plan := range map[string]*rollout.Looks{
		"another rule": {Rule: "pocock", At: []int{4, 8}}, "no looks": {Rule: looksRule}, "falling": {Rule: looksRule, At: []int{8, 4}},
		"none at all": {Rule: looksRule, At: []int{0, 4}},
	} {
		if _, _, err := atLook(analysis.DefaultSettings(), &rollout.Manifest{Looks: plan}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
