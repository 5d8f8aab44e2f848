package stage

import (
	"io"
	"path/filepath"
	"reflect"
	"testing"

	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler/rollout"
)

// A night draws another seed each time: its audit read other items every night.
func TestAnAuditDrawsByTheSeedOfTheItems(t *testing.T) {
	p := tinyProject(t)
	p.Config.Audit.Items = 3
	drawn := func(seed uint64, by *uint64) []rollout.Key {
		p.Inputs.Seed, p.Inputs.DrawnBy = seed, by
		dir := filepath.Join(t.TempDir(), "run")
		w, err := rollout.Create(dir, p.Manifest(dir), p.Inputs.Items, rollout.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		reward := 1.0
		for _, it := range p.Inputs.Items {
			if err := w.Append(&rollout.Record{Item: it.ID, Split: it.Split, Source: rollout.Live, Outcome: rollout.Graded, Reward: &reward, Answer: "a"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		run, err := rollout.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := auditPlan(t.Context(), p, &project.Invocation{Err: io.Discard}, run, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Items) == 0 || len(plan.Items) >= len(p.Inputs.Items) {
			t.Fatalf("%d of %d items are drawn", len(plan.Items), len(p.Inputs.Items))
		}
		return plan.Items
	}
	by, others := uint64(0), 0
	first := drawn(1, &by)
	for seed := range uint64(5) {
		if got := drawn(seed+2, &by); !reflect.DeepEqual(got, first) {
			t.Errorf("seed %d draws %v, want %v", seed+2, got, first)
		}
		if !reflect.DeepEqual(drawn(seed+2, nil), first) {
			others++
		}
	}
	if others == 0 {
		t.Error("without a seed of the items every seed draws the same")
	}
}
