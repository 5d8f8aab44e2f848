package sampler

import (
	"reflect"
	"testing"
	"time"

	"gonogo/sampler/rollout"
)

// Leaks of the rounds before the last were forgotten.
func TestStatsOfRoundsAddUp(t *testing.T) {
	one := Stats{Rollouts: 3, Recorded: 2, Outcomes: map[rollout.Outcome]int{rollout.Graded: 2}, Tokens: 5, Leaking: 1, LeftOpen: 1, Elapsed: time.Second, Ungraded: "then"}
	two := Stats{Rollouts: 4, Recorded: 4, Outcomes: map[rollout.Outcome]int{rollout.Graded: 3, "tool": 1}, Retries: map[string]int{"model": 2}, Tokens: 6, Elapsed: time.Minute, StoppedBy: StoppedByDrain}
	want := Stats{
		Rollouts: 7, Recorded: 6, Outcomes: map[rollout.Outcome]int{rollout.Graded: 5, "tool": 1}, Retries: map[string]int{"model": 2},
		Tokens: 11, Leaking: 1, LeftOpen: 1, Elapsed: time.Minute + time.Second, StoppedBy: StoppedByDrain,
	}
	if got := one.Plus(two); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if one.Outcomes[rollout.Graded] != 2 || two.Outcomes[rollout.Graded] != 3 {
		t.Error("the parts were changed")
	}
}
