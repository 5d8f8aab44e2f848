package grader

import (
	"encoding/json"
	"errors"

	"gonogo/sampler"
)

var environment = Kind{
	Name:   "environment",
	Doc:    "Takes the reward of the environment that made the rollout (key environment); it needs no other key.",
	New:    newEnvironment,
	Remote: true,
}

// OfEnvironment returns the definition of the grader that takes the reward of the environment.
func OfEnvironment() json.RawMessage { return json.RawMessage(`{"type":"environment"}`) }

func newEnvironment(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		Type          string   `json:"type"`
		Name          string   `json:"name"`
		PassThreshold *float64 `json:"pass_threshold"`
	}
	if err := decodeStrict(raw, &c); err != nil {
		return nil, err
	}
	if env.Environment == nil {
		return nil, errors.New("there is no environment: name it under the key environment")
	}
	return env.Environment, nil
}
