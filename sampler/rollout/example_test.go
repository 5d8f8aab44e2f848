package rollout_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"gonogo/sampler/rollout"
)

func ExampleRead() {
	lines := `{"item":"q1","reward":0.5}
{"item":"q1","reward":1}
{"item":"q2","reward":NaN}
{"item":"q2","rew`
	in, err := rollout.Read(context.Background(), "rollouts.jsonl", strings.NewReader(lines), rollout.ReadOptions{}, func(r *rollout.Record) error {
		reward, ok := r.Score(0)
		fmt.Println(r.Item, r.Sample, r.Outcome, reward, ok)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(in.Records, "records,", in.Torn, "torn")
	for _, bad := range in.Bad {
		fmt.Printf("line %d: %s\n", bad.Line, bad.Why)
	}
	// Output:
	// q1 0 graded 0.5 true
	// q1 1 graded 1 true
	// q2 0 grader 0 false
	// 3 records, 1 torn
	// line 3: reward is NaN: read as outcome grader, a missing grade
}
