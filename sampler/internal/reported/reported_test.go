package reported

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"gonogo/sampler/rollout"
)

// What is kept in a record comes back from its line.
func TestRewardsInALine(t *testing.T) {
	for _, w := range []Reward{
		{Rewards: []float64{0}},
		{Rewards: []float64{0.25, -1.5, 1e9}},
		{Rewards: []float64{0.5}, Parts: map[string]float64{"style": 0.5, "length": -1}},
		{Kind: "not_a_number", Error: "the environment gave nan"},
	} {
		r := &rollout.Record{Item: "q", Outcome: rollout.Graded}
		Set(r, w)
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var again rollout.Record
		if err := json.Unmarshal(line, &again); err != nil {
			t.Fatal(err)
		}
		if got := Of(&again); !reflect.DeepEqual(got, w) || !got.Known() {
			t.Errorf("%s holds %v, want %v", line, got, w)
		}
	}
}

// Rewards that were not reported, and those that another program wrote otherwise, are none.
func TestNoRewards(t *testing.T) {
	r := &rollout.Record{}
	Set(r, Reward{})
	Set(r, Reward{Rewards: []float64{math.NaN()}})
	if r.Extra != nil || Of(r).Known() {
		t.Errorf("a record without rewards holds %s", r.Extra)
	}
	for _, text := range []string{`null`, `[]`, `"1"`, `[null,"x"]`, `{}`, `0.5`} {
		r := &rollout.Record{Extra: map[string]json.RawMessage{
			keyRewards: json.RawMessage(text), keyFailure: json.RawMessage(text), keyParts: json.RawMessage(text),
		}}
		if got := Of(r); got.Known() {
			t.Errorf("%s is %v", text, got)
		}
	}
}
