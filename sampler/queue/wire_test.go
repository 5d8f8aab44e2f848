package queue

import (
	"encoding/json"
	"reflect"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// A worker shows the model what the planner would.
func TestJobsArriveAsTheyWere(t *testing.T) {
	row := json.RawMessage(`{"messages":[{"role":"user","content":"Who?\n"}],"tools":[{"type":"function","function":{"name":"look"}}],"answer":1.50}`)
	it := rollout.Item{ID: "q/1 ü", Split: rollout.Train, Category: "a", Row: row}
	if err := it.Decode(); err != nil {
		t.Fatal(err)
	}
	prompted, offered, bare := it, it, it
	prompted.Messages = append([]rollout.Message{{Role: "system", Content: "Beware."}}, it.Messages...)
	offered.Tools = json.RawMessage(`[{"type":"function","function":{"name":"found"}}]`)
	bare.Messages, bare.Tools = nil, nil
	for _, c := range []struct {
		why string
		it  rollout.Item
	}{
		{"as its row has it", it},
		{"with a variant's prompt", prompted},
		{"with a server's tools", offered},
		{"with neither", bare},
		{"without a row", rollout.Item{ID: "a", Split: rollout.Eval, Messages: it.Messages}},
	} {
		b, err := encodeJob(sampler.Rollout{Item: &c.it, Sample: 3, Attempt: 1})
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeJob(b)
		if err != nil || got.Sample != 3 || got.Attempt != 1 || string(got.Item.Row) != string(c.it.Row) {
			t.Errorf("%s: %+v, %v", c.why, got, err)
			continue
		}
		if len(got.Item.Messages) != len(c.it.Messages) || len(c.it.Messages) > 0 && !reflect.DeepEqual(got.Item.Messages, c.it.Messages) || string(got.Item.Tools) != string(c.it.Tools) {
			t.Errorf("%s: messages %v, tools %s", c.why, got.Item.Messages, got.Item.Tools)
		}
	}
}
