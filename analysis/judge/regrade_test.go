package judge_test

import (
	"fmt"
	"testing"

	"gonogo/analysis"
	"gonogo/sampler/rollout"
)

// Two grades g and h of one output have the variance (g-h)²/2. Item a: rewards
// 0 and 1, grades apart by 0.4 and 0; item b: rewards 0.5 and 1, grades apart by
// 0.2 and one single grade. Mean over three outputs: (0.08 + 0 + 0.02)/3; within
// items (0.5 + 0.125)/2.
func TestRegradesSplitTheVariance(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), []string{
		`{"item":"a","reward":0,"grades":[0,0.4]}`,
		`{"item":"a","reward":1,"grades":[1,1]}`,
		`{"item":"b","reward":0.5,"grades":[0.5,0.7]}`,
		`{"item":"b","reward":1,"grades":[1]}`,
	})
	const noise, within = 0.1 / 3, 0.3125
	v := r.Splits[rollout.Train].Variance
	near(t, "within", v.Within, within)
	near(t, "grader", v.Grader, noise)
	near(t, "sampling", v.Sampling, within-noise)
	near(t, "grader_share", v.GraderShare.Value, noise/within)
	near(t, "noise_var", r.Grader.NoiseVar.Value, noise)
	if v.GraderShare.N != 3 || *v.GraderShare.Low > noise/within || *v.GraderShare.High < noise/within {
		t.Errorf("grader_share is %+v", v.GraderShare)
	}
}

func TestWithoutRegradesGraderNoiseIsNotKnown(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), lines(ladder()))
	v := r.Splits[rollout.Train].Variance
	if v.Grader != nil || v.Sampling != nil || v.GraderShare.Known() || len(v.GraderShare.Warnings) == 0 {
		t.Errorf("variance is %+v, want no grader's part and the reason", v)
	}
	if e := r.Grader.NoiseVar; e.Known() || len(e.Warnings) == 0 {
		t.Errorf("noise_var is %+v, want none and the reason", e)
	}
}

func TestGradesThatDifferMoreThanRewards(t *testing.T) {
	var all []string
	for i := range 30 {
		for j := range 4 {
			all = append(all, fmt.Sprintf(`{"item":"q%d","reward":%g,"grades":[%g,1,0]}`, i, 0.4+0.1*float64(j%2), 0.4+0.1*float64(j%2)))
		}
	}
	e := analyze(t, analysis.DefaultSettings(), all).Splits[rollout.Train].Variance.GraderShare
	if !e.Known() || *e.Value != 1 || len(e.Warnings) == 0 {
		t.Errorf("grader_share is %+v, want 1 with a warning", e)
	}
}

func TestGradesOutsideTheRangeAreRefused(t *testing.T) {
	if _, err := tryAnalyze(t, analysis.DefaultSettings(), []string{`{"item":"a","reward":1,"grades":[1,1.5]}`}); err == nil {
		t.Error("a grade of 1.5 was read")
	}
}

// A run that lost its only regraded output to a later attempt has no noise to show.
func TestARegradedOutputThatIsReplaced(t *testing.T) {
	r := analyze(t, analysis.DefaultSettings(), []string{
		`{"item":"a","sample":0,"reward":0.5,"grades":[0.5,1]}`,
		`{"item":"a","sample":1,"reward":0.25}`,
		`{"item":"a","sample":0,"attempt":1,"reward":0.5}`,
	})
	if g := r.Grader; g.Moved != nil {
		t.Errorf("noise moved %+v, of no output that was graded twice", g.Moved)
	}
}
