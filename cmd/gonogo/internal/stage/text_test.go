package stage

import (
	"testing"

	"gonogo/cmd/gonogo/internal/ui"
)

func TestOneOfAThingIsNotMany(t *testing.T) {
	for got, want := range map[string]string{
		ui.Count(1, "tool call"):    "1 tool call",
		ui.Count(1200, "tool call"): "1,200 tool calls",
		ui.Count(0, "rollout"):      "0 rollouts",
		ui.Tokens(1):                "1 token",
		samplingStage.lacks(1):      "1 rollout is not made yet",
		samplingStage.lacks(1440):   "1,440 rollouts are not made yet",
		gradingStage.lacks(1):       "1 output is not graded yet",
		auditStage.lacks(2):         "2 gradings are not made yet",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
