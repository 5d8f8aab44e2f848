package grader_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
)

// The reward is what the agent reported, and none is made up where it reported none.
func TestTheRewardThatAnAgentReports(t *testing.T) {
	g, err := grader.New(grader.Kinds(), grader.Reported(), grader.Env{})
	if err != nil || !grader.TakesReported(grader.Reported()) {
		t.Fatal(g, err)
	}
	for _, c := range []struct {
		why     string
		rewards []float64
		reward  float64
		kind    string
	}{
		{"one", []float64{0.5}, 0.5, ""},
		{"one for each turn", []float64{0.5, -0.25, 0}, 0.25, ""},
		{"none", nil, 0, sampler.KindReported},
		{"a sum that overflows", []float64{math.MaxFloat64, math.MaxFloat64}, 0, sampler.KindNotANumber},
	} {
		got, err := g.Grade(t.Context(), sampler.Output{Text: "42", Rewards: c.rewards})
		kind := ""
		if e, ok := errors.AsType[*sampler.GradeError](err); ok {
			kind = e.Kind
		}
		if got.Reward != c.reward || kind != c.kind || (err == nil) != (kind == "") {
			t.Errorf("%s: %v, %v; want %v, %q", c.why, got.Reward, err, c.reward, c.kind)
		}
	}
	failed := &sampler.GradeError{Kind: sampler.KindNotANumber, Err: errors.New("the environment gave nan")}
	if got, err := g.Grade(t.Context(), sampler.Output{Text: "42", NoReward: failed, Again: true}); !errors.Is(err, failed) {
		t.Errorf("a reward that failed: %v, %v; want %v", got, err, failed)
	}
	for raw, says := range map[string]string{
		`{"type":"agent","url":"http://localhost:1"}`:                                         `"url"`,
		`{"type":"multi","name":"m","calculate_output":"a","graders":{"a":{"type":"agent"}}}`: "cannot be a part",
	} {
		if _, err := grader.New(grader.Kinds(), json.RawMessage(raw), grader.Env{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// player grades by an episode of its own.
type player struct{ reward float64 }

func (p player) Grade(context.Context, sampler.Output) (sampler.Grade, error) {
	return sampler.Grade{Reward: p.reward}, nil
}

// The reward of an environment is the one that came with the rollout; all other outputs are played.
func TestTheRewardOfAnEnvironment(t *testing.T) {
	g, err := grader.New(grader.Kinds(), grader.Reported(), grader.Env{Environment: player{0.75}})
	if err != nil {
		t.Fatal(err)
	}
	failed := &sampler.GradeError{Kind: sampler.KindReported, Err: errors.New("the reward raised")}
	for _, c := range []struct {
		name   string
		out    sampler.Output
		reward float64
		err    error
	}{
		{"it came with the rollout", sampler.Output{Rewards: []float64{0.25}}, 0.25, nil},
		{"it came with a rollout that has no answer", sampler.Output{Rewards: []float64{0.5}}, 0.5, nil},
		{"the environment had none", sampler.Output{Text: "42", NoReward: failed}, 0, failed},
		{"an output of no rollout", sampler.Output{Text: "42"}, 0.75, nil},
		{"an output that is graded again", sampler.Output{Text: "42", Rewards: []float64{0.25}, Again: true}, 0.75, nil},
		{"a failed grading that is tried again", sampler.Output{Text: "42", NoReward: failed, Again: true}, 0.75, nil},
	} {
		got, err := g.Grade(t.Context(), c.out)
		if got.Reward != c.reward || c.err == nil && err != nil || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, got.Reward, err, c.reward, c.err)
		}
	}
}
