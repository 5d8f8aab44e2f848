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

// agentReward takes the reward that comes with the rollout.
var agentReward = Kind{
	Name: "agent",
	Doc: "Takes the reward that comes with the rollout: the environment's (key environment), or the one that an " +
		"agent reports, as one written for SageMaker does (agent.dialect). Several rewards, one for each turn, are added up.",
	New: newAgentReward,
}

// AgentReward is a grader that takes the reward that the rollout's agent reported.
type AgentReward struct {
	// plays grades an output without such a reward, and one that was graded before; nil: nothing can
	plays sampler.Grader
}

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
	return AgentReward{env.Environment}, nil
}

// Grade returns the sum of the rewards that the agent reported.
func (g AgentReward) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	switch {
	case g.plays != nil && (out.Again || out.Rewards == nil && out.NoReward == nil):
		return g.plays.Grade(ctx, out)
	case out.NoReward != nil:
		return sampler.Grade{}, out.NoReward
	case out.Rewards == nil:
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
	return sampler.Grade{Reward: sum, Parts: out.Parts}, nil
}

// Start starts what plays.
func (g AgentReward) Start(ctx context.Context) error { return Start(ctx, g.plays) }

// TakesReported tells the sampler that a rollout without an answer has a reward, if its agent reported
// one.
func (AgentReward) TakesReported() {}

// Choices says how the rewards of turns become one.
func (g AgentReward) Choices() map[string]string {
	if g.plays != nil {
		return nil
	}
	return map[string]string{
		"agent rewards": "the sum of the rewards that the agent reported for the turns of a rollout; how the trainer " +
			"combines them is not documented",
	}
}

// Reported returns the definition of a grader that takes the reward that comes with the rollout.
func Reported() json.RawMessage { return json.RawMessage(`{"type":"` + agentReward.Name + `"}`) }

// TakesReported reports whether a definition is one of a grader that takes the reward that comes with
// the rollout.
func TakesReported(raw json.RawMessage) bool {
	var head struct {
		Type string `json:"type"`
	}
	return jsontext.Unmarshal(raw, &head) == nil && head.Type == agentReward.Name
}
