package reported

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonogo/sampler/rollout"
)

// What is kept in a record comes back from its line.
func TestRewardsInALine(t *testing.T) {
	for _, rewards := range [][]float64{{0}, {0.25, -1.5, 1e9}} {
		r := &rollout.Record{Item: "q", Outcome: rollout.Graded}
		Set(r, rewards)
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var again rollout.Record
		if err := json.Unmarshal(line, &again); err != nil {
			t.Fatal(err)
		}
		if got := Of(&again); !slices.Equal(got, rewards) {
			t.Errorf("%s holds %v, want %v", line, got, rewards)
		}
	}
}

// Rewards that were not reported, and those that another program wrote otherwise, are none.
func TestNoRewards(t *testing.T) {
	r := &rollout.Record{}
	Set(r, nil)
	Set(r, []float64{math.NaN()})
	if r.Extra != nil || Of(r) != nil {
		t.Errorf("a record without rewards holds %s", r.Extra)
	}
	for _, text := range []string{`null`, `[]`, `"1"`, `[null,"x"]`, `{}`, `0.5`} {
		r := &rollout.Record{Extra: map[string]json.RawMessage{key: json.RawMessage(text)}}
		if got := Of(r); got != nil {
			t.Errorf("%s is %v", text, got)
		}
	}
}
