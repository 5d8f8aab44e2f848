package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/grader"
	"gonogo/sampler/rollout"
)

func TestAGraderThatReadsToolCallsIsWarnedOf(t *testing.T) {
	for reads, want := range map[string]bool{"{{sample.output_tools[0].function.name}}": true, "{{sample.output_text}}": false} {
		p := tinyProject(t)
		raw, err := json.Marshal(map[string]string{"type": "string_check", "name": "n", "operation": "eq", "input": reads, "reference": "x"})
		if err != nil {
			t.Fatal(err)
		}
		g, err := grader.New(grader.Kinds(), raw, grader.Env{})
		if err != nil {
			t.Fatal(err)
		}
		p.warnReads(g)
		warned := slices.ContainsFunc(p.warnings, func(w string) bool { return strings.Contains(w, "sampling.sample_tools") })
		if warned != want {
			t.Errorf("a grader that reads %s is warned of: %t, want %t", reads, warned, want)
		}
	}
}

func TestMarkupInMostFirstAnswersIsToldOfOnce(t *testing.T) {
	const call, plain = `<tool_call>{"name":"look"}</tool_call>`, "42"
	repeated := func(n int, answer string) []string { return slices.Repeat([]string{answer}, n) }
	for _, c := range []struct {
		name    string
		answers []string
		want    string // of the warning; "" is none
	}{
		{"all", repeated(20, call), "5 of the first 5 answers"},
		{"five of eight", slices.Concat(repeated(3, plain), repeated(5, call)), "5 of the first 8 answers"},
		{"half", slices.Concat(repeated(4, plain), repeated(20, call)), ""},
		{"rollouts without an answer do not count", slices.Concat(repeated(9, ""), repeated(5, call)), "5 of the first 5 answers"},
		{"what the prompt speaks of", repeated(20, "<think>"), ""},
		{"too few", repeated(4, call), ""},
	} {
		var said strings.Builder
		kept := &keeping{}
		w := &watchful{to: kept, say: &said, items: []rollout.Item{{ID: "q1", Split: rollout.Train, Row: []byte(`{"prompt":"Close <think>."}`)}}}
		for _, answer := range c.answers {
			if err := w.Append(&rollout.Record{Item: "q1", Split: rollout.Train, Answer: answer}); err != nil {
				t.Fatal(err)
			}
		}
		warned := strings.Count(said.String(), "warning")
		if !strings.Contains(said.String(), c.want) || warned != min(len(c.want), 1) || kept.n != len(c.answers) {
			t.Errorf("%s: %d records were handed on, and it said %q, want %q", c.name, kept.n, said.String(), c.want)
		}
		if warned > 0 && !strings.Contains(said.String(), "--tool-call-parser NAME") {
			t.Errorf("%s: it said %q, without the server's flag", c.name, said.String())
		}
	}
}

type keeping struct{ n int }

func (k *keeping) Append(*rollout.Record) error { k.n++; return nil }

func TestARewardOutsideTheRangeIsToldOfOnce(t *testing.T) {
	var said strings.Builder
	kept := &keeping{}
	w := &watchful{to: kept, say: &said}
	outside := (&sampler.RangeError{Value: 7, Range: [2]float64{0, 1}}).Error()
	half := 0.5
	for _, r := range []rollout.Record{
		{Item: "q1", Outcome: rollout.Graded, Reward: &half},
		{Item: "q2", Outcome: rollout.GraderFailed, Kind: sampler.KindServer, Error: "no answer"},
		{Item: "q3", Outcome: rollout.GraderFailed, Kind: sampler.KindRange, Error: outside},
		{Item: "q4", Outcome: rollout.GraderFailed, Kind: sampler.KindRange, Error: outside},
	} {
		if err := w.Append(&r); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"item q3", "gave 7", "set reward_range", "gonogo grade RUN", "without sampling"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it said %q, without %q", said.String(), want)
		}
	}
	if kept.n != 4 || strings.Count(said.String(), "warning") != 1 {
		t.Errorf("%d records were handed on, and it said %q", kept.n, said.String())
	}
}
