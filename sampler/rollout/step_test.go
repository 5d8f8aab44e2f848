package rollout

import "testing"

func TestCutStep(t *testing.T) {
	for shown, want := range map[string]Key{
		"q1/step-0":         {Item: "q1"},
		"q1/step-20":        {Item: "q1", Step: 20},
		"q1/step-1/step-20": {Item: "q1/step-1", Step: 20},
	} {
		if item, step, ok := CutStep(shown); !ok || item != want.Item || step != want.Step || want.ItemAtStep() != shown {
			t.Errorf("%q is step %d of %q, %v", shown, step, item, ok)
		}
	}
	for _, shown := range []string{"q1", "q1/step-", "q1/step-x", "q1/step--1", "q1/step-+1", "q1/step-01", "q1/step-1/", ""} {
		if item, step, ok := CutStep(shown); ok {
			t.Errorf("%q is step %d of %q", shown, step, item)
		}
	}
}
