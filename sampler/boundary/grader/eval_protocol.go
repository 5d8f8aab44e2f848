package grader

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"gonogo/sampler"
)

//go:embed adapter/eval_protocol.py
var evalProtocolAdapter string

var evalProtocol = Kind{
	Name:   "eval_protocol",
	Doc:    "Runs an evaluation test of eval-protocol on a row. The reward is the score of its evaluation_result.",
	New:    newEvalProtocol,
	inline: inlineSource,
}

// evalProtocolChoices says what counts as a reward.
var evalProtocolChoices = map[string]string{
	"eval_protocol result": "the score of the row's evaluation_result; is_score_valid of false, an error with the " +
		"score, None, NaN and an exception are a failed grading",
}

func newEvalProtocol(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		rewardSource
		Function  string         `json:"function"`
		Adapter   string         `json:"adapter"`
		Arguments map[string]any `json:"arguments"`
	}
	if err := decodeStrict(raw, &c); err != nil {
		return nil, err
	}
	if c.Adapter != "" && !identifier.MatchString(c.Adapter) {
		return nil, fmt.Errorf("adapter: %q is not a name of a function", c.Adapter)
	}
	if c.Arguments == nil {
		c.Arguments = map[string]any{}
	}
	options := map[string]any{"adapter": c.Adapter, "arguments": c.Arguments}
	return newReward("eval_protocol", c.rewardSource, rewardFunctions{Function: c.Function}, evalProtocolAdapter,
		options, evalProtocolChoices, env)
}
