package grader

import (
	_ "embed"
	"encoding/json"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

//go:embed adapter/openrlhf.py
var openrlhfAdapter string

var openrlhf = Kind{
	Name: "openrlhf",
	Doc: "Runs a reward function of OpenRLHF, reward_func(queries, prompts, labels). The reward is rewards in the " +
		"dict that it returns.",
	New:    newOpenRLHF,
	inline: inlineSource,
}

// openrlhfFunction is the name that OpenRLHF calls.
const openrlhfFunction = "reward_func"

// openrlhfChoices says what counts as a reward.
var openrlhfChoices = map[string]string{
	"openrlhf result": "rewards of the dict, or a list or tensor of one; extra_logs are parts, scores are not used; " +
		"None, NaN and an exception are a failed grading; a query is the text of the prompt and the answer, without a " +
		"chat template",
}

func newOpenRLHF(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rewardSource
		rewardFunctions
		LabelKey string `json:"label_key"` // the field of labels; "" means label, else the reference
	}
	if err := decodeStrict(raw, &c); err != nil {
		return nil, err
	}
	f, err := c.one(openrlhfFunction)
	if err != nil {
		return nil, err
	}
	return newReward("openrlhf", c.rewardSource, f, openrlhfAdapter,
		map[string]any{"label_key": c.LabelKey, "references": rollout.ReferenceFields()}, openrlhfChoices, env)
}
