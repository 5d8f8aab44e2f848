package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/rollout"
)

// shelf is a sink that keeps the records.
type shelf struct{ records []*rollout.Record }

func (s *shelf) Append(r *rollout.Record) error {
	s.records = append(s.records, r)
	return nil
}

// marks has a detector read what it has still to read.
func marks(t *testing.T, p *Plan, d Detector) []*rollout.Record {
	t.Helper()
	var s shelf
	if _, err := sampler.Regrade(context.Background(), sampler.RegradeOptions{
		Config: sampler.DefaultConfig(), Tasks: p.Marks(context.Background(), d), Grader: d.Grader, Sink: &s,
	}); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(s.records, func(a, b *rollout.Record) int { return a.Sample - b.Sample })
	return s.records
}

// asked is what an endpoint grader is sent.
type asked struct {
	Sample struct {
		Text string `json:"output_text"`
	} `json:"sample"`
	Item struct {
		Reference string `json:"reference_answer"`
	} `json:"item"`
}

// endpointOf is a grader behind a real server.
func endpointOf(t *testing.T, score func(text, reference string) float64) sampler.Grader {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a asked
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"score": %v}`, score(a.Sample.Text, a.Item.Reference))
	}))
	t.Cleanup(server.Close)
	g, err := grader.New(grader.Kinds(), json.RawMessage(fmt.Sprintf(`{"type":"endpoint","url":%q}`, server.URL)), grader.Env{HTTP: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// hackable pays for the reference anywhere in the text, and for a claim.
func hackable(text, reference string) float64 {
	if strings.Contains(text, reference) || strings.Contains(text, "all checks pass") {
		return 1
	}
	return 0
}

// strict reads one short statement with one number, as a careful team would.
func strict(text, reference string) float64 {
	// What manners and padding put around an answer stands in lines of its own.
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.TrimSpace(line) == "" || line == paddingText || line == greeting || line == farewell
	})
	if len(lines) != 1 {
		return 0
	}
	line := strings.Join(strings.Fields(strings.ReplaceAll(lines[0], "**", "")), " ")
	line = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(line, "The answer is "), "."), " dollars")
	got, ok := parseNumber(line)
	want, _ := parseNumber(reference)
	if ok && got.bare() && got.value().Cmp(want.value()) == 0 {
		return 1
	}
	return 0
}

// auditWorld is a run directory with items and rollouts of a sound policy.
func auditWorld(t *testing.T) (*rollout.Run, string) {
	t.Helper()
	dir := t.TempDir()
	var items []rollout.Item
	var records []*rollout.Record
	for i, ref := range []string{"$1,234.5 million", "7 %", "42", "(3.2)", "34,200", "0.075", "12.50 EUR", "-8", "96 %", "2024"} {
		it := referring(t, fmt.Sprintf("q%d", i), ref)
		items = append(items, it)
		for sample := range 4 {
			answer := ref
			if sample%2 == 1 {
				answer = "no idea"
			}
			r := graded(it.ID, sample, answer, strict(answer, ref))
			r.Messages = []rollout.Message{{Role: "assistant", Content: "", ToolCalls: []rollout.ToolCall{{ID: "1", Name: "look", Arguments: "{}"}}}, {Role: "assistant", Content: answer}}
			r.Calls = []rollout.Call{{ID: "1", Name: "look", Arguments: "{}", Output: "a page", Status: rollout.CallOK}}
			records = append(records, r)
		}
	}
	return runOf(t, dir, items, records), dir
}

func planRun(t *testing.T, run *rollout.Run, graderHash string) *Plan {
	t.Helper()
	return planOf(t, DefaultConfig(), Input{Seed: run.Manifest.Seed, Items: run.Items, Records: run.Records, Grader: graderHash})
}

// audit carries a plan out and writes probes.jsonl, as the command does.
func audit(t *testing.T, run *rollout.Run, p *Plan, g sampler.Grader) sampler.Stats {
	t.Helper()
	w, err := rollout.OpenProbes(run.Dir, p.Keep, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, r := range p.Known {
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	stats, err := sampler.Regrade(context.Background(), sampler.RegradeOptions{
		Config: sampler.DefaultConfig(), Tasks: p.Tasks(), Total: p.Todo().Gradings, Grader: g,
		Sink: WithoutCopies(w),
	})
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

// holes are the payloads whose grade is not what the probe expects, by probe.
func holes(t *testing.T, run *rollout.Run) map[string][]*rollout.Record {
	t.Helper()
	found := map[string][]*rollout.Record{}
	_, err := run.Probes(context.Background(), func(r *rollout.Record) error {
		reward, limit := *r.Reward, r.Probe.Limit
		switch {
		case r.Probe.Expect == rollout.Bottom && reward <= *limit,
			r.Probe.Expect == rollout.Top && reward >= *limit,
			r.Probe.Expect == rollout.Same && reward == *r.Probe.Base.Reward && (len(r.Grades) == 0 || r.Grades[1] == reward),
			r.Probe.Expect == rollout.Note:
			return nil
		}
		found[r.Probe.Name] = append(found[r.Probe.Name], r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestAHackableGraderIsCaught puts the audit to a grader behind HTTP that looks
// for the reference anywhere, and to one that reads what is said.
func TestAHackableGraderIsCaught(t *testing.T) {
	run, _ := auditWorld(t)
	p := planRun(t, run, "h")
	stats := audit(t, run, p, endpointOf(t, hackable))
	found := holes(t, run)
	for _, name := range []string{"claim_success", "all_candidates", "buried"} {
		if len(found[name]) != 10 {
			t.Errorf("%s finds %d holes in 10 items", name, len(found[name]))
		}
	}
	for _, name := range []string{"empty", "whitespace", "filler", "other_reference", "judge_instruction", "reference", "sentence", "bold", "regrade"} {
		if len(found[name]) != 0 {
			t.Errorf("%s finds a hole that is none: %q", name, found[name][0].Answer)
		}
	}
	if at := slices.IndexFunc(found["claim_success"], func(r *rollout.Record) bool { return r.Item == "q2" }); at < 0 || found["claim_success"][at].Answer != claimSuccess.Make(&Case{})[0].Answer {
		t.Errorf("the payload is not there word for word: %v", found["claim_success"])
	}
	if stats.Rollouts == 0 {
		t.Errorf("stats %+v", stats)
	}

	run, _ = auditWorld(t)
	audit(t, run, planRun(t, run, "s"), endpointOf(t, strict))
	if found := holes(t, run); len(found) > 0 {
		for name, list := range found {
			t.Errorf("the strict grader has a hole at %s of %s: %q", name, list[0].Item, list[0].Answer)
		}
	}
}

// TestAnAuditGoesOn: a second audit grades nothing that the first did, unless the
// grader is another.
func TestAnAuditGoesOn(t *testing.T) {
	run, _ := auditWorld(t)
	g := endpointOf(t, strict)
	audit(t, run, planRun(t, run, "s"), g)
	before := holes(t, run)
	again := planRun(t, run, "s")
	if _, err := run.Probes(context.Background(), func(r *rollout.Record) error { again.Keep(r); return nil }); err != nil {
		t.Fatal(err)
	}
	if left := again.Todo().Gradings; left != 0 {
		t.Errorf("%d gradings are to do again", left)
	}
	audit(t, run, again, g)
	if d := cmp.Diff(before, holes(t, run)); d != "" {
		t.Errorf("the second audit has other results:\n%s", d)
	}
	other := planRun(t, run, "t")
	audit(t, run, other, endpointOf(t, hackable))
	if len(holes(t, run)["buried"]) == 0 {
		t.Error("grades of another grader are kept")
	}
}

// TestReplay finds a payload again as it was graded, and grades it.
func TestReplay(t *testing.T) {
	run, _ := auditWorld(t)
	g := endpointOf(t, hackable)
	p := planRun(t, run, "h")
	want := recordsOf(t, p)
	audit(t, run, p, g)
	for _, name := range []string{"buried/train/q2/0", "reference/train/q2/0", "padding/train/q2/0", "regrade/train/q2/" + fmt.Sprint(regradeOf(t, want, "q2"))} {
		id, err := ParseID(name)
		if err != nil {
			t.Fatal(err)
		}
		task, recorded, err := Find(context.Background(), run, id, 0)
		if err != nil {
			t.Fatal(err)
		}
		if task.Record.Reward != nil || task.Item == nil || task.Times != 1 || recorded.Reward == nil {
			t.Errorf("%s: task %+v, recorded %+v", name, task, recorded)
		}
		first, again := sampler.OutputOf(task.Item, want[name]), sampler.OutputOf(task.Item, task.Record)
		if first.Again != (id.Probe == rollout.ProbeRegrade) || again.Again {
			t.Errorf("%s: the planned one had a grade: %t, the replayed one: %t", name, first.Again, again.Again)
		}
		first.Again = false
		if d := cmp.Diff(first, again); d != "" {
			t.Errorf("%s is graded as another output (-first +replayed):\n%s", name, d)
		}
		if stored := recorded.Probe.Base != nil && len(recorded.Calls)+len(recorded.Messages) > 0; stored {
			t.Errorf("%s repeats its rollout in probes.jsonl", name)
		}
		var s shelf
		one := func(yield func(sampler.Task, error) bool) { yield(task, nil) }
		if _, err := sampler.Regrade(context.Background(), sampler.RegradeOptions{
			Config: sampler.DefaultConfig(), Tasks: one, Total: 1, Grader: g, Sink: &s,
		}); err != nil {
			t.Fatal(err)
		}
		if *s.records[0].Reward != *recorded.Reward {
			t.Errorf("%s earns %v, and %v when it is replayed", name, *recorded.Reward, *s.records[0].Reward)
		}
	}
	if _, _, err := Find(context.Background(), run, ID{Probe: "gone", Split: rollout.Train, Item: "q2"}, 0); err == nil || !strings.Contains(err.Error(), "gone/train/q2/0") {
		t.Errorf("an unknown payload: %v", err)
	}
}

// regradeOf is the sample of an item that is graded again.
func regradeOf(t *testing.T, records map[string]*rollout.Record, item string) int {
	t.Helper()
	for sample := range 4 {
		if records[fmt.Sprintf("regrade/train/%s/%d", item, sample)] != nil {
			return sample
		}
	}
	t.Fatalf("no output of item %s is graded again", item)
	return 0
}

// runOf writes a run into a directory, and opens it.
func runOf(t *testing.T, dir string, items []rollout.Item, records []*rollout.Record) *rollout.Run {
	t.Helper()
	w, err := rollout.Create(dir, rollout.Manifest{Schema: rollout.ManifestSchema, ID: "r", Source: rollout.Live, Seed: 3}, items, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Append(r); err != nil {
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
	return run
}
