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
	Name: "verifiers",
	Doc: "Runs reward functions of verifiers, which take any of prompt, completion, answer, state, info and " +
		"task, or a Rubric, or a Task.",
	New:    newVerifiers,
	inline: inlineSource,
}

// verifiersChoices says what counts as a reward.
var verifiersChoices = map[string]string{
	"verifiers result": "the sum of the functions by weight, or what the Rubric or Task makes of them; None, NaN " +
		"and an exception are a failed grading and not the 0 that verifiers gives",
}

func newVerifiers(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rewardSource
		rewardFunctions
		Rubric string `json:"rubric"`
		Task   string `json:"task"`
	}
	if err := decodeStrict(raw, &c); err != nil {
		return nil, err
	}
	for key, name := range map[string]string{"rubric": c.Rubric, "task": c.Task} {
		switch {
		case name == "":
		case !identifier.MatchString(name):
			return nil, fmt.Errorf("%s: %q is not a name in the source", key, name)
		case c.Rubric != "" && c.Task != "":
			return nil, errors.New("rubric and task exclude each other")
		case c.Function != "" || c.Functions != nil || c.Weights != nil:
			return nil, fmt.Errorf("%s defines its own functions and weights: remove it, or remove function, "+
				"functions and weights", key)
		}
	}
	return newReward("verifiers", c.rewardSource, c.rewardFunctions, verifiersAdapter,
		map[string]any{"rubric": c.Rubric, "task": c.Task}, verifiersChoices, env)
}
