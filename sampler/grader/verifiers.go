package grader

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"gonogo/sampler"
)

//go:embed adapter/verifiers.py
var verifiersAdapter string

var verifiers = Kind{
	Name:   "verifiers",
	Doc:    "Runs reward functions of verifiers, which name what they want of prompt, completion, answer, state, info and task, or a Rubric.",
	New:    newVerifiers,
	inline: inlineSource,
}

// verifiersChoices tells what counts as a reward.
var verifiersChoices = map[string]string{
	"verifiers result": "the sum of the functions by weight, or what the Rubric makes of them; None, NaN and an exception are a failed grading and not the 0 that verifiers gives",
}

func newVerifiers(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rewardSource
		rewardFunctions
		Rubric string `json:"rubric"`
	}
	if err := strictly(raw, &c); err != nil {
		return nil, err
	}
	if c.Rubric != "" {
		if !identifier.MatchString(c.Rubric) {
			return nil, fmt.Errorf("rubric: %q is no name of a Rubric in the source", c.Rubric)
		}
		if c.Function != "" || c.Functions != nil || c.Weights != nil {
			return nil, errors.New("rubric has functions and weights of its own: remove it or them")
		}
	}
	return newReward("verifiers", c.rewardSource, c.rewardFunctions, verifiersAdapter, map[string]any{"rubric": c.Rubric}, verifiersChoices, env)
}
