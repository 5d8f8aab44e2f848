package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"gonogo/sampler/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newItem is an item with a row of a question and further fields.
func newItem(t testing.TB, id, question string, fields map[string]any) rollout.Item {
	t.Helper()
	row := map[string]any{"messages": []any{map[string]any{"role": "user", "content": question}}}
	for k, v := range fields {
		row[k] = v
	}
	raw, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	it := rollout.Item{ID: id, Split: rollout.Train, Row: raw}
	if err := it.Decode(); err != nil {
		t.Fatal(err)
	}
	return it
}

// referring is an item with a reference.
func referring(t testing.TB, id, reference string) rollout.Item {
	t.Helper()
	return newItem(t, id, "What is the answer to "+id+"?", map[string]any{"reference_answer": reference})
}

// graded is a recorded rollout.
func graded(item string, sample int, answer string, reward float64) *rollout.Record {
	return &rollout.Record{
		Item: item, Split: rollout.Train, Sample: sample, Source: rollout.Live, Outcome: rollout.Graded, Answer: answer, Reward: &reward,
		TraceID: fmt.Sprintf("trace_%s_%d", item, sample),
	}
}

// reading hands records out as a run does: lean ones without what a lean
// reading leaves out.
func reading(records []*rollout.Record) func(context.Context, rollout.ReadOptions, func(*rollout.Record) error) (rollout.Input, error) {
	return func(_ context.Context, opt rollout.ReadOptions, yield func(*rollout.Record) error) (rollout.Input, error) {
		for _, r := range records {
			c := *r
			if opt.Lean {
				c.Messages = nil
				c.Calls = slices.Clone(r.Calls)
				for i := range c.Calls {
					c.Calls[i].Output = ""
				}
			}
			if err := yield(&c); err != nil {
				return rollout.Input{}, err
			}
		}
		return rollout.Input{}, nil
	}
}

// probeNamed finds a built-in probe.
func probeNamed(t testing.TB, name string) Probe {
	t.Helper()
	i := slices.IndexFunc(Probes(), func(p Probe) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("there is no probe %s", name)
	}
	return Probes()[i]
}

// planOf plans with every built-in probe.
func planOf(t testing.TB, cfg Config, in Input) *Plan {
	t.Helper()
	if in.Probes == nil {
		in.Probes = Probes()
	}
	in.Range = [2]float64{0, 1}
	p, err := NewPlan(context.Background(), cfg, in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// recordsOf are the records that a plan would have graded, by name.
func recordsOf(t testing.TB, p *Plan) map[string]*rollout.Record {
	t.Helper()
	records := map[string]*rollout.Record{}
	for task, err := range p.Tasks() {
		if err != nil {
			t.Fatal(err)
		}
		id := idOf(task.Record).String()
		if records[id] != nil {
			t.Fatalf("two payloads have the name %s", id)
		}
		records[id] = task.Record
	}
	return records
}

// shareItem asks for a share, so every rewrite of numbers applies.
func shareItem() *rollout.Item {
	return &rollout.Item{ID: "q", Split: rollout.Train, Messages: []rollout.Message{{Role: "user", Content: "Which share is it?"}}}
}
