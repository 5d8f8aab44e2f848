package grader

import (
	_ "embed"
	"encoding/json"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

//go:embed adapter/verl.py
var verlAdapter string

var verl = Kind{
	Name: "verl",
	Doc: "Runs a reward function of verl, compute_score(data_source, solution_str, ground_truth, extra_info), or " +
		"its batch form. The reward is the number, or score in the dict, that it returns.",
	New:    newVerl,
	inline: inlineSource,
}

// verlFunction is the name that verl calls unless its configuration has another.
const verlFunction = "compute_score"

// verlChoices says what counts as a reward.
var verlChoices = map[string]string{
	"verl result": "the number or the dict's score, whose other numbers are parts; None, NaN and an exception are a " +
		"failed grading; solution_str is the last answer alone, without tool calls and their outputs",
}

func newVerl(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rewardSource
		rewardFunctions
		RewardKwargs map[string]any `json:"reward_kwargs"`
	}
	if err := decodeStrict(raw, &c); err != nil {
		return nil, err
	}
	f, err := c.one(verlFunction)
	if err != nil {
		return nil, err
	}
	g, err := newReward("verl", c.rewardSource, f, verlAdapter,
		map[string]any{"reward_kwargs": c.RewardKwargs, "references": rollout.ReferenceFields()}, verlChoices, env)
	if err != nil {
		return nil, err
	}
	g.batch = new(batchCheck)
	return g, nil
}
