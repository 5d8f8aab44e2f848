package rollout

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// Samples may come in any order, with gaps, and again with a higher attempt.
func TestSamplesInAnyOrderCountOnce(t *testing.T) {
	var lines strings.Builder
	order := []int{7, 100, 0, 3_000_000_000, 101, 12, 20, 28, 36, 44, 52, 60, 68, 76, 84, 92, 1, 2}
	for attempt := range 2 {
		for _, sample := range order {
			fmt.Fprintf(&lines, `{"item":"q","sample":%d,"attempt":%d,"reward":%d}`+"\n", sample, attempt, attempt)
		}
	}
	repeated := lines.String() + lines.String()
	last := make(map[int]float64)
	in, err := Read(context.Background(), "r", strings.NewReader(repeated), ReadOptions{}, func(r *Record) error {
		last[r.Sample] = *r.Reward
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if in.Records != len(order) || in.Superseded != len(order) || in.Duplicates != 2*len(order) {
		t.Errorf("%d records, %d superseded, %d duplicates", in.Records, in.Superseded, in.Duplicates)
	}
	for _, sample := range order {
		if last[sample] != 1 {
			t.Errorf("sample %d has the reward %g of an earlier attempt", sample, last[sample])
		}
	}
}
