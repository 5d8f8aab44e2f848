package grader

import (
	_ "embed"
	"encoding/json"

	"gonogo/sampler"
)

//go:embed adapter/ms_swift.py
var swiftAdapter string

var swift = Kind{
	Name: "ms_swift",
	Doc: "Runs reward functions of ms-swift, classes or functions (completions, **columns) -> list[float]. The " +
		"reward is their weighted sum.",
	New:    newSwift,
	inline: inlineSource,
}

// swiftChoices says what counts as a reward.
var swiftChoices = map[string]string{
	"ms_swift result": "the sum of the functions by weight; None leaves a function out, as in ms-swift; None from all " +
		"of them, which is a 0 there, NaN and an exception are a failed grading; each function sees the state of a " +
		"trainer before its first step",
}

func newSwift(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rewardSource
		rewardFunctions
		Args map[string]any `json:"args"` // what a class reads from the trainer's arguments
	}
	if err := decodeStrict(raw, &c); err != nil {
		return nil, err
	}
	g, err := newReward("ms_swift", c.rewardSource, c.rewardFunctions, swiftAdapter, map[string]any{"args": c.Args},
		swiftChoices, env)
	if err != nil {
		return nil, err
	}
	g.batch = new(batchCheck)
	return g, nil
}
