package grader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
)

// agentReward takes the reward that the rollout's agent reports.
var agentReward = Kind{
	Name: "agent",
	Doc: "Takes the reward that an agent reports with its rollout, as one written for SageMaker does " +
		"(agent.dialect). Several rewards, one for each turn, are added up.",
	New: newAgentReward,
}

// AgentReward is a grader that takes the reward that the rollout's agent reported. It can grade nothing
// else.
type AgentReward struct{}

func newAgentReward(raw json.RawMessage, env Env) (sampler.Grader, error) {
	if env.part != "" {
		return nil, errors.New("cannot be a part: the agent's reward counts as it is, or not at all")
	}
	var c struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	if err := decodeStrict(raw, &c); err != nil {
		return nil, err
	}
	return AgentReward{}, nil
}

// Grade returns the sum of the rewards that the agent reported.
func (AgentReward) Grade(_ context.Context, out sampler.Output) (sampler.Grade, error) {
	if out.Rewards == nil {
		return sampler.Grade{}, &sampler.GradeError{
			Kind: sampler.KindReported,
			Err:  errors.New("the agent reported no reward for this rollout, and its reward cannot be computed without it"),
		}
	}
	var sum float64
	for _, reward := range out.Rewards {
		sum += reward
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return sampler.Grade{}, &sampler.GradeError{
			Kind: sampler.KindNotANumber, Err: fmt.Errorf("the agent's rewards add up to %v", sum),
		}
	}
	return sampler.Grade{Reward: sum}, nil
}

// TakesReported tells the sampler that a rollout without an answer has a reward, if its agent reported
// one.
func (AgentReward) TakesReported() {}

// Choices says how the rewards of turns become one.
func (AgentReward) Choices() map[string]string {
	return map[string]string{
		"agent rewards": "the sum of the rewards that the agent reported for the turns of a rollout; how the trainer " +
			"combines them is not documented",
	}
}

// Reported returns the definition of a grader that takes the reward that the agent reports.
func Reported() json.RawMessage { return json.RawMessage(`{"type":"` + agentReward.Name + `"}`) }

// TakesReported reports whether a definition is one of a grader that only takes the rewards that agents
// report, so that there is nothing to try or to audit.
func TakesReported(raw json.RawMessage) bool {
	var head struct {
		Type string `json:"type"`
	}
	return jsontext.Unmarshal(raw, &head) == nil && head.Type == agentReward.Name
}
