package audit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// trained is five items with eight rollouts at each of the steps, whose answers name the
// step; right ones at even samples.
func trained(t testing.TB, steps ...int) ([]rollout.Item, []*rollout.Record) {
	t.Helper()
	var items []rollout.Item
	var records []*rollout.Record
	for i := range 5 {
		it := referring(t, fmt.Sprint("q", i), fmt.Sprint(100+7*i))
		items = append(items, it)
		for _, step := range steps {
			for sample := range 8 {
				answer, reward := fmt.Sprintf("no idea at step %d, sample %d", step, sample), 0.0
				if sample%2 == 0 {
					answer, reward = fmt.Sprintf("after step %d, sample %d: %d", step, sample, 100+7*i), 1
				}
				r := graded(it.ID, sample, answer, reward)
				r.Step, r.TraceID = step, fmt.Sprintf("trace_%s_%d_%d", it.ID, step, sample)
				records = append(records, r)
			}
		}
	}
	return items, records
}

// Rollouts of several steps were once pooled, and of one sample those of one step alone
// counted.
func TestStepsAreAuditedApart(t *testing.T) {
	items, records := trained(t, 0, 20)
	d, err := RegexDetector("idle", "no idea", "no idea", true)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Seed: 1, Items: items, Records: reading(records), Grader: "abc", Detectors: []Detector{d}}
	cfg := Config{Regrades: 100}
	p := planOf(t, cfg, in)
	if len(p.Items) != 10 {
		t.Errorf("items are %v", p.Items)
	}
	if p.References[0].Items != 5 {
		t.Errorf("references are %+v", p.References)
	}
	of := make(map[rollout.Key]*rollout.Record)
	for _, r := range records {
		of[r.Key()] = r
	}
	regraded := 0
	for id, r := range recordsOf(t, p) {
		if strings.Contains(id, "/step-20/") != (r.Step == 20) || strings.Contains(id, "/step-0/") {
			t.Errorf("%s is of step %d", id, r.Step)
		}
		if b := r.Probe.Base; b != nil {
			base := of[rollout.Key{Split: r.Split, Item: r.Item, Sample: b.Sample, Step: r.Step}]
			if base == nil || *b.Reward != *base.Reward {
				t.Errorf("%s is made from %+v", id, b)
			}
		}
		if r.Probe.Name == rollout.ProbeRegrade {
			if regraded++; r.Answer != of[r.Key()].Answer || r.TraceID != of[r.Key()].TraceID {
				t.Errorf("%s grades %q again", id, r.Answer)
			}
		}
	}
	if regraded != len(records) {
		t.Errorf("%d of %d outputs are graded again", regraded, len(records))
	}
	marked := make(map[rollout.Key]bool)
	for task, err := range p.Marks(context.Background(), d) {
		if err != nil {
			t.Fatal(err)
		}
		r := task.Record
		if marked[r.Key()] = true; r.Answer != of[r.Key()].Answer || task.Item.ID != r.Item {
			t.Errorf("%v is marked by %q", r.Key(), r.Answer)
		}
		reward := 1.0
		if r.Outcome, r.Reward = rollout.Graded, &reward; !p.Keep(r) {
			t.Errorf("the mark of %v is not kept", r.Key())
		}
	}
	if len(marked) != len(records) || p.Todo().Marks != 0 {
		t.Errorf("%d of %d rollouts are marked, %d to do", len(marked), len(records), p.Todo().Marks)
	}
}

func TestTraceIDsDifferByStepAlone(t *testing.T) {
	traces := func(steps ...int) map[string]string {
		items, records := trained(t, steps...)
		all := make(map[string]string)
		for id, r := range recordsOf(t, planOf(t, Config{Skip: []string{rollout.ProbeRegrade}}, Input{Seed: 1, Items: items, Records: reading(records)})) {
			all[id] = r.TraceID
		}
		return all
	}
	both, first := traces(0, 20), traces(0)
	seen := make(map[string]string)
	for id, trace := range both {
		if seen[trace] != "" {
			t.Errorf("%s and %s have one trace id", id, seen[trace])
		}
		if seen[trace] = id; first[id] != "" && first[id] != trace {
			t.Errorf("%s has another trace id beside step 20", id)
		}
	}
}

// Step 0 without rollouts is no item of its own.
func TestALaterStepAlone(t *testing.T) {
	items, records := trained(t, 7)
	p := planOf(t, Config{}, Input{Seed: 1, Items: items, Records: reading(records), Labels: []rollout.Label{
		{Item: "q1", Output: "one"}, {Item: "q1", Step: 7, Output: "two"}, {Item: "q1", Step: 8, Output: "three"},
	}})
	if len(p.Items) != 5 || p.Items[0].Step != 7 {
		t.Errorf("items are %v", p.Items)
	}
	got := make(map[string]string)
	for id, r := range recordsOf(t, p) {
		if r.Probe.Name == rollout.ProbeLabel {
			got[id] = r.Answer
		}
	}
	if d := cmp.Diff(map[string]string{"label/train/q1/step-7/0": "one", "label/train/q1/step-7/1": "two"}, got); d != "" {
		t.Errorf("labels (-want +got):\n%s", d)
	}
	_, records = trained(t, 7, 9)
	if unlisted := planOf(t, Config{}, Input{Seed: 1, Records: reading(records)}); len(unlisted.Items) != 10 || len(unlisted.References) != 1 || unlisted.References[0].Items != 5 {
		t.Errorf("of rollouts alone: %v, %+v", unlisted.Items, unlisted.References)
	}
}

func TestReplayOfAStep(t *testing.T) {
	dir := t.TempDir()
	items, records := trained(t, 0, 20)
	for _, r := range records {
		r.Messages = []rollout.Message{{Role: "assistant", Content: r.Answer, Reasoning: fmt.Sprint("thought at step ", r.Step)}}
	}
	run := runOf(t, dir, items, records)
	audit(t, run, planRun(t, run, "h"), endpointOf(t, hackable))
	probes, err := os.ReadFile(filepath.Join(dir, rollout.ProbesFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []int{0, 20} {
		id := idOf(&rollout.Record{Item: "q2", Split: rollout.Train, Step: step, Probe: &rollout.ProbeInfo{Name: rollout.ProbeRegrade}})
		again, err := ParseID(id.String())
		if err != nil || again != id {
			t.Fatalf("%s reads as %+v, %v", id, again, err)
		}
		task, _, err := Find(context.Background(), run, again, 0)
		if err != nil {
			t.Fatal(err)
		}
		if task.Item == nil || task.Record.Step != step || !slices.ContainsFunc(task.Record.Messages, func(m rollout.Message) bool {
			return m.Reasoning == fmt.Sprint("thought at step ", step)
		}) {
			t.Errorf("%s is replayed as %+v of %+v", id, task.Record, task.Item)
		}
	}
	if n := strings.Count(string(probes), `"step":20`); n == 0 {
		t.Error("no payload names its step")
	}
}
