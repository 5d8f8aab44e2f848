package sampler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// echoModel answers with the last word of the item's question.
type echoModel struct{}

func (echoModel) Reply(_ context.Context, req sampler.Request) (sampler.Reply, error) {
	words := strings.Fields(req.Item.Messages[0].Content)
	return sampler.Reply{Text: words[len(words)-1], Final: true}, nil
}

// referenceGrader gives 1 for the answer in the item's field "answer".
type referenceGrader struct{}

func (referenceGrader) Grade(_ context.Context, out sampler.Output) (sampler.Grade, error) {
	var row struct{ Answer string }
	if err := json.Unmarshal(out.Item.Row, &row); err != nil {
		return sampler.Grade{}, err
	}
	if out.Text == row.Answer {
		return sampler.Grade{Reward: 1}, nil
	}
	return sampler.Grade{}, nil
}

func ExampleSample() {
	items := []rollout.Item{
		{ID: "sky", Split: rollout.Train, Row: json.RawMessage(`{"messages":[{"role":"user","content":"Which is blue: grass or sky"}],"answer":"sky"}`)},
		{ID: "sea", Split: rollout.Train, Row: json.RawMessage(`{"messages":[{"role":"user","content":"Which is wet: sea or sand"}],"answer":"sea"}`)},
	}
	for i := range items {
		if err := items[i].Decode(); err != nil {
			panic(err)
		}
	}
	rewards := map[string][]float64{}
	stats, err := sampler.Sample(context.Background(), sampler.SampleOptions{
		Config:     sampler.DefaultConfig(),
		Seed:       1,
		Rollouts:   sampler.Plan(items, map[rollout.Split]int{rollout.Train: 2}, nil),
		Boundaries: sampler.Boundaries{Model: echoModel{}, Grader: referenceGrader{}},
		Sink: sampler.SinkFunc(func(r *rollout.Record) error { // one call at a time
			rewards[r.Item] = append(rewards[r.Item], *r.Reward)
			return nil
		}),
	})
	fmt.Println(stats.Rollouts, "rollouts, error:", err)
	fmt.Println("sky", rewards["sky"], "sea", rewards["sea"])
	// Output:
	// 4 rollouts, error: <nil>
	// sky [1 1] sea [0 0]
}
