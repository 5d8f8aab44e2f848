package grader_test

import (
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
	for raw, says := range map[string]string{
		`{"type":"agent","url":"http://localhost:1"}`:                                         `"url"`,
		`{"type":"multi","name":"m","calculate_output":"a","graders":{"a":{"type":"agent"}}}`: "cannot be a part",
	} {
		if _, err := grader.New(grader.Kinds(), json.RawMessage(raw), grader.Env{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
