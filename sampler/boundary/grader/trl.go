package grader

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"gonogo/sampler"
)

//go:embed adapter/trl.py
var trlAdapter string

var trl = Kind{
	Name: "trl",
	Doc: "Runs reward functions of TRL, (prompts, completions, **columns) -> list[float]. The reward is their " +
		"weighted sum.",
	New:    newTRL,
	inline: inlineSource,
}

// trlChoices says what counts as a reward.
var trlChoices = map[string]string{
	"trl result": "the sum of the functions by weight; None leaves a function out, as in TRL; None from all of " +
		"them, NaN and an exception are a failed grading; each function sees the state of a trainer before its first step",
}

func newTRL(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rewardSource
		rewardFunctions
		Format string `json:"format"`
	}
	if err := decodeStrict(raw, &c); err != nil {
		return nil, err
	}
	switch c.Format {
	case "", "standard", "conversational":
	default:
		return nil, fmt.Errorf("format is %q: it must be standard, which passes texts, or conversational, which "+
			"passes messages", c.Format)
	}
	g, err := newReward("trl", c.rewardSource, c.rewardFunctions, trlAdapter, map[string]any{"format": c.Format},
		trlChoices, env)
	if err != nil {
		return nil, err
	}
	g.batch = new(batchCheck)
	return g, nil
}
