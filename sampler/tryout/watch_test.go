package tryout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/markup"
)

// watch is a Watch whose warnings are said, a line each.
func watch(to sampler.Sink, said *strings.Builder, jobs []sampler.Rollout) *Watch {
	return &Watch{
		To: to, Jobs: jobs, Warn: func(text string) { said.WriteString("warning: " + text + "\n") },
		Advice: func(kinds ...markup.Kind) string { return fmt.Sprintf("advice on %v", kinds) },
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
		w := watch(kept, &said, samplesOf(&rollout.Item{ID: "q1", Split: rollout.Train, Row: []byte(`{"prompt":"Close <think>."}`)}, len(c.answers)))
		for i, answer := range c.answers {
			if err := w.Append(&rollout.Record{Item: "q1", Split: rollout.Train, Sample: i, Answer: answer}); err != nil {
				t.Fatal(err)
			}
		}
		warned := strings.Count(said.String(), "warning")
		if !strings.Contains(said.String(), c.want) || warned != min(len(c.want), 1) || kept.n != len(c.answers) {
			t.Errorf("%s: %d records were handed on, and it said %q, want %q", c.name, kept.n, said.String(), c.want)
		}
		if warned > 0 && !strings.Contains(said.String(), "advice on [tool_call]") {
			t.Errorf("%s: it said %q, without the advice", c.name, said.String())
		}
	}
}

func TestFirstRolloutsThatCallNoToolAreToldOfOnce(t *testing.T) {
	tools := []byte(`[{"type":"function","function":{"name":"look"}}]`)
	for _, c := range []struct {
		name   string
		called []bool // by rollout, whether it called its tool
		tools  []byte
		want   int // warnings
	}{
		{"none of eight", make([]bool, 20), tools, 1},
		{"one of eight", append(make([]bool, 7), true), tools, 0},
		{"too few to say", make([]bool, 7), tools, 0},
		{"items without tools", make([]bool, 20), nil, 0},
	} {
		var said strings.Builder
		w := watch(&keeping{}, &said, samplesOf(&rollout.Item{ID: "q1", Split: rollout.Train, Tools: c.tools}, len(c.called)))
		for i, called := range c.called {
			r := &rollout.Record{Item: "q1", Split: rollout.Train, Sample: i, Answer: "42"}
			if called {
				r.Calls = []rollout.Call{{Name: "look"}}
			}
			if err := w.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(said.String(), "none of the first 8 rollouts with tools called one"); n != c.want || strings.Count(said.String(), "warning") != c.want {
			t.Errorf("%s: it said %q, want %d warnings", c.name, said.String(), c.want)
		}
	}
}

func TestFirstRolloutsAreThoseThatBeganFirst(t *testing.T) {
	item := &rollout.Item{ID: "q1", Split: rollout.Train, Tools: []byte(`[{"type":"function","function":{"name":"look"}}]`)}
	var said strings.Builder
	w := watch(&keeping{}, &said, samplesOf(item, 30))
	end := func(sample int, r rollout.Record) {
		r.Item, r.Split, r.Sample = item.ID, item.Split, sample
		if err := w.Append(&r); err != nil {
			t.Fatal(err)
		}
	}
	for i := 10; i < 30; i++ { // the short ones end first
		end(i, rollout.Record{Answer: "42"})
	}
	end(0, rollout.Record{Outcome: rollout.ModelAPI}) // nothing is known of it
	for i := 1; i < 9; i++ {
		end(i, rollout.Record{Answer: "42", Calls: []rollout.Call{{Name: "look"}}})
	}
	if said.Len() > 0 {
		t.Errorf("it said %q", said.String())
	}
}

// samplesOf are the jobs of an item.
func samplesOf(item *rollout.Item, n int) []sampler.Rollout {
	jobs := make([]sampler.Rollout, n)
	for i := range jobs {
		jobs[i] = sampler.Rollout{Item: item, Sample: i}
	}
	return jobs
}

type keeping struct{ n int }

func (k *keeping) Append(*rollout.Record) error { k.n++; return nil }

func TestARewardOutsideTheRangeIsToldOfOnce(t *testing.T) {
	var said strings.Builder
	kept := &keeping{}
	w := watch(kept, &said, nil)
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
