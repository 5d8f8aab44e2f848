package audit

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

func TestConsensus(t *testing.T) {
	for _, c := range []struct {
		why, reference, template string
		answers                  []string
		want                     string  // the answer of the record; "" for none
		share                    float64 // of the item's rollouts
	}{
		{"most agree on another number", "42", "", []string{"It is 41.", "41", "**41**", "42"}, "It is 41.", 0.75},
		{"the number in other words", "42", "", []string{"It is 42.", "42.0", "**42**", "41"}, "", 0},
		{"rounded on the way", "3.14159", "", []string{"3.14", "3.14", "3.14"}, "", 0},
		{"another unit of the same", "7 %", "", []string{"0.07", "7", "7 percent"}, "", 0},
		{"half is not most", "42", "", []string{"41", "41", "41", "1", "2", "3"}, "", 0},
		{"two are too few", "42", "", []string{"41", "41"}, "", 0},
		{"most agree on another text", "Paris", "", []string{"Rome", "rome.", " ROME"}, "Rome", 1},
		{"a sentence with the reference in it", "Paris", "", []string{"It is Paris.", "it is paris", "It is Paris!"}, "", 0},
		{"nothing is no answer to agree on", "Paris", "", []string{" ", " ", " "}, "", 0},
		{"a field of JSON", "42", `{"answer": "{{reference}}"}`, []string{`{"answer": "41", "why": "a"}`, `{"why": "b", "answer": 41}`, `{"answer": "41"}`}, `{"answer": "41", "why": "a"}`, 1},
	} {
		t.Run(c.why, func(t *testing.T) {
			var records []*rollout.Record
			for i, answer := range c.answers {
				records = append(records, graded("q", i, answer, 0.25))
			}
			in := Input{Items: []rollout.Item{referring(t, "q", c.reference)}, Records: reading(records), Answer: c.template}
			p := planOf(t, DefaultConfig(), in)
			if c.want == "" {
				if len(p.Known) > 0 {
					t.Errorf("taken for another answer: %q", p.Known[0].Answer)
				}
				return
			}
			if len(p.Known) != 1 {
				t.Fatalf("%d records", len(p.Known))
			}
			r := p.Known[0]
			reward := 0.25
			want := &rollout.ProbeInfo{Name: rollout.ProbeConsensus, Expect: rollout.Note, Base: &rollout.Base{Sample: 0, Reward: &reward}, Share: &c.share}
			if d := cmp.Diff(want, r.Probe); d != "" || r.Answer != c.want || *r.Reward != 0.25 || r.Outcome != rollout.Graded || r.Source != rollout.Probe {
				t.Errorf("record %+v (-want +got):\n%s", r, d)
			}
			if p.Keep(r) {
				t.Error("a known record is kept and written twice")
			}
			for id := range recordsOf(t, p) {
				if id == "consensus/train/q/0" {
					t.Error("what is known is graded")
				}
			}
		})
	}
}

// TestAConsensusWithoutAGradeIsGraded: the grader failed on all who agree.
func TestAConsensusWithoutAGradeIsGraded(t *testing.T) {
	var records []*rollout.Record
	for i := range 3 {
		records = append(records, &rollout.Record{Item: "q", Split: rollout.Train, Sample: i, Outcome: rollout.NoAnswer, Answer: "Rome"})
	}
	in := Input{Items: []rollout.Item{referring(t, "q", "Paris")}, Records: reading(records)}
	p := planOf(t, DefaultConfig(), in)
	if r := recordsOf(t, p)["consensus/train/q/0"]; r == nil || r.Answer != "Rome" || *r.Probe.Share != 1 || len(p.Known) != 0 {
		t.Errorf("record %+v, known %v", r, p.Known)
	}
	records[2] = graded("q", 2, "rome", 0.5)
	p = planOf(t, DefaultConfig(), in)
	if len(p.Known) != 1 || p.Known[0].Probe.Base.Sample != 2 {
		t.Errorf("one of them has a grade: %+v", p.Known)
	}
}

// TestMissingDataAgreesOnNothing: rollouts that a boundary broke off count
// neither for an answer nor against it.
func TestMissingDataAgreesOnNothing(t *testing.T) {
	records := []*rollout.Record{graded("q", 0, "Rome", 0), graded("q", 1, "Rome", 0), graded("q", 2, "Rome", 0)}
	for i := 3; i < 8; i++ {
		records = append(records, &rollout.Record{Item: "q", Split: rollout.Train, Sample: i, Outcome: rollout.ToolFailed})
	}
	p := planOf(t, DefaultConfig(), Input{Items: []rollout.Item{referring(t, "q", "Paris")}, Records: reading(records)})
	if len(p.Known) != 1 || *p.Known[0].Probe.Share != 1 {
		t.Errorf("known %+v", p.Known)
	}
}

func TestLabelsAreGradedOnce(t *testing.T) {
	items := []rollout.Item{referring(t, "a", "x"), referring(t, "b", "y")}
	items[1].Split = rollout.Eval
	score := 1.0
	sample := 0
	p := planOf(t, Config{Items: 1}, Input{Items: items, Labels: []rollout.Label{
		{Item: "a", Output: "one", Rater: "r1", Score: &score},
		{Item: "a", Output: "one", Rater: "r2", Score: &score},
		{Item: "a", Output: "two"},
		{Item: "b", Output: "three"},
		{Split: rollout.Eval, Item: "b", Output: "three"},
		{Item: "a", Sample: &sample, Score: &score},
		{Item: "gone", Output: "four"},
	}})
	got := map[string]string{}
	for id, r := range recordsOf(t, p) {
		if r.Probe.Name == rollout.ProbeLabel {
			got[id] = r.Answer
		}
	}
	if d := cmp.Diff(map[string]string{"label/train/a/0": "one", "label/train/a/1": "two", "label/eval/b/0": "three"}, got); d != "" {
		t.Errorf("labels (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"1 labels are for items that the run does not have"}, p.Notes[len(p.Notes)-1:]); d != "" {
		t.Errorf("notes:\n%s", d)
	}
}

func TestRegexDetector(t *testing.T) {
	d, err := RegexDetector("exits", "leaves early", `sys\.exit|(?i)skip this`, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct{ name, pattern string }{{"a/b", "x"}, {"a", ""}, {"a", "("}} {
		if _, err := RegexDetector(bad.name, "", bad.pattern, false); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
	records := []*rollout.Record{
		graded("q", 0, "Skip This test", 1), graded("q", 1, "fine", 1), graded("q", 2, "fine", 1), graded("q", 3, "fine", 1), graded("q", 4, "fine", 0),
		{Item: "q", Split: rollout.Train, Sample: 5, Outcome: rollout.ModelAPI},
		{Item: "q", Split: rollout.Train, Sample: 6, Outcome: rollout.NoAnswer},
	}
	records[1].Calls = []rollout.Call{{Name: "run", Arguments: `{"code":"sys.exit(0)"}`}}
	records[2].Messages = []rollout.Message{{Role: "assistant", Content: "let me", Reasoning: "I skip this"}, {Role: "assistant", Content: "fine"}}
	records[3].Messages = []rollout.Message{{Role: "tool", Content: "sys.exit in the output"}, {Role: "assistant", Content: "fine"}}
	records[4].Calls = []rollout.Call{{Name: "run", Arguments: "{}", Output: "sys.exit(0)"}}
	in := Input{Items: []rollout.Item{referring(t, "q", "x")}, Records: reading(records), Detectors: []Detector{d}}
	p := planOf(t, DefaultConfig(), in)
	if todo := p.Todo(); todo.Marks != 5 {
		t.Errorf("%d marks", todo.Marks)
	}
	got := map[int]float64{}
	done := marks(t, p, d)
	for _, r := range done {
		got[r.Probe.Base.Sample] = *r.Reward
		if r.Probe.Name != "detector/exits" || !r.Probe.Zero || r.Sample != r.Probe.Base.Sample || r.TraceID != records[r.Sample].TraceID {
			t.Errorf("record %+v of %+v", r, r.Probe)
		}
	}
	if d := cmp.Diff(map[int]float64{0: 1, 1: 1, 2: 1, 3: 0, 4: 0}, got); d != "" {
		t.Errorf("marks (-want +got):\n%s", d)
	}
	for _, r := range done[:3] {
		if !p.Keep(r) {
			t.Errorf("%s is made again", idOf(r))
		}
	}
	if left := marks(t, p, d); len(left) != 2 || p.Todo().Marks != 2 {
		t.Errorf("%d of 5 are left, %d to do", len(left), p.Todo().Marks)
	}
	other, err := RegexDetector("exits", "", `other`, true)
	if err != nil {
		t.Fatal(err)
	}
	in.Detectors = []Detector{other}
	if planOf(t, DefaultConfig(), in).Keep(done[0]) {
		t.Error("a mark of another pattern is kept")
	}
	if p := planOf(t, Config{MaxMarks: 2}, in); p.Todo().Marks != 2 || len(marks(t, p, other)) != 2 || p.Counts[len(p.Counts)-1].Left != 3 {
		t.Errorf("a cap of 2: %+v, %+v", p.Todo(), p.Counts[len(p.Counts)-1])
	}
	if p := planOf(t, Config{Skip: []string{"detector/exits"}}, in); len(marks(t, p, other)) != 0 || p.Todo().Marks != 0 {
		t.Error("a detector that is skipped reads rollouts")
	}
}

// TestMarksAreReadAsTheyAreWanted: whoever stops taking them stops the reading.
func TestMarksAreReadAsTheyAreWanted(t *testing.T) {
	var records []*rollout.Record
	for i := range 50 {
		records = append(records, graded("q", i, "x", 1))
	}
	d, err := RegexDetector("x", "", "x", false)
	if err != nil {
		t.Fatal(err)
	}
	read, full := 0, false
	source := func(ctx context.Context, opt rollout.ReadOptions, yield func(*rollout.Record) error) (rollout.Input, error) {
		return reading(records)(ctx, opt, func(r *rollout.Record) error {
			if full = !opt.Lean; full {
				read++
			}
			return yield(r)
		})
	}
	p := planOf(t, Config{Items: 1, Skip: []string{rollout.ProbeConsensus}}, Input{Items: []rollout.Item{referring(t, "q", "x")}, Records: source, Detectors: []Detector{d}})
	read = 0
	for range p.Marks(context.Background(), d) {
		break
	}
	if read != 1 {
		t.Errorf("%d records are read for one", read)
	}
	failing := fmt.Errorf("gone")
	p.in.Records = func(context.Context, rollout.ReadOptions, func(*rollout.Record) error) (rollout.Input, error) {
		return rollout.Input{}, failing
	}
	for _, err := range p.Marks(context.Background(), d) {
		if err == nil {
			t.Error("a run that cannot be read gives a task")
		}
	}
}
