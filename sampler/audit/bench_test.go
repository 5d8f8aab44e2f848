package audit

import (
	"context"
	"fmt"
	"testing"

	"gonogo/sampler/rollout"
)

// BenchmarkPlan plans an audit of a large run: 20,000 items with eight rollouts
// each.
func BenchmarkPlan(b *testing.B) {
	var items []rollout.Item
	var records []*rollout.Record
	for i := range 20_000 {
		it := referring(b, fmt.Sprint("q", i), fmt.Sprint(100+i, " EUR million"))
		items = append(items, it)
		for sample := range 8 {
			records = append(records, graded(it.ID, sample, fmt.Sprintf("I looked it up: it is %d EUR million.", 100+i+sample/6), float64(sample%2)))
		}
	}
	in := Input{Seed: 1, Items: items, Records: reading(records), Probes: Probes(), Range: [2]float64{0, 1}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewPlan(context.Background(), DefaultConfig(), in); err != nil {
			b.Fatal(err)
		}
	}
}
