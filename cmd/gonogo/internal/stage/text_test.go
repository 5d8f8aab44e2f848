package stage

import "testing"

func TestOneOfAThingIsNotMany(t *testing.T) {
	for got, want := range map[string]string{
		samplingStage.lacks(1):    "1 rollout is not made yet",
		samplingStage.lacks(1440): "1,440 rollouts are not made yet",
		gradingStage.lacks(1):     "1 output is not graded yet",
		auditStage.lacks(2):       "2 gradings are not made yet",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
