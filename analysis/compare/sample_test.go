package compare_test

import (
	"fmt"
	"testing"

	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

func TestOneOutputOfEachItemIsGradedAgain(t *testing.T) {
	lines := []string{
		`{"item":"a","split":"eval","sample":1,"reward":1,"answer":"second"}`,
		`{"item":"a","split":"eval","sample":0,"reward":0,"answer":"first"}`,
		`{"item":"a","split":"train","sample":0,"reward":0,"answer":"of train"}`,
		`{"item":"b","split":"eval","sample":0,"outcome":"tool","error":"503"}`,
		`{"item":"b","split":"eval","sample":1,"reward":1,"answer":"graded"}`,
	}
	for i := range 100 {
		lines = append(lines, fmt.Sprintf(`{"item":"more-%d","split":"eval","sample":0,"reward":1,"answer":"x"}`, i))
	}
	run := opened(t, lines)
	got, err := compare.SampleOutputs(t.Context(), run, rollout.Eval)
	if err != nil || len(got) != 60 || got[0].Answer != "first" || got[1].Answer != "graded" {
		t.Errorf("%d outputs, %v: %+v", len(got), err, got[:min(2, len(got))])
	}
}
