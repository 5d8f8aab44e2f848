package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gonogo/sampler/rollout"
)

// world is thirty items in two splits with eight rollouts each, of every height
// of reward.
func world(t testing.TB) ([]rollout.Item, []*rollout.Record) {
	t.Helper()
	var items []rollout.Item
	var records []*rollout.Record
	for i := range 30 {
		it := referring(t, fmt.Sprintf("q%02d", i), fmt.Sprint(100+7*i))
		if i >= 20 {
			it.Split = rollout.Eval
		}
		items = append(items, it)
		for sample := range 8 {
			answer, reward := fmt.Sprint(1000*sample+i), 0.0
			if sample < i%9 {
				answer, reward = it.ID+" is "+fmt.Sprint(100+7*i), 1
			}
			r := graded(it.ID, sample, answer, reward)
			r.Split = it.Split
			r.Messages = []rollout.Message{{Role: "assistant", Content: "thinking"}, {Role: "assistant", Content: answer}}
			r.Calls = []rollout.Call{{ID: "1", Name: "search", Arguments: `{"q":"x"}`, Output: "long", Status: rollout.CallOK}}
			records = append(records, r)
		}
	}
	return items, records
}

func TestThePlanDoesNotDependOnTheOrderOfRecords(t *testing.T) {
	items, records := world(t)
	in := Input{Seed: 5, Items: items, Records: reading(records)}
	first := planOf(t, DefaultConfig(), in)
	want := recordsOf(t, first)
	shuffled := slices.Clone(records)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	in.Records = reading(shuffled)
	again := planOf(t, DefaultConfig(), in)
	if d := cmp.Diff(want, recordsOf(t, again)); d != "" {
		t.Errorf("another order of records makes another plan:\n%s", d)
	}
	if d := cmp.Diff(first.Known, again.Known, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("another order of records makes other known records:\n%s", d)
	}
	in.Seed = 6
	if cmp.Equal(first.Items, planOf(t, DefaultConfig(), in).Items) {
		t.Error("another seed draws the same items")
	}
}

func TestItemsAreDrawnFromAllSplitsAndLevels(t *testing.T) {
	items, records := world(t)
	p := planOf(t, Config{Items: 12}, Input{Seed: 1, Items: items, Records: reading(records)})
	splits, levels := map[rollout.Split]int{}, map[int]int{}
	for i, key := range p.Items {
		splits[key.Split]++
		levels[p.survey.index[key].level(0, 1)]++
		if i == 0 && key.Split != rollout.Train {
			t.Errorf("the first item is of split %s", key.Split)
		}
	}
	if splits[rollout.Train] != 6 || splits[rollout.Eval] != 6 || levels[1] != 4 || levels[2] != 4 || levels[3] != 4 {
		t.Errorf("splits %v, levels of reward %v", splits, levels)
	}
	more := planOf(t, Config{Items: 20}, Input{Seed: 1, Items: items, Records: reading(records)})
	if d := cmp.Diff(p.Items, more.Items[:12]); d != "" {
		t.Errorf("more items are others (-fewer +more):\n%s", d)
	}
	if all := planOf(t, Config{}, Input{Seed: 1, Items: items}); len(all.Items) != 30 {
		t.Errorf("%d of all items", len(all.Items))
	}
}

func TestTheOrderOfMagnitudeOfAnAudit(t *testing.T) {
	items, records := world(t)
	p := planOf(t, DefaultConfig(), Input{Seed: 1, Items: items, Records: reading(records), Judges: 2})
	todo := p.Todo()
	if todo.Gradings < 400 || todo.Gradings > 800 || todo.JudgeCalls != 2*todo.Gradings {
		t.Errorf("20 items and 100 regrades are %+v", todo)
	}
	total := 0
	for _, c := range p.Counts {
		total += c.Planned
		if c.Left != 0 || c.Planned > c.Payloads {
			t.Errorf("%+v", c)
		}
	}
	if total != todo.Gradings || len(recordsOf(t, p)) != total {
		t.Errorf("%d counted, %d to do, %d tasks", total, todo.Gradings, len(recordsOf(t, p)))
	}
}

func TestTheCapLeavesOutEvenlyAndSaysSo(t *testing.T) {
	items, records := world(t)
	in := Input{Seed: 1, Items: items, Records: reading(records)}
	whole := recordsOf(t, planOf(t, Config{Items: 20, Regrades: 100}, in))
	for _, most := range []int{1, 37, 100, 301} {
		p := planOf(t, Config{Items: 20, Regrades: 100, MaxGradings: most}, in)
		got := recordsOf(t, p)
		if len(got) != most {
			t.Errorf("%d gradings within %d", len(got), most)
		}
		least, left := 1<<30, 0
		for _, c := range p.Counts {
			left += c.Left
			if c.Left > 0 {
				least = min(least, c.Planned)
			}
		}
		for _, c := range p.Counts {
			if c.Planned > least+1 {
				t.Errorf("within %d, %s has %d where another lost some of its own and has %d", most, c.Probe, c.Planned, least)
			}
		}
		if left != len(whole)-most || !slices.Contains(p.Notes, fmt.Sprintf("%d of %d gradings were left out to stay within max_gradings (%d)", left, len(whole), most)) {
			t.Errorf("%d are left out, notes %q", left, p.Notes)
		}
		for id, r := range got {
			if d := cmp.Diff(whole[id], r); d != "" {
				t.Errorf("%s is another within %d:\n%s", id, most, d)
			}
		}
	}
}

func TestRegradesAreSpread(t *testing.T) {
	items, records := world(t)
	p := planOf(t, Config{Items: 1, Regrades: 60}, Input{Seed: 1, Items: items, Records: reading(records)})
	byItem, byReward := map[string]int{}, map[float64]int{}
	for id, r := range recordsOf(t, p) {
		if r.Probe.Name != rollout.ProbeRegrade {
			continue
		}
		byItem[r.Item]++
		byReward[*r.Probe.Base.Reward]++
		base := records[slices.IndexFunc(records, func(b *rollout.Record) bool { return b.Key() == r.Key() })]
		if r.Answer != base.Answer || r.TraceID != base.TraceID || !cmp.Equal(r.Grades, []float64{*base.Reward}) || !cmp.Equal(r.Messages, base.Messages) || !cmp.Equal(r.Calls, base.Calls) {
			t.Errorf("%s is not the output that was recorded: %+v", id, r)
		}
	}
	for item, n := range byItem {
		if n != 2 {
			t.Errorf("item %s is regraded %d times of 60 over 30 items", item, n)
		}
	}
	if len(byItem) != 30 || byReward[0] < 20 || byReward[1] < 20 {
		t.Errorf("%d items, rewards %v", len(byItem), byReward)
	}
}

func TestARegradeKeepsAllRecordedGrades(t *testing.T) {
	r := graded("q", 0, "x", 0.5)
	r.Grades = []float64{0.5, 0.75}
	cut := graded("q", 1, "y", 0.5)
	cut.Outcome = rollout.StepLimit
	p := planOf(t, DefaultConfig(), Input{Items: []rollout.Item{referring(t, "q", "z")}, Records: reading([]*rollout.Record{r, cut})})
	if got := recordsOf(t, p)["regrade/train/q/0"]; got == nil || !cmp.Equal(got.Grades, r.Grades) {
		t.Errorf("the regrade has %+v", got)
	}
	if recordsOf(t, p)["regrade/train/q/1"] != nil {
		t.Error("an output that a limit cut off is graded again")
	}
}

func TestPayloadsOfAPlan(t *testing.T) {
	items, records := world(t)
	p := planOf(t, Config{Items: 30, Regrades: 5}, Input{Seed: 1, Items: items, Records: reading(records), Grader: "abc"})
	traces := map[string]bool{}
	for id, r := range recordsOf(t, p) {
		if r.Source != rollout.Probe || r.TraceID == "" || traces[r.TraceID] || idOf(r).String() != id || !sameHash(r, "abc") || r.Reward != nil {
			t.Errorf("%s: %+v", id, r)
		}
		traces[r.TraceID] = true
		limited := r.Probe.Expect == rollout.Bottom || r.Probe.Expect == rollout.Top
		if (r.Probe.Limit != nil) != limited {
			t.Errorf("%s expects %s within %v", id, r.Probe.Expect, r.Probe.Limit)
		}
		if last := len(r.Messages) - 1; last >= 0 && r.Messages[last].Content != r.Answer {
			t.Errorf("%s says %q and ends with the message %q", id, r.Answer, r.Messages[last].Content)
		}
		switch r.Probe.Expect {
		case rollout.Bottom:
			if r.Probe.Base != nil && (*r.Probe.Base.Reward > nearNothing || len(r.Calls) == 0) {
				t.Errorf("%s comes with work that earned %v", id, *r.Probe.Base.Reward)
			}
		case rollout.Top:
			if (r.Probe.Base == nil) != (len(r.Calls) == 0) || r.Probe.Base == nil {
				t.Errorf("%s comes without the work of the best rollout", id)
			}
		}
	}
	for _, r := range records {
		if last := r.Messages[len(r.Messages)-1].Content; last != r.Answer {
			t.Fatalf("planning changed the recorded messages: %q", last)
		}
	}
}

// TestOnlyTheLastAttemptCounts: a later record of the same rollout replaces the
// earlier one, as readers of a run are told.
func TestOnlyTheLastAttemptCounts(t *testing.T) {
	lost := &rollout.Record{Item: "q", Split: rollout.Train, Outcome: rollout.GraderFailed, Answer: "first"}
	p := planOf(t, DefaultConfig(), Input{Items: []rollout.Item{referring(t, "q", "z")}, Records: reading([]*rollout.Record{lost, graded("q", 0, "second", 1)})})
	if got := recordsOf(t, p)["regrade/train/q/0"]; got == nil || got.Answer != "second" {
		t.Errorf("graded again: %+v", got)
	}
	p = planOf(t, DefaultConfig(), Input{Items: []rollout.Item{referring(t, "q", "z")}, Records: reading([]*rollout.Record{graded("q", 0, "second", 1), lost})})
	if got := recordsOf(t, p)["regrade/train/q/0"]; got != nil {
		t.Errorf("an attempt that a later one replaced is graded again: %+v", got)
	}
}

func TestKeepingWhatIsGraded(t *testing.T) {
	items, records := world(t)
	in := Input{Seed: 1, Items: items, Records: reading(records), Grader: "abc"}
	cfg := Config{Items: 5, Regrades: 3}
	done := func() map[string]*rollout.Record {
		all := recordsOf(t, planOf(t, cfg, in))
		for id, r := range all {
			reward := 0.5
			if len(r.Grades) > 0 {
				reward = r.Grades[0]
				r.Grades = append(r.Grades, 1)
			}
			r.Outcome, r.Reward = rollout.Graded, &reward
			all[id] = r
		}
		return all
	}
	p := planOf(t, cfg, in)
	total := p.Todo().Gradings
	for id, r := range done() {
		if !p.Keep(r) {
			t.Errorf("%s is not kept", id)
		}
	}
	if left := p.Todo().Gradings; left != 0 || len(recordsOf(t, p)) != 0 {
		t.Errorf("%d of %d are still to do", left, total)
	}

	p = planOf(t, cfg, in)
	for why, change := range map[string]func(*rollout.Record){
		"no grade":         func(r *rollout.Record) { r.Reward, r.Outcome = nil, rollout.GraderFailed },
		"another payload":  func(r *rollout.Record) { r.Answer += "!" },
		"another limit":    func(r *rollout.Record) { r.Probe.Limit = new(float64); *r.Probe.Limit = 0.7 },
		"another grader":   func(r *rollout.Record) { r.Extra = nil },
		"another base":     func(r *rollout.Record) { r.Probe.Base = &rollout.Base{Sample: 77} },
		"another item":     func(r *rollout.Record) { r.Item = "q99" },
		"a probe no more":  func(r *rollout.Record) { r.Probe.Name = "gone" },
		"no probe at all":  func(r *rollout.Record) { r.Probe = nil },
		"not of a probe":   func(r *rollout.Record) { r.Source = rollout.Live },
		"a regrade undone": func(r *rollout.Record) { r.Probe.Name, r.Grades = rollout.ProbeRegrade, nil },
	} {
		for id, r := range done() {
			if change(r); p.Keep(r) {
				t.Errorf("%s with %s is kept", id, why)
			}
		}
	}
	if p.Todo().Gradings != total {
		t.Errorf("%d of %d are to do", p.Todo().Gradings, total)
	}
}

func TestSkippingAndMistakes(t *testing.T) {
	items, records := world(t)
	in := Input{Items: items, Records: reading(records), Probes: Probes(), Range: [2]float64{0, 1}}
	p := planOf(t, Config{Items: 5, Regrades: 3, Skip: []string{"filler", rollout.ProbeRegrade, rollout.ProbeConsensus}}, in)
	for id := range recordsOf(t, p) {
		if strings.HasPrefix(id, "filler/") || strings.HasPrefix(id, "regrade/") {
			t.Errorf("%s is not skipped", id)
		}
	}
	detector, err := RegexDetector("x", "", "x", false)
	if err != nil {
		t.Fatal(err)
	}
	twice := in
	twice.Probes = append(Probes(), probeNamed(t, "filler"))
	idle := in
	idle.Probes = []Probe{{Name: "idle"}}
	two := in
	two.Detectors = []Detector{detector, detector}
	empty := in
	empty.Range = [2]float64{1, 1}
	template := in
	template.Answer = "no variable"
	broken := in
	broken.Records = func(context.Context, rollout.ReadOptions, func(*rollout.Record) error) (rollout.Input, error) {
		return rollout.Input{}, errors.New("torn apart")
	}
	for _, c := range []struct {
		cfg  Config
		in   Input
		want string
	}{
		{Config{Skip: []string{"filer"}}, in, `no probe "filer"`},
		{Config{Items: -1}, in, "cannot be negative"},
		{Config{}, twice, `"filler"`},
		{Config{}, idle, "Make is nil"},
		{Config{}, two, `"detector/x"`},
		{Config{}, empty, "range"},
		{Config{}, template, "{{reference}}"},
		{Config{}, broken, "torn apart"},
	} {
		if _, err := NewPlan(context.Background(), c.cfg, c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.cfg, err, c.want)
		}
	}
}

func TestARunWithoutRollouts(t *testing.T) {
	items, _ := world(t)
	none := func(context.Context, rollout.ReadOptions, func(*rollout.Record) error) (rollout.Input, error) {
		return rollout.Input{}, fmt.Errorf("read: %w", rollout.ErrNoRecords)
	}
	for _, read := range []func(context.Context, rollout.ReadOptions, func(*rollout.Record) error) (rollout.Input, error){nil, none} {
		p := planOf(t, DefaultConfig(), Input{Items: items, Records: read})
		if got := recordsOf(t, p); got["number_off/"+string(p.Items[0].Split)+"/"+p.Items[0].Item+"/0"] == nil {
			t.Errorf("no payload of %v among %d", p.Items[0], len(got))
		}
		if !slices.Contains(p.Idle, "padding") {
			t.Errorf("notes %q", p.Notes)
		}
	}
}

func TestARunOfWhichOnlyRolloutsAreKnown(t *testing.T) {
	_, records := world(t)
	p := planOf(t, DefaultConfig(), Input{Records: reading(records)})
	names := map[string]bool{}
	for _, r := range recordsOf(t, p) {
		names[r.Probe.Name] = true
	}
	want := []string{"claim_success", "confident_words", "document_skeleton", "dont_know", "empty", "empty_form", "filler", "judge_instruction", "judge_markup", "odd_input", "padding", "politeness", "regrade", "whitespace"}
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(names))); d != "" {
		t.Errorf("probes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]FieldCount{{"", 30}}, p.References); d != "" {
		t.Errorf("references:\n%s", d)
	}
}

func TestTheTemplateIsInferredFromTheRun(t *testing.T) {
	items := []rollout.Item{referring(t, "a", "17"), referring(t, "b", "Rome")}
	records := []*rollout.Record{graded("a", 0, `{"answer": "17"}`, 1), graded("a", 1, "17", 0), graded("b", 0, `{"answer":"rome"}`, 1)}
	in := Input{Items: items, Records: reading(records)}
	p := planOf(t, DefaultConfig(), in)
	if p.Template != `{"answer": "{{reference}}"}` || !p.Inferred || recordsOf(t, p)["number_off/train/a/0"].Answer != `{"answer": "21"}` {
		t.Errorf("template %s, inferred %v", p.Template, p.Inferred)
	}
	in.Answer = "It is {{reference}}."
	if p = planOf(t, DefaultConfig(), in); p.Inferred || recordsOf(t, p)["reference/train/a/0"].Answer != "It is 17." {
		t.Errorf("a template of the user's: %s, inferred %v", p.Template, p.Inferred)
	}
	if d := cmp.Diff([]FieldCount{{"reference_answer", 2}}, p.References); d != "" {
		t.Errorf("references:\n%s", d)
	}
}

// TestItemsThatAskTheSame: the other's reference is not a wrong answer.
func TestItemsThatAskTheSame(t *testing.T) {
	items := []rollout.Item{
		newItem(t, "a", "Which colour?", map[string]any{"answer": "red"}), newItem(t, "b", "Which colour?", map[string]any{"answer": "blue"}),
	}
	if got := recordsOf(t, planOf(t, DefaultConfig(), Input{Items: items}))["other_reference/train/a/0"]; got != nil {
		t.Errorf("a right answer is put as a wrong one: %q", got.Answer)
	}
}

func TestAConstantIsTheMostCommonReference(t *testing.T) {
	var items []rollout.Item
	for i, ref := range []string{"no", "yes", "yes", "no", "maybe", "no"} {
		items = append(items, referring(t, fmt.Sprint("q", i), ref))
	}
	got := recordsOf(t, planOf(t, DefaultConfig(), Input{Items: items}))
	for i := range items {
		if r := got[fmt.Sprintf("constant/train/q%d/0", i)]; r == nil || r.Answer != "no" || r.Probe.Expect != rollout.Note {
			t.Errorf("item %d has the constant %+v", i, r)
		}
	}
}
