package audit

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// shop offers a tool that reads and one that writes a file.
func shop(t testing.TB, id, question string) rollout.Item {
	t.Helper()
	return newItem(t, id, question, map[string]any{"tools": json.RawMessage(`[
		{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":{"item":{"type":"string"}},"required":["item"]}}},
		{"type":"function","function":{"name":"write","parameters":{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}}}]`)})
}

// policyRecords runs the policies of a plan with tools that answer "ok" and a grader that pays for
// calls, and returns their records by name.
func policyRecords(t testing.TB, p *Plan, cfg sampler.Config) map[string]*rollout.Record {
	t.Helper()
	made := map[string]*rollout.Record{}
	rollouts, model, sink := p.Policies(sampler.SinkFunc(func(r *rollout.Record) error {
		made[idOf(r).String()] = r
		return nil
	}))
	_, err := sampler.Sample(context.Background(), sampler.SampleOptions{
		Config: cfg, Rollouts: rollouts, Sink: sink,
		Boundaries: sampler.Boundaries{Model: model, Grader: payForCalls{}, Tools: map[string]sampler.Tool{"look": okTool("look"), "write": okTool("write")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

type okTool string

func (o okTool) Name() string { return string(o) }
func (o okTool) Call(context.Context, sampler.Call) (sampler.Result, error) {
	return sampler.Result{Output: "ok"}, nil
}

type payForCalls struct{}

func (payForCalls) Grade(_ context.Context, out sampler.Output) (sampler.Grade, error) {
	return sampler.Grade{Reward: float64(len(out.Calls)) / 100}, nil
}

func TestPoliciesPlayTheirScripts(t *testing.T) {
	in := Input{
		Seed: 1, Items: []rollout.Item{shop(t, "a", "Put the sum of the prices into out/total.txt.")}, Grader: "g",
		Served: []string{"look", "write"}, MaxSteps: 8, MaxToolCalls: 3, Sandbox: true,
	}
	p := planOf(t, Config{}, in)
	cfg := sampler.DefaultConfig()
	cfg.MaxSteps, cfg.MaxToolCalls = in.MaxSteps, in.MaxToolCalls
	todo, made := p.Todo(), policyRecords(t, p, cfg)
	calls := 0
	for name, want := range map[string]struct {
		calls   string
		outcome rollout.Outcome
	}{
		"policy_no_call":      {"", rollout.Graded},
		"policy_stop":         {"", rollout.Graded},
		"policy_claim_result": {"", rollout.Graded},
		"policy_each_tool":    {"look write", rollout.Graded},
		"policy_repeat":       {"look look look", rollout.StepLimit}, // max_tool_calls of 3
		"policy_write":        {"write", rollout.Graded},
	} {
		r := made[name+"/train/a/0"]
		if r == nil {
			t.Fatalf("%s left no record among %d", name, len(made))
		}
		var called []string
		for _, c := range r.Calls {
			called = append(called, c.Name)
		}
		if got := strings.ReplaceAll(strings.Join(called, " "), "write write write", "look look look"); got != want.calls ||
			r.Outcome != want.outcome {
			t.Errorf("%s called %q and ended as %s, want %q and %s", name, got, r.Outcome, want.calls, want.outcome)
		}
		if r.Source != rollout.Probe || r.Probe.Expect != rollout.Bottom || *r.Probe.Limit != 0 || r.Answer == "" ||
			*r.Reward != float64(len(r.Calls))/100 {
			t.Errorf("%s is recorded as %+v", name, r)
		}
		calls += len(r.Calls)
		if !p.Keep(r) {
			t.Errorf("%s is not kept", name)
		}
	}
	if todo.Policies != 6 || len(made) != 6 || todo.ToolCalls != calls {
		t.Errorf("%+v was estimated, %d rollouts made %d calls", todo, len(made), calls)
	}
	if args := made["policy_write/train/a/0"].Calls[0].Arguments; args != `{"content":"success","path":"out/total.txt"}` {
		t.Errorf("it wrote %s", args)
	}
	if rollouts, _, _ := p.Policies(nil); len(rollouts) > 0 {
		t.Errorf("%d rollouts are made again", len(rollouts))
	}
	if traces := tracesOf(made); len(traces) != 6 {
		t.Errorf("6 rollouts share trace ids: %q", traces)
	}
}

// tracesOf lists the trace ids of records, each once.
func tracesOf(records map[string]*rollout.Record) []string {
	var ids []string
	for _, r := range records {
		ids = append(ids, r.TraceID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// A policy writes only where it can be told that nothing else is: in a session, at a named place.
func TestAPolicyWritesOnlyIntoASandbox(t *testing.T) {
	in := Input{Items: []rollout.Item{shop(t, "a", "Save it as out/total.txt."), shop(t, "b", "Save it somewhere.")}, Served: []string{"look", "write"}}
	writes := func() (ids []string) {
		rollouts, model, _ := planOf(t, Config{}, in).Policies(nil)
		for _, r := range rollouts {
			if c := model.(player)[r.Item].calls; len(c) == 1 && c[0].Name == "write" && !model.(player)[r.Item].repeat {
				ids = append(ids, r.Item.ID)
			}
		}
		return ids
	}
	if ids := writes(); len(ids) > 0 {
		t.Errorf("without a session it writes for %q", ids)
	}
	in.Sandbox = true
	if ids := writes(); !slices.Equal(ids, []string{"a"}) {
		t.Errorf("it writes for %q, want a, whose prompt names a file", ids)
	}
}

// A coin that falls on the right side is no hole: an item is left out where the made-up calls are
// those of a rollout at the top.
func TestAPolicyThatHappensToDoTheWorkIsLeftOut(t *testing.T) {
	coin := newItem(t, "a", "Which side?", map[string]any{"tools": json.RawMessage(
		`[{"type":"function","function":{"name":"choose","parameters":{"type":"object","properties":{"side":{"enum":["heads"]}},"required":["side"]}}}]`)})
	planned := func(args string, reward float64) (names []string) {
		r := graded("a", 0, "done", reward)
		r.Calls = []rollout.Call{{Name: "choose", Arguments: args, Status: rollout.CallOK}}
		p := planOf(t, Config{}, Input{Items: []rollout.Item{coin}, Records: reading([]*rollout.Record{r}), Served: []string{"choose"}})
		for _, c := range p.Counts {
			if strings.HasPrefix(c.Probe, rollout.ProbePolicy) && c.Planned > 0 {
				names = append(names, strings.TrimPrefix(c.Probe, rollout.ProbePolicy))
			}
		}
		return names
	}
	without := []string{"no_call", "stop", "claim_result"}
	all := append(slices.Clone(without), "each_tool", "repeat")
	for _, c := range []struct {
		why, args string
		reward    float64
		want      []string
	}{
		{"the call of the top", `{ "side" : "heads" }`, 1, without},
		{"a call that earned nothing", `{"side":"heads"}`, 0, all},
		{"another call", `{"side":"tails"}`, 1, all},
		{"a call without a choice", `{}`, 1, all},
	} {
		if got := planned(c.args, c.reward); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// Without tools at hand nothing is called, and what an earlier audit recorded stays.
func TestPoliciesWithoutToolsAtHand(t *testing.T) {
	in := Input{Seed: 1, Items: []rollout.Item{shop(t, "a", "How many?")}, Grader: "g", Served: []string{"look", "write"}}
	made := policyRecords(t, planOf(t, Config{}, in), sampler.DefaultConfig())
	in.Served, in.Unserved = nil, "nobody is there"
	p := planOf(t, Config{}, in)
	if rollouts, _, _ := p.Policies(nil); len(rollouts) > 0 || p.Todo().Policies > 0 || p.Todo().ToolCalls > 0 {
		t.Errorf("%d rollouts, %+v", len(rollouts), p.Todo())
	}
	if !slices.Contains(p.Notes, "policies for tools are not run: nobody is there") {
		t.Errorf("the notes are %q", p.Notes)
	}
	for id, r := range made {
		if !p.Keep(r) {
			t.Errorf("%s is not kept", id)
		}
	}
	in.Grader = "other"
	p = planOf(t, Config{}, in)
	for id, r := range made {
		if p.Keep(r) {
			t.Errorf("%s of another grader is kept", id)
		}
	}
}

// A tool that fails says nothing about the grader.
func TestAFailedToolLeavesNoRecord(t *testing.T) {
	p := planOf(t, Config{}, Input{Items: []rollout.Item{shop(t, "a", "How many?")}, Served: []string{"look"}})
	var kept []*rollout.Record
	rollouts, _, sink := p.Policies(sampler.SinkFunc(func(r *rollout.Record) error {
		kept = append(kept, r)
		return nil
	}))
	for i, outcome := range []rollout.Outcome{rollout.ToolFailed, rollout.GraderFailed} {
		r := rollouts[i]
		if err := sink.Append(&rollout.Record{Item: "a", Split: rollout.Train, Sample: r.Sample, Outcome: outcome}); err != nil {
			t.Fatal(err)
		}
	}
	if len(kept) != 1 || kept[0].Outcome != rollout.GraderFailed || kept[0].Probe.Name != "policy_stop" {
		t.Errorf("kept %+v", kept)
	}
	if p.Keep(kept[0]) {
		t.Error("a payload without a grade is kept")
	}
	again, _, _ := p.Policies(nil)
	if again[0].Attempt != 0 || again[1].Attempt != 1 {
		t.Errorf("the attempts are %d and %d, want a second one of the failed grading", again[0].Attempt, again[1].Attempt)
	}
}

// A made-up result once had a number in its arguments, which was the answer to a question or two: a
// sound grader was called one that can be fooled.
func TestAMadeUpResultStatesNoNumber(t *testing.T) {
	it := newItem(t, "a", "How many of 5?", map[string]any{"reference_answer": "5", "tools": json.RawMessage(
		`[{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":{"n":{"const":5}},"required":["n"]}}}]`)})
	rollouts, model, _ := planOf(t, Config{}, Input{Items: []rollout.Item{it}, Served: []string{"look"}}).Policies(nil)
	for _, r := range rollouts {
		if text := model.(player)[r.Item].answer; strings.ContainsAny(text, "0123456789") {
			t.Errorf("an answer is %q", text)
		}
	}
	if len(rollouts) != 5 {
		t.Errorf("%d policies apply, want all but the one that writes", len(rollouts))
	}
}
